/* Collects evidence of functions in code that no symbol or unwind table describes (gaps). */
#include "blocks/derive_map.h"

#include "base/sort.h"
#include "blocks/derive_map_internal.h"
#include "code/data_refs.h"
#include "code/entry.h"
#include "code/flow.h"
#include "unwind/unwind.h"
#include "image/arch.h"
#include "image/code_symbols.h"
#include "image/elf/elf_const.h"

/* GAPS_SHARE: if gaps are at least 1/GAPS_SHARE of all code, the other code is searched for calls
 * and addresses that lead into gaps. LOOKS_PER_BYTE: how many bytes may be decoded to follow
 * microcontroller code, per byte of code. */
enum { GAPS_SHARE = 64, CHUNK = 1 << 20, LOOKS_PER_BYTE = 16 };

const struct derive_extent *gap_at(const struct gathering *g, uint64_t addr)
{
	const struct derive_extent *x = vec_before(&g->gaps.list, addr);
	return x && addr - x->addr < x->code.size ? x : NULL;
}

void gaps_add(const struct gathering *g, addr_vec *to, uint64_t addr)
{
	if (gap_at(g, addr) && !(code_isa_has_words(g->isa) && addr % 4 != 0))
		vec_push(to, addr);
}

/* Records a call. Ignores a call of the next instruction, as lld makes for a missing function. */
static void derive_gaps_add_call(struct gathering *g, const struct code_ref *call)
{
	enum { BL = 4 };
	const struct image *im = g->im;
	const uint64_t to = image_jump_target(im, call->from, call->to);
	if (g->isa == CODE_THUMB &&
	    (to == call->from + BL || entry_takes_first(im, to, &g->gaps.looks)))
		return;
	gaps_add(g, &g->gaps.signs.starts, to);
}

/* Records a jump from code outside of gaps into a gap. */
static void add_leap(struct gathering *g, const struct code_ref *r)
{
	const bool x86 = g->isa == CODE_X86_64 || g->isa == CODE_I386;
	if (!gap_at(g, r->to))
		return;
	gaps_add(g, &g->gaps.signs.pointers, r->to);
	/* The opcode of a conditional jump has two bytes. */
	const bool conditional = x86 && r->field - r->from > 1;
	vec_push(&g->gaps.signs.leaps, (struct leap){ r->to, r->from, conditional, true });
}

static void derive_gaps_add_refs(struct gathering *g)
{
	vec_each(const struct code_ref, r, &g->gaps.refs) {
		if (r->kind == REF_CALL)
			derive_gaps_add_call(g, r);
		else if (r->kind == REF_JUMP)
			add_leap(g, r);
		else {
			/* On microcontrollers, a constant in code may be any number. */
			const bool number = r->use != USE_ACCESS || is_small(g->isa);
			gaps_add(g, &g->gaps.signs.pointers, r->to);
			if (gap_at(g, r->to))
				vec_push(&g->gaps.signs.taken,
					 (struct split_taken){ r->to, r->from, number });
		}
	}
	g->gaps.refs.count = 0;
}

static struct ref_wish derive_gaps_wish_of(const struct gathering *g, bool inside)
{
	ASSERT(g->regions.count > 0);
	const struct code_region *last = &g->regions.data[g->regions.count - 1];
	const bool fixed = image_code_has_addresses(g->im);
	/* Does not read jumps of ARM programs: their code may be of the ARM set, not of Thumb. */
	const unsigned jumps = g->isa == CODE_THUMB ? 0 : REF_JUMP;
	return (struct ref_wish){ .kinds = REF_ADDR | (fixed ? REF_IMM : 0u) |
					   (inside ? REF_INSIDE : REF_CALL | jumps),
				  .imm_low = g->regions.data[0].addr,
				  .imm_high = add_sat(last->addr, last->bytes.size) };
}

static void derive_gaps_read_code(struct gathering *g, uint64_t addr, struct bytes code,
				  bool in_gap)
{
	const struct ref_wish wish = derive_gaps_wish_of(g, in_gap);
	for (uint64_t done = 0; done < code.size; done += CHUNK) {
		const struct bytes part = bytes_sub(code, done, min_u64(code.size - done, CHUNK));
		code_refs(g->isa, part, addr + done, &wish, &g->gaps.refs);
		derive_gaps_add_refs(g);
		if (g->isa == CODE_THUMB || !data_refs_known(g->im))
			continue;
		data_refs(g->im, part, addr + done, &g->gaps.refs);
		for (size_t i = 0; is_small(g->isa) && i < g->gaps.refs.count; i++)
			gaps_add(g, &g->gaps.signs.objects, g->gaps.refs.data[i].to);
		derive_gaps_add_refs(g);
	}
}

/* Searches code that symbols or unwind tables describe for references into gaps. */
static void derive_gaps_read_described(struct gathering *g, const struct code_region *r)
{
	const uint64_t end = r->addr + r->bytes.size;
	uint64_t at = r->addr;
	size_t i = vec_lower(&g->gaps.list, r->addr);
	for (; at < end; i++) {
		const struct derive_extent *x = i < g->gaps.list.count ? &g->gaps.list.data[i]
								       : NULL;
		const uint64_t to = x ? min_u64(end, x->addr) : end;
		if (to > at)
			derive_gaps_read_code(g, at, bytes_sub(r->bytes, at - r->addr, to - at),
					      false);
		at = x ? x->addr + x->code.size : end;
	}
}

bool code_gap_pads(enum code_isa isa, uint64_t size)
{
	const bool aligned = isa == CODE_X86_64 || isa == CODE_I386 || code_isa_has_words(isa) ||
			     isa == CODE_NONE;
	return size < (aligned ? 16 : 2);
}

static void read_all_code(struct gathering *g)
{
	uint64_t all = 0, gaps = 0;
	vec_each(const struct derive_extent, x, &g->gaps.list) {
		if (!code_gap_pads(g->isa, x->code.size))
			gaps += x->code.size;
		derive_gaps_read_code(g, x->addr, x->code, true);
	}
	for (size_t i = 0; i < g->regions.count; i++)
		all += g->regions.data[i].bytes.size;
	for (size_t i = 0; gaps >= all / GAPS_SHARE && i < g->regions.count; i++)
		derive_gaps_read_described(g, &g->regions.data[i]);
}

/* Reads ARM's unwind tables, which have the starts of functions of both instruction sets. */
static void read_exidx(struct gathering *g, const struct section *table)
{
	const struct image *im = g->im;
	const struct unwind_section u = { .bytes = section_bytes(im, table),
					  .addr = table->addr,
					  .address_size = 4,
					  .big_endian = im->big_endian,
					  .path = im->path };
	uint64_t function, extab;
	for (uint64_t i = 0; exidx_get(&u, i, &function, &extab); i++) {
		gaps_add(g, &g->gaps.signs.starts, function & ~UINT64_C(1));
		if (extab != 0)
			gaps_add(g, &g->gaps.signs.wholes, function & ~UINT64_C(1));
	}
}

/* Reads MIPS's table of procedures, which may lack assembly functions. */
static void read_procedures(struct gathering *g, const struct section *table)
{
	const struct unwind_section u = { .bytes = section_bytes(g->im, table),
					  .addr = image_code_base(g->im),
					  .big_endian = g->im->big_endian,
					  .path = g->im->path };
	uint64_t function;
	for (uint64_t i = 0; pdr_get(&u, i, &function); i++) {
		gaps_add(g, &g->gaps.signs.starts, function);
		gaps_add(g, &g->gaps.signs.wholes, function);
	}
}

/* Adds the resolvers of indirect functions, which are functions too. */
static void read_choosers(struct gathering *g, const struct section *table)
{
	struct reloc_iter it;
	struct reloc r;
	uint64_t target;
	if (!reloc_open(&it, g->im, table))
		return;
	while (reloc_next(&it, &r))
		if (r.kind == RELOC_IRELATIVE && reloc_target(&it, &r, &target))
			gaps_add(g, &g->gaps.signs.starts, flow_entry(g->isa, target));
}

/* Without .eh_frame, lists the functions of the dynamic symbol table. */
static void list_others(struct gathering *g)
{
	const struct image *im = g->im;
	struct code_symbols all;
	struct symbol symbol;
	uint64_t addr;
	if (image_section_find(im, ".eh_frame"))
		return;
	code_symbols_start(&all, im, SHT_DYNSYM);
	while (code_symbols_next(&all, &symbol, &addr))
		if (symbol_is_function(&symbol))
			vec_push(&g->gaps.signs.others, flow_entry(g->isa, addr));
	addrs_sort(&g->gaps.signs.others);
}

static void search_all(struct gathering *g)
{
	gather_pointers(g);
	/* Reads words of Thumb programs later: only odd words point to Thumb code. */
	const bool words = g->isa == CODE_THUMB && g->im->type == ET_EXEC;
	for (size_t i = 0; !words && i < g->entries.count; i++)
		gaps_add(g, &g->gaps.signs.pointers, flow_entry(g->isa, g->entries.data[i]));
	if (g->im->kind == IMAGE_EXEC)
		gaps_add(g, &g->gaps.signs.starts, flow_entry(g->isa, g->im->entry));
	const struct image *im = g->im;
	each_section(t, im) {
		if (section_is_procedures(im, t))
			read_procedures(g, t);
		if (!t->alloc || t->nobits)
			continue;
		if (section_is_reloc(t))
			read_choosers(g, t);
		else if (t->type == SHT_INIT_ARRAY || t->type == SHT_FINI_ARRAY ||
			 t->type == SHT_PREINIT_ARRAY) {
			const unsigned size = im->bits == 64 ? 8 : 4;
			struct reader r = reader_of(section_bytes(im, t), im->big_endian);
			while (reader_left(&r) >= size)
				gaps_add(g, &g->gaps.signs.starts,
					 flow_entry(g->isa, read_uint(&r, size)));
		} else if (section_is_unwind_index(im, t))
			read_exidx(g, t);
	}
	for (size_t i = 0; i < g->ghc.list.count; i++)
		gaps_add(g, &g->gaps.signs.starts, g->ghc.list.data[i].slow);
	if (g->isa == CODE_THUMB)
		gaps_read_words(g);
	read_all_code(g);
	list_others(g);
	addrs_sort(&g->gaps.signs.starts);
	addrs_sort(&g->gaps.labels);
	addrs_sort(&g->gaps.signs.pointers);
	vec_sort(&g->gaps.signs.taken);
	addrs_sort(&g->gaps.signs.objects);
	addrs_sort(&g->gaps.signs.wholes);
}

/* Drops functions that begin at a label without a size inside data. Linker scripts put labels at
 * the start of data. */
static void drop_data(const struct code_gaps *gaps, split_function_vec *found)
{
	size_t kept = 0;
	for (size_t i = 0; i < found->count; i++) {
		const struct split_function f = found->data[i];
		const bool labelled = addrs_within(&gaps->labels, f.addr, f.addr + 1) &&
				      !addrs_within(&gaps->signs.starts, f.addr, f.addr + 1);
		if (!f.bad || !labelled)
			found->data[kept++] = f;
	}
	found->count = kept;
}

void gaps_split(struct gathering *g, split_function_vec *ret)
{
	struct code_gaps *gaps = &g->gaps;
	if (gaps->list.count == 0 || g->isa == CODE_NONE)
		return;
	for (size_t i = 0; i < g->regions.count; i++)
		gaps->looks += LOOKS_PER_BYTE * g->regions.data[i].bytes.size;
	ASSERT(vec_sorted(&gaps->list));
	search_all(g);
	struct split_signs signs = gaps->signs;
	signs.starts = (addr_vec){ 0 };
	vec_copy(&signs.starts, &gaps->signs.starts);
	vec_copy(&signs.starts, &gaps->labels);
	addrs_sort(&signs.starts);
	struct derive_facts code = gathering_facts(g);
	code.stretches = true;
	code.extents = gaps->list.data;
	code.extent_count = gaps->list.count;
	split_code(&(struct split_facts){ g->im, &code, &signs }, 1, ret);
	drop_data(gaps, ret);
	vec_release(&signs.starts);
}
