/* Finds data inside code: literal pools and branch tables of microcontrollers, GHC's tables. */
#include "blocks/derive_map_internal.h"

#include "base/sort.h"
#include "code/flow.h"
#include "image/code_symbols.h"
#include "image/arch.h"

/* Adds data that mapping symbols mark: each from its symbol to the next one, or to the region's
 * end. Code of the other instruction set (ARM or Thumb) counts as data. True if any is found. */
static bool take_marks(struct gathering *g, const struct image *im)
{
	struct code_marks marks;
	bool any = false;
	code_marks_list(&marks, im);
	for (size_t i = 0; i < marks.list.count; i++) {
		const struct code_mark *m = &marks.list.data[i];
		const struct code_region *r = region_at(g, m->addr);
		if (!r)
			continue;
		uint64_t end = r->addr + r->bytes.size;
		if (i + 1 < marks.list.count)
			end = min_u64(end, m[1].addr);
		if ((m->kind == 'd' || m->kind == 'a') && end > m->addr)
			vec_push(&g->data, (struct derive_data){ m->addr, end - m->addr });
		any = true;
	}
	code_marks_release(&marks);
	return any;
}

struct reads {
	const struct code_region *region;
	struct derive_facts facts;
	uint64_t *data;       /* One bit per byte: set if the byte is data */
	uint64_t made, known; /* The last adr instruction, if it may still matter: the address that
			       * it computed, and its own address (else 0) */
	unsigned reg;         /* Register that the adr instruction set */
};

static bool derive_data_is(const struct reads *w, uint64_t off)
{
	return w->data[off / 64] >> off % 64 & 1;
}

static void derive_data_mark(struct reads *w, uint64_t addr, uint64_t size)
{
	const uint64_t from = addr - w->region->addr;
	for (uint64_t i = 0; i < size && from < w->region->bytes.size - i; i++)
		w->data[(from + i) / 64] |= UINT64_C(1) << (from + i) % 64;
}

/* Marks 8 bytes as data if code loads them from the address that an adr instruction computed
 * shortly before. */
static void read_made(struct reads *w, const uint8_t *p, uint64_t left, uint64_t addr)
{
	enum { NEAR = 16 };
	const unsigned size = addr - w->known <= NEAR ? thumb_loads_at(p, left, w->reg) : 0;
	if (size > 0 && w->made > addr)
		derive_data_mark(w, w->made, size);
	if (size > 0)
		w->known = 0;
	if (thumb_adr(p, left, addr, &w->reg, &w->made))
		w->known = addr;
}

/* Decodes the instruction at `off`, and marks data that it loads. Returns the offset of the next
 * instruction. Literal pools follow the code that loads from them, so they are already marked when
 * the scan reaches them. */
static uint64_t derive_data_read_one(struct reads *w, uint64_t off)
{
	const struct bytes all = w->region->bytes;
	const uint8_t *p = all.p + off;
	const uint64_t left = all.size - off, addr = w->region->addr + off;
	uint64_t to;
	unsigned size;
	struct flow in;
	if (derive_data_is(w, off))
		return off + 1;
	if (!thumb_flow(p, left, addr, &in))
		return all.size;
	if (thumb_pool(p, left, addr, &to, &size) && to >= addr + in.size)
		derive_data_mark(w, to, size);
	read_made(w, p, left, addr);
	const uint64_t end = off + in.size;
	const uint64_t behind = derive_thumb_behind(
		&w->facts, &(struct derive_extent){ .addr = w->region->addr, .code = all }, off,
		&in);
	derive_data_mark(w, w->region->addr + end, behind - end);
	return end;
}

/* Decodes an Xtensa instruction and returns the offset of the next one. Literal pools precede the
 * code that loads from them, so a second pass is needed to skip them. */
static uint64_t read_xtensa(struct reads *w, uint64_t off)
{
	const uint8_t *p = w->region->bytes.p + off;
	const unsigned size = xtensa_size(*p);
	unsigned reg;
	uint64_t to;
	if (derive_data_is(w, off))
		return off + 1;
	if (xtensa_literal(p, w->region->bytes.size - off, w->region->addr + off, &reg, &to))
		derive_data_mark(w, to, 4);
	return off + (size > 0 ? size : 1);
}

/* Decodes an ARM instruction and marks the data that it uses. Returns the next one's offset. */
static uint64_t read_arm(struct reads *w, uint64_t off)
{
	const struct bytes all = w->region->bytes;
	const uint64_t addr = w->region->addr + off;
	uint64_t to;
	unsigned size;
	if (derive_data_is(w, off))
		return off + 4;
	const uint64_t cases = arm_case_count(all, off);
	if (cases > 0 && cases < all.size / 4)
		derive_data_mark(w, addr + 8, cases * 4);
	if (arm_literal(all.p + off, all.size - off, addr, &to, &size) &&
	    to - w->region->addr < all.size)
		derive_data_mark(w, to, size);
	return off + 4;
}

/* Reads the instruction at `off`. Returns the offset of the next one. */
static uint64_t derive_data_read(enum code_isa isa, struct reads *w, uint64_t off)
{
	switch (isa) {
	case CODE_XTENSA: return read_xtensa(w, off);
	case CODE_ARM: return read_arm(w, off);
	default: return derive_data_read_one(w, off);
	}
}

static void derive_data_read_region(struct gathering *g, const struct code_region *r)
{
	ASSERT(g->isa == CODE_THUMB || g->isa == CODE_XTENSA || g->isa == CODE_ARM);
	const uint64_t size = r->bytes.size;
	struct reads w = { .region = r,
			   .facts = gathering_facts(g),
			   .data = mem_zeroed(size / 64 + 1, sizeof *w.data) };
	const unsigned passes = g->isa == CODE_XTENSA ? 2 : 1;
	for (unsigned i = 0; i < passes; i++)
		for (uint64_t off = 0; off < size;)
			off = derive_data_read(g->isa, &w, off);
	for (uint64_t from = 0, to; from < size; from = to + 1) {
		for (to = from; to < size && derive_data_is(&w, to);)
			to++;
		if (to > from)
			vec_push(&g->data, (struct derive_data){ r->addr + from, to - from });
	}
	mem_free(w.data);
}

void gather_data(struct gathering *g)
{
	/* GHC's info tables, which precede functions, are data. */
	if (!is_small(g->isa) && g->isa != CODE_NONE)
		ghc_image_tables(g->im, &g->ghc);
	vec_each(const struct ghc_table, t, &g->ghc.list)
		vec_push(&g->data, (struct derive_data){ t->entry - t->size, t->size });
	if (!(is_small(g->isa) || g->isa == CODE_ARM) || take_marks(g, g->im) ||
	    take_marks(g, g->debug))
		return;
	const bool reads = g->isa == CODE_THUMB || g->isa == CODE_XTENSA || g->isa == CODE_ARM;
	for (size_t i = 0; reads && i < g->regions.count; i++)
		derive_data_read_region(g, &g->regions.data[i]);
}

uint64_t data_end(const struct gathering *g, uint64_t addr)
{
	const struct derive_data *d = vec_before(&g->data, addr);
	return d && addr - d->addr < d->size ? d->addr + d->size : addr;
}

/* Reads ARM's mapping symbols. */

void code_marks_list(struct code_marks *m, const struct image *im)
{
	struct code_symbols all;
	struct symbol s;
	uint64_t addr;
	*m = (struct code_marks){ .image = im };
	code_symbols_start(&all, im, SHT_SYMTAB);
	while (code_symbols_next(&all, &s, &addr)) {
		const char kind = symbol_mark(&s);
		if (kind)
			vec_push(&m->list, (struct code_mark){ addr, kind });
	}
	vec_sort(&m->list);
}

/* Reads the instruction sets of functions from their symbols, if there are no mapping symbols. In
 * ELF, the value of a Thumb function's symbol is odd. True if any function is Thumb code. */
static bool derive_marks_read_functions(struct code_marks *m, const struct image *im, uint32_t type)
{
	struct code_symbols all;
	struct symbol s;
	uint64_t addr;
	bool any = false;
	code_symbols_start(&all, im, type);
	while (code_symbols_next(&all, &s, &addr)) {
		if (!symbol_is_function(&s))
			continue;
		any = any || s.value & 1;
		vec_push(&m->list, (struct code_mark){ addr, s.value & 1 ? 't' : 'a' });
	}
	return any;
}

void code_marks_read(struct code_marks *m, const struct image *im, const struct image *debug)
{
	*m = (struct code_marks){ .image = im };
	if (!image_arch(im)->two_sets)
		return;
	code_marks_list(m, im);
	if (m->list.count == 0)
		code_marks_list(m, debug);
	m->image = im;
	if (m->list.count == 0 && !derive_marks_read_functions(m, im, SHT_SYMTAB) &&
	    !derive_marks_read_functions(m, im, SHT_DYNSYM))
		m->list.count = 0;
	vec_sort(&m->list);
}

void code_marks_release(struct code_marks *m)
{
	vec_release(&m->list);
}

/* Guesses the instruction set from the code, if there are no symbols. In nearly all ARM
 * instructions, the upper four bits say "unconditional". In Thumb code they vary. */
static char code_kind_guess(const struct image *im, struct bytes code)
{
	size_t count = 0, arm = 0;
	if (!image_arch(im)->two_sets)
		return 'a';
	for (uint64_t i = 0; i + 4 <= code.size; i += 4, count++)
		arm += code.p[im->big_endian ? i : i + 3] >> 4 == 0xe;
	ASSERT(arm <= count);
	return arm * 2 > count ? 'a' : 't';
}

bool code_marks_cut(const struct code_marks *m, uint64_t addr, struct bytes code,
		    struct blockmap *b)
{
	const size_t first = b->blocks.count;
	const uint64_t size = code.size;
	size_t i = vec_upper(&m->list, addr);
	char kind = i > 0 ? m->list.data[i - 1].kind : code_kind_guess(m->image, code);
	bool thumb = false;
	for (uint64_t from = 0, to; from < size; from = to) {
		const bool ends = i < m->list.count && m->list.data[i].addr - addr < size;
		to = ends ? m->list.data[i].addr - addr : size;
		ASSERT(to >= from && to <= size);
		if (b->blocks.count == first)
			thumb = kind == 't';
		const uint32_t id = (uint32_t)(b->blocks.count - first);
		if (kind != 'd' && to > from)
			vec_push(&b->blocks, (struct bbmap_block){ .id = id,
								   .off = (uint32_t)from,
								   .size = (uint32_t)(to - from) });
		if (ends)
			kind = m->list.data[i++].kind;
	}
	return thumb;
}
