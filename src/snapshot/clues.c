/* Collects the references and code samples of symbols, for the matcher. */
#include "snapshot/clues.h"

#include "base/map.h"
#include "base/sort.h"
#include "code/data_refs.h"
#include "code/flow.h"
#include "code/x86.h"
#include "program/plt.h"
#include "snapshot/contents.h"

/* An address that leads to another one: a pointer that the loader fills in, or a PLT stub */
struct link {
	uint64_t addr, to;
};

struct clue_maker {
	struct snapshot *s;
	struct clues *out;
	const struct image *im;
	enum code_isa isa, flow_isa; /* flow_isa: CODE_THUMB for such programs */
	struct plt plt;
	struct ref_wish wish;
	VEC(struct link) links;    /* PLT stubs and GOT pointers of imports, by address */
	VEC(struct link) pointers; /* Fields of data that relocations fill, by address */
	struct contents contents;
	code_ref_vec refs; /* References from the current symbol */
};

static uint64_t clues_named(struct clue_maker *m, struct str name)
{
	return CLUE_NAMED | intern_add(&m->s->texts, name);
}

static void stub_link(void *user, const struct plt_stub *stub)
{
	struct clue_maker *m = user;
	if (stub->slot)
		vec_push(&m->links, (struct link){ stub->section->addr + stub->off,
						   clues_named(m, plt_name(&m->plt, stub->slot)) });
}

static void links_read(struct clue_maker *m)
{
	plt_read(&m->plt, m->im);
	plt_each(&m->plt, stub_link, m);
	for (size_t i = 0; i < m->plt.slots.count; i++)
		vec_push(&m->links,
			 (struct link){ m->plt.slots.data[i].addr,
					clues_named(m, plt_name(&m->plt, &m->plt.slots.data[i])) });
	plt_release(&m->plt);
	sort_by_key(m->links.data, m->links.count, sizeof *m->links.data);
}

static void table_read(struct clue_maker *m, const struct section *table)
{
	struct reloc_iter it;
	struct reloc r;
	uint64_t to;
	if (!section_is_reloc(table) || !reloc_open(&it, m->im, table))
		return;
	while (reloc_next(&it, &r))
		if (r.alloc && reloc_target(&it, &r, &to))
			vec_push(&m->pointers, (struct link){ r.addr, to });
}

/* Returns which references to look for in code. Numbers in code may be addresses, except in
 * position-independent code, whose addresses begin below LOWEST. */
static struct ref_wish clues_wish_of(const struct image *im)
{
	enum { LOWEST = 1 << 14 };
	struct ref_wish w = { .kinds = REF_MEM | REF_ADDR | REF_CALL | REF_JUMP,
			      .imm_low = UINT64_MAX };
	each_section(s, im) {
		if (!s->alloc || s->size == 0)
			continue;
		w.imm_low = min_u64(w.imm_low, s->addr);
		w.imm_high = max_u64(w.imm_high, add_sat(s->addr, s->size));
	}
	if (w.imm_low >= LOWEST && w.imm_low < w.imm_high)
		w.kinds |= REF_IMM;
	return w;
}

static uint64_t ref_of(const struct clue_maker *m, uint64_t addr)
{
	const struct link *links = m->links.data;
	const size_t count = m->links.count;
	if (count > 0 && addr >= links[0].addr && addr <= links[count - 1].addr) {
		const size_t i = lower_bound(links, count, sizeof *links, addr);
		if (links[i].addr == addr)
			return links[i].to;
	}
	return addr - m->out->lowest;
}

/* Adds a reference, unless the symbol has it already. Compares only the last ones, because repeats
 * are usually close. */
static void ref_add(struct clue_maker *m, struct clue *c, uint64_t addr)
{
	enum { NEAR = 32 };
	if (addr < m->wish.imm_low || addr >= m->wish.imm_high)
		return;
	const uint64_t to = ref_of(m, addr);
	const size_t end = m->out->refs.count;
	for (size_t k = end; k > c->first_ref && end - k < NEAR; k--)
		if (m->out->refs.data[k - 1] == to)
			return;
	vec_push(&m->out->refs, to);
	c->ref_count++;
}

static bool clues_is_x86(enum code_isa isa)
{
	return isa == CODE_X86_64 || isa == CODE_I386;
}

/* Hashes a function, with the references in m->refs. `bad`: number of bytes that are no
 * instructions. Returns 0 if it cannot be hashed. */
static struct code_print function_print(struct clue_maker *m, const struct snap_symbol *y,
					uint64_t bad)
{
	const struct section *s = image_section_at(m->im, y->addr);
	if (!s || !s->exec || (bad > 0 && clues_is_x86(m->isa)))
		return (struct code_print){ 0, 0 };
	contents_read(&m->contents);
	return clues_is_x86(m->isa) ? contents_of_x86(&m->contents, s, y->addr, y->size, &m->refs)
				    : contents_of(&m->contents, s, y->addr, y->size);
}

/* Adds a gram: an instruction with the two before it, whose numbers are in `last`. The gram's hash
 * selects an element of the sample, which keeps the lowest hash. */
static void gram_add(uint32_t sample[CLUE_GRAMS], uint64_t last[2], uint64_t kind)
{
	_Static_assert(CLUE_GRAMS == 1 << 5, "5 bits choose the place");
	const uint64_t whole = hash_mix(last[0] ^ HASH_ODD_2, HASH_ODD_1) + last[1];
	const uint32_t gram = (uint32_t)(hash_mix(whole ^ HASH_ODD_1, kind | HASH_ODD_2) >> 32);
	uint32_t *place = &sample[gram >> 27];
	last[0] = last[1];
	last[1] = hash_mix(kind ^ HASH_ODD_1, HASH_ODD_2);
	*place = gram < *place ? gram : *place;
}

/* Returns `len` bytes of code as a number, the first one lowest. */
static uint64_t first_bytes(struct bytes code, size_t at, unsigned len)
{
	uint64_t w = 0;
	if (code.size - at >= sizeof w)
		return load_le64(code.p + at) << (64 - 8 * len) >> (64 - 8 * len);
	for (unsigned i = 0; i < len; i++)
		w |= (uint64_t)code.p[at + i] << 8 * i;
	return w;
}

static void x86_sample(uint32_t sample[CLUE_GRAMS], struct bytes code, bool mode64)
{
	uint32_t starts[CLUE_CODE_MOST + 1];
	uint64_t last[2] = { 0, 0 };
	const size_t count = x86_starts(code, mode64, CLUE_CODE_MOST, starts);
	for (size_t i = 0; i < count; i++) {
		const unsigned len = starts[i + 1] - starts[i];
		const uint64_t w = first_bytes(code, starts[i], len < 8 ? len : 8);
		const uint64_t kind = x86_kind(w, mode64);
		if (kind != 0)
			gram_add(sample, last, kind);
	}
}

/* Samples the first bytes of a function. */
static struct clue_sample clues_sample(enum code_isa isa, struct bytes code)
{
	struct clue_sample ret;
	uint32_t lowest[CLUE_GRAMS];
	uint64_t last[2] = { 0, 0 };
	/* Bytes per step, not for x86. AArch64: an instruction, whose upper 10 bits show its kind.
	 * Other machines: each half-word, as a whole. */
	const unsigned unit = isa == CODE_ARM64 ? 4 : 2;
	code.size = min_u64(code.size, CLUE_CODE_MOST);
	memset(lowest, 0xff, sizeof lowest);
	if (clues_is_x86(isa))
		x86_sample(lowest, code, isa == CODE_X86_64);
	for (size_t at = 0; !clues_is_x86(isa) && at + unit <= code.size; at += unit) {
		uint32_t word = 0;
		memcpy(&word, code.p + at, unit);
		gram_add(lowest, last, unit == 4 ? word >> 22 : word);
	}
	for (size_t i = 0; i < CLUE_GRAMS; i++)
		ret.grams[i] = (uint16_t)lowest[i];
	return ret;
}

/* Reads the references of a function. Hashes and samples it if it has no name. */
static void code_read(struct clue_maker *m, struct clue *c, struct snap_symbol *y)
{
	const struct bytes code = image_at(m->im, y->addr, y->size);
	m->refs.count = 0;
	const uint64_t bad = code_refs(m->flow_isa, code, c->addr, &m->wish, &m->refs);
	if (snap_is_made_up(snapshot_text(m->s, y->full_name))) {
		if (y->contents.shape == 0)
			y->contents = function_print(m, y, bad);
		vec_push(&m->out->samples, clues_sample(m->isa, code));
		c->sample = (uint32_t)m->out->samples.count;
		if (!clues_is_x86(m->isa) && m->isa != CODE_ARM64)
			c->print = bytes_print(code).shape;
	}
	if (data_refs_known(m->im))
		data_refs(m->im, code, c->addr, &m->refs);
	for (size_t i = 0; i < m->refs.count; i++)
		ref_add(m, c, m->refs.data[i].to);
}

/* Reads the pointers of data. Hashes the other bytes. */
static void data_read(struct clue_maker *m, struct clue *c, uint64_t size)
{
	const struct link *list = m->pointers.data;
	const struct bytes all = image_at(m->im, c->addr, size);
	struct code_print p = bytes_print((struct bytes){ NULL, 0 });
	uint64_t at = 0;
	for (size_t i = lower_bound(list, m->pointers.count, sizeof *list, c->addr);
	     i < m->pointers.count && list[i].addr - c->addr < size; i++) {
		const uint64_t off = list[i].addr - c->addr;
		print_add(&p, bytes_print(bytes_sub(all, at, off - min_u64(at, off))).shape);
		at = off + m->im->bits / 8;
		ref_add(m, c, list[i].to);
	}
	print_add(&p, bytes_print(bytes_sub(all, at, all.size - min_u64(at, all.size))).shape);
	c->print = all.size == size ? p.shape : 0;
}

static void symbol_read(struct clue_maker *m, struct snap_symbol *y)
{
	struct clue c = { .addr = y->addr, .first_ref = (uint32_t)m->out->refs.count };
	if (m->s->sections.data[y->section].code)
		code_read(m, &c, y);
	else
		data_read(m, &c, y->size);
	if (c.ref_count > 0 || c.sample > 0 || c.print != 0)
		vec_push(&m->out->list, c);
}

static bool has_clues(const struct snapshot *s, const struct snap_symbol *y)
{
	const struct snap_section *sec = &s->sections.data[y->section];
	const struct str name = snapshot_text(s, y->full_name);
	return sec->native && y->addr > 0 && y->size > 0 && !snap_is_star(name) &&
	       !snap_is_literal(name);
}

static bool clues_lacks_names(const struct snapshot *s, size_t first)
{
	for (size_t i = first; i < s->symbols.count; i++) {
		const struct snap_symbol *y = &s->symbols.data[i];
		if (s->sections.data[y->section].code &&
		    snap_is_made_up(snapshot_text(s, y->full_name)))
			return true;
	}
	return false;
}

void clues_add(struct snapshot *s, size_t first, uint32_t container, const struct image *im)
{
	if (!im || !clues_lacks_names(s, first))
		return;
	while (s->clues.count <= container)
		vec_push(&s->clues, (struct clues *)NULL);
	struct clue_maker m = {
		.s = s, .im = im, .out = mem_zeroed(1, sizeof *m.out), .wish = clues_wish_of(im)
	};
	s->clues.data[container] = m.out;
	m.out->lowest = m.wish.imm_low;
	m.isa = code_isa_of(im);
	m.flow_isa = flow_isa_of(im);
	contents_init(&m.contents, im);
	links_read(&m);
	for (size_t i = 1; i < im->section_count; i++)
		table_read(&m, &im->sections[i]);
	sort_by_key(m.pointers.data, m.pointers.count, sizeof *m.pointers.data);
	for (size_t i = first; i < s->symbols.count; i++) {
		struct snap_symbol *y = &s->symbols.data[i];
		const bool again = i > first && y[-1].addr == y->addr && y[-1].size > 0;
		if (!again && has_clues(s, y))
			symbol_read(&m, y);
	}
	sort_by_key(m.out->list.data, m.out->list.count, sizeof *m.out->list.data);
	vec_release_all(&m.links, &m.pointers, &m.refs);
	contents_release(&m.contents);
}

void clues_release(struct clues *c)
{
	vec_release_all(&c->list, &c->refs, &c->samples);
	mem_free(c);
}

const struct clues *clues_of(const struct snapshot *s, uint32_t container)
{
	return container < s->clues.count ? s->clues.data[container] : NULL;
}

const struct clue *clues_find(const struct snapshot *s, const struct snap_symbol *y)
{
	const struct clues *c = clues_of(s, s->sections.data[y->section].container);
	if (!c || y->addr == 0)
		return NULL;
	const size_t i = lower_bound(c->list.data, c->list.count, sizeof *c->list.data, y->addr);
	return i < c->list.count && c->list.data[i].addr == y->addr ? &c->list.data[i] : NULL;
}
