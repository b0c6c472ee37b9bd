/* Gathers facts about code from unwind tables, pointers, imports and relocations. */
#include "blocks/derive_map_internal.h"

#include "base/sort.h"
#include "code/flow.h"
#include "unwind/lsda.h"
#include "unwind/unwind.h"
#include "image/code_symbols.h"
#include "image/elf/elf_const.h"
#include "program/plt.h"
#include "code/entry.h"

/* Adds the ranges of call sites in the exception table (LSDA) of an unwind entry to g->sites. False
 * if the table is missing or damaged. */
static bool derive_facts_read_sites(struct gathering *g, const struct unwind_entry *e)
{
	const struct section *in = image_section_at(g->im, e->lsda_addr);
	struct lsda_sites it;
	struct lsda_site s;
	const uint64_t room = in ? in->size - (e->lsda_addr - in->addr) : UINT32_MAX;
	const struct reader r = reader_of(image_at(g->im, e->lsda_addr, room), g->im->big_endian);
	if (!lsda_sites_open(&it, r, e->lsda_addr, g->im->bits / 8, e->func_addr, e->func_size))
		return false;
	while (lsda_sites_next(&it, &s))
		if (s.size > 0)
			vec_push(&g->sites, (struct derive_site){ s.addr, s.size, s.pad });
	return true;
}

typedef VEC(struct unwind_fixup) fixup_vec;

/* Lists the targets of the pointers in an object's section, from its relocations. */
static void derive_facts_read_fixups(const struct gathering *g, const struct section *s,
				     fixup_vec *ret)
{
	for (size_t i = 1; g->im->kind == IMAGE_OBJECT && i < g->im->section_count; i++) {
		const struct section *table = &g->im->sections[i];
		struct reloc_iter it;
		struct reloc r;
		uint64_t target;
		if (!section_is_reloc(table) || table->info != s->index ||
		    !reloc_open(&it, g->im, table))
			continue;
		while (reloc_next(&it, &r))
			if (reloc_target(&it, &r, &target))
				vec_push(ret, (struct unwind_fixup){ r.addr - s->addr, target });
	}
	vec_sort(ret);
}

static void derive_facts_read_frames(struct gathering *g, const struct section *s)
{
	fixup_vec fixups = { 0 };
	struct unwind_iter it;
	struct unwind_entry e;
	derive_facts_read_fixups(g, s, &fixups);
	const struct unwind_section u = { .bytes = section_bytes(g->im, s),
					  .addr = s->addr,
					  .address_size = g->im->bits / 8,
					  .big_endian = g->im->big_endian,
					  .fixups = fixups.data,
					  .fixup_count = fixups.count,
					  .path = g->im->path };
	unwind_init(&it, &u);
	while (unwind_next(&it, &e)) {
		const struct code_region *in = e.ok ? region_at(g, e.func_addr) : NULL;
		if (e.cie || e.terminator || !in || in->stubs)
			continue;
		const bool has_sites = e.has_lsda && derive_facts_read_sites(g, &e);
		vec_push(&g->claims,
			 (struct code_claim){ e.func_addr, e.func_size, has_sites, e.in_frame });
	}
	unwind_release(&it);
	vec_release(&fixups);
}

/* Sorts the ranges of call sites. Of two functions' ranges that overlap, keeps the first. */
static void order_sites(struct gathering *g)
{
	size_t kept = 0;
	vec_sort(&g->sites);
	for (size_t i = 0; i < g->sites.count; i++) {
		const struct derive_site s = g->sites.data[i];
		const struct derive_site *before = kept ? &g->sites.data[kept - 1] : NULL;
		if (!before || s.addr - before->addr >= before->size)
			g->sites.data[kept++] = s;
	}
	g->sites.count = kept;
}

/* Reads all sections .eh_frame. Skips .bolt.org.eh_frame, llvm-bolt's copy of the old one. */
void gather_unwind(struct gathering *g)
{
	each_section(s, g->im) {
		if (s->alloc && !s->nobits && str_ends(s->name, STR(".eh_frame")) &&
		    !str_starts(s->name, STR(".bolt.org.")))
			derive_facts_read_frames(g, s);
	}
	order_sites(g);
}

static void derive_facts_add_pointer(struct gathering *g, uint64_t to)
{
	if (g->gaps_only ? gap_at(g, flow_entry(g->isa, to)) != NULL : region_at(g, to) != NULL)
		vec_push(&g->entries, to);
}

static void derive_facts_read_relocs(struct gathering *g, const struct section *s)
{
	struct reloc_iter it;
	struct reloc r;
	uint64_t target;
	if (!reloc_open(&it, g->im, s))
		return;
	while (reloc_next(&it, &r))
		if ((r.kind == RELOC_RELATIVE || r.kind == RELOC_ABS) && r.alloc &&
		    !region_at(g, r.addr) && reloc_target(&it, &r, &target))
			derive_facts_add_pointer(g, target);
}

/* Reads words that may be addresses of code. Needed only for programs that have fixed addresses and
 * no relocations. */
static void derive_facts_read_words(struct gathering *g, const struct section *s)
{
	struct reader r = reader_of(section_bytes(g->im, s), g->im->big_endian);
	const unsigned width = g->im->bits / 8;
	const struct code_region *last = &g->regions.data[g->regions.count - 1];
	const uint64_t low = g->regions.data[0].addr, high = last->addr + last->bytes.size;
	reader_seek(&r, align_up(s->addr, width) - s->addr);
	while (reader_left(&r) >= width) {
		const uint64_t v = width == 8 ? read_u64(&r) : read_u32(&r);
		if (v >= low && v < high)
			derive_facts_add_pointer(g, v);
	}
}

void gather_pointers(struct gathering *g)
{
	const struct image *im = g->im;
	const bool done = g->has_pointers;
	g->has_pointers = true;
	for (size_t i = 1; !done && i < im->section_count && g->regions.count > 0; i++) {
		const struct section *s = &im->sections[i];
		if (section_is_reloc(s) && (s->alloc || im->kind == IMAGE_OBJECT))
			derive_facts_read_relocs(g, s);
		else if (im->type == ET_EXEC && s->alloc && !s->exec && !s->nobits &&
			 s->type == SHT_PROGBITS)
			derive_facts_read_words(g, s);
	}
	vec_sort(&g->entries);
}

static void add_callee(struct gathering *g, uint64_t addr, uint64_t traits)
{
	if (traits != 0)
		vec_push(&g->callees, (struct derive_callee){ addr, traits });
}

static void callees_by_symbols(struct gathering *g, const struct image *im, uint32_t type)
{
	struct code_symbols all;
	struct symbol s;
	uint64_t addr;
	code_symbols_start(&all, im, type);
	while (code_symbols_next(&all, &s, &addr))
		if (symbol_is_function(&s))
			add_callee(g, addr, traits_of_name(s.name));
}

struct imports {
	struct gathering *g;
	struct plt plt;
};

/* Records an imported function: its stub, and the slot through which code may call it. */
static void callee_by_stub(void *user, const struct plt_stub *stub)
{
	struct imports *imports = user;
	struct gathering *g = imports->g;
	const uint64_t addr = stub->section->addr + stub->off;
	add_callee(g, addr, traits_of_name(plt_name(&imports->plt, stub->slot)));
	if (region_at(g, addr))
		vec_push(&g->claims, (struct code_claim){ addr, stub->size, false, false, true });
}

void gather_callees(struct gathering *g)
{
	struct imports imports = { .g = g };
	plt_read(&imports.plt, g->im);
	vec_each(const struct plt_slot, slot, &imports.plt.slots)
		add_callee(g, slot->addr, traits_of_name(plt_name(&imports.plt, slot)));
	plt_each(&imports.plt, callee_by_stub, &imports);
	plt_release(&imports.plt);
	callees_by_symbols(g, g->im, SHT_SYMTAB);
	callees_by_symbols(g, g->im, SHT_DYNSYM);
	callees_by_symbols(g, g->debug, SHT_SYMTAB);
}

static void fix(struct gathering *g, const struct reloc_iter *it, const struct reloc *r)
{
	uint64_t target = DERIVE_NOWHERE;
	if (!reloc_target(it, r, &target) && r->symbol > 0 && r->symbol < it->symbols.count) {
		const struct symbol s = symtab_get(&it->symbols, r->symbol);
		/* Gives a symbol of another file a made-up address, so that all calls of it have
		 * the same target. */
		target = DERIVE_NOWHERE - 1 - r->symbol;
		add_callee(g, target, traits_of_name(s.name));
	}
	vec_push(&g->fixes, (struct derive_fix){ r->addr, target });
}

void gather_fixes(struct gathering *g)
{
	const struct image *im = g->im;
	for (size_t i = 1; im->kind == IMAGE_OBJECT && i < im->section_count; i++) {
		const struct section *s = &im->sections[i];
		struct reloc_iter it;
		struct reloc r;
		if (!section_is_reloc(s) || s->info >= im->section_count ||
		    !im->sections[s->info].exec || !reloc_open(&it, im, s))
			continue;
		while (reloc_next(&it, &r))
			fix(g, &it, &r);
	}
	vec_sort(&g->fixes);
}

/* Collects addresses of Thumb code from words of the image: vector tables, variables, literals. */

/* True if code before `addr` moves a high register (r8 to r15) to lr. ARMv6-M saves high registers
 * that way, so a push of lr there does not start a function. */
static bool moved_to_lr(const struct image *im, uint64_t addr)
{
	enum { LOOK_AT = 6 };
	for (uint64_t at = addr - 2 * min_u64(LOOK_AT, addr / 2); at < addr; at += 2) {
		struct reader r = reader_of(image_at(im, at, 2), false);
		if ((read_u16(&r) & 0xffc7) == 0x46c6) /* mov lr, r8 to r15 */
			return true;
	}
	return false;
}

/* True if the instruction before `addr` never falls through to it. */
static bool is_behind_end(const struct gathering *g, uint64_t addr)
{
	for (uint64_t size = 2; addr % 2 == 0 && size <= 4; size++) {
		struct flow in;
		const struct bytes b = image_at(g->im, addr - size, size);
		if (b.size == size && flow_decode(g->isa, b.p, size, addr - size, &in) &&
		    in.size == size && in.kind != FLOW_PLAIN && in.kind != FLOW_CONDITIONAL &&
		    in.kind != FLOW_CALL)
			return true;
	}
	return false;
}

/* Returns the end of the table of addresses that `ldr.w pc, [Rn, Rm, lsl #2]` at `off` jumps
 * through. Its words are odd too, but are not functions. 0 if another instruction is at `off`. */
static uint64_t jump_table_end(const struct section *s, struct bytes b, uint64_t off)
{
	enum { FAR = 1 << 16 };
	struct reader r = reader_of(bytes_sub(b, off, b.size - off), false);
	const uint32_t first = read_u16(&r), second = read_u16(&r);
	if ((first & 0xfff0) != 0xf850 || (second & 0xffc0) != 0xf000)
		return 0;
	const uint64_t begin = align_up(s->addr + off + 4, 4) - s->addr;
	r = reader_of(bytes_sub(b, min_u64(begin, b.size), b.size - min_u64(begin, b.size)), false);
	while (reader_left(&r) >= 4) {
		const uint32_t word = read_u32(&r);
		if (!(word & 1) || word - s->addr >= s->size ||
		    word - (s->addr + off) + FAR >= 2 * FAR)
			return begin + r.pos - 4;
	}
	return begin + r.pos;
}

/* Reads the words of a section. An odd word is the address of a function. An even word is the
 * address of data, also inside code. If flash begins at 0, small numbers are valid addresses, so a
 * small word counts only if a function probably begins there. */
static void derive_words_read_section(struct gathering *g, const struct section *s)
{
	enum { SMALL = 1 << 20 };
	const struct bytes b = section_bytes(g->im, s);
	uint64_t table_end = 0;
	for (uint64_t off = s->addr % 2; off + 4 <= b.size; off += 2) {
		if (s->exec)
			table_end = max_u64(table_end, jump_table_end(s, b, off));
		if ((s->addr + off) % 4 != 0 || off < table_end)
			continue;
		struct reader r = reader_of(bytes_sub(b, off, 4), false);
		const uint32_t word = read_u32(&r);
		const uint64_t addr = word & ~UINT32_C(1);
		if (!(word & 1))
			gaps_add(g, &g->gaps.signs.objects, addr);
		else if (word >= SMALL ||
			 (entry_like(g->isa, image_at(g->im, addr, 4)) &&
			  !moved_to_lr(g->im, addr) && (addr % 4 == 0 || is_behind_end(g, addr))))
			gaps_add(g, &g->gaps.signs.starts, addr);
	}
}

void gaps_read_words(struct gathering *g)
{
	/* Objects have relocations instead. */
	for (size_t i = 1; g->im->type == ET_EXEC && i < g->im->section_count; i++) {
		const struct section *s = &g->im->sections[i];
		if (s->alloc && !s->nobits && s->type != SHT_ARM_EXIDX)
			derive_words_read_section(g, s);
	}
}

/* Applies relocations to constant data of objects, with made-up addresses of sections. Otherwise
 * the jump tables of objects, whose entries are relocations, would be empty. */

static void derive_patched_patch(const struct image *im, const struct section *s,
				 const struct section *relocs, uint8_t *bytes)
{
	enum { X86_64_PC64 = 24, AARCH64_PREL64 = 260 };
	struct reloc_iter it;
	struct reloc r;
	uint64_t value;
	if (!reloc_open(&it, im, relocs))
		return;
	while (reloc_next(&it, &r)) {
		/* The value is a pointer, or the distance from the field to the target (psABIs of
		 * x86-64 and AArch64). */
		const bool wide = r.type == X86_64_PC64 || r.type == AARCH64_PREL64;
		const unsigned width = r.kind == RELOC_ABS     ? reloc_field(im, r.type).width
				       : r.kind != RELOC_PCREL ? 0
				       : wide                  ? 8
							       : 4;
		const uint64_t off = r.addr - s->addr;
		if (width == 0 || width > s->file_size || off > s->file_size - width ||
		    !reloc_target(&it, &r, &value))
			continue;
		value -= r.kind == RELOC_PCREL ? r.addr : 0;
		for (unsigned i = 0; i < width; i++)
			bytes[off + (im->big_endian ? width - 1 - i : i)] = (uint8_t)(value >>
										      8 * i);
	}
}

void gather_patched(struct gathering *g)
{
	const struct image *im = g->im;
	uint64_t left = im->bytes.size; /* Work limit: bytes to copy. Sections may overlap */
	for (size_t i = 1; im->kind == IMAGE_OBJECT && i < im->section_count; i++) {
		const struct section *relocs = &im->sections[i];
		if (!section_is_reloc(relocs) || relocs->info >= im->section_count)
			continue;
		const struct section *s = &im->sections[relocs->info];
		const struct bytes b = section_bytes(im, s);
		const bool constant = s->alloc && !s->exec && !s->nobits && !s->compressed &&
				      s->size <= s->file_size &&
				      (!s->write || str_starts(s->name, STR(".data.rel.ro")));
		if (!constant || b.size != s->file_size || b.size == 0 || b.size > left)
			continue;
		left -= b.size;
		uint8_t *copy = mem_alloc(b.size);
		memcpy(copy, b.p, b.size);
		derive_patched_patch(im, s, relocs, copy);
		vec_push(&g->patched, (struct patched){ s->addr, b.size, copy });
	}
	vec_sort(&g->patched);
}

struct bytes patched_at(const struct gathering *g, uint64_t addr, uint64_t size)
{
	const struct patched *p = vec_before(&g->patched, addr);
	ASSERT(!p || p->addr <= addr);
	if (!p || addr - p->addr >= p->size)
		return image_at(g->im, addr, size);
	return bytes_sub((struct bytes){ p->bytes, p->size }, addr - p->addr, size);
}
