/* Finds where functions begin and end, and makes the map of the blocks derived from their code. */
#define _GNU_SOURCE /* memmem */
#include "blocks/derive_map.h"

#include "base/sort.h"
#include "code/flow.h"
#include "image/code_symbols.h"
#include "image/elf/elf_const.h"
#include "program/plt.h"
#include "program/symbol_rule.h"
#include "blocks/derive_map_internal.h"

static void derive_map_add_region(struct code_regions *all, uint64_t addr, struct bytes bytes,
				  bool stubs)
{
	if (bytes.size > 0)
		vec_push(all, (struct code_region){ addr, bytes, stubs });
}

void code_regions_list(const struct image *im, struct code_regions *ret)
{
	each_section(s, im) {
		if (s->alloc && s->exec && !s->nobits && !s->compressed &&
		    image_section_at(im, s->addr) == s) /* No other section overlaps it there */
			derive_map_add_region(
				ret, s->addr,
				bytes_sub(section_bytes(im, s), 0, min_u64(s->size, s->file_size)),
				section_is_plt(s));
	}
	for (size_t i = 0; ret->count == 0 && i < im->segment_count; i++) {
		const struct segment *s = &im->segments[i];
		if (s->type == PT_LOAD && s->exec)
			derive_map_add_region(ret, s->addr, segment_bytes(im, s), false);
	}
	vec_sort(ret);
	/* Of two regions that overlap, keeps the lower one. */
	size_t kept = 0;
	for (size_t i = 0; i < ret->count; i++) {
		const struct code_region r = ret->data[i];
		const struct code_region *before = kept ? &ret->data[kept - 1] : NULL;
		ASSERT(!before || r.addr >= before->addr);
		if (!before || r.addr - before->addr >= before->bytes.size)
			ret->data[kept++] = r;
	}
	ret->count = kept;
}

const struct code_region *region_at(const struct gathering *g, uint64_t addr)
{
	const struct code_region *r = vec_before(&g->regions, addr);
	return r && addr - r->addr < r->bytes.size ? r : NULL;
}

static void derive_map_claim_symbols(struct gathering *g, const struct image *im, uint32_t type)
{
	struct code_symbols all;
	struct symbol s;
	uint64_t addr;
	code_symbols_start(&all, im, type);
	all.objects = true;
	while (code_symbols_next(&all, &s, &addr)) {
		const bool function = symbol_is_function(&s), data = s.type == STT_OBJECT;
		/* In a program of Thumb code, ARM code counts as data. */
		const bool other = g->isa == CODE_THUMB && function && !(s.value & 1);
		/* Skips local labels of assembly. */
		if (data || other ? s.size == 0 : !function && (s.bind == STB_LOCAL || s.size > 0))
			continue;
		/* gcc and LLVM name cold parts FUNCTION.cold and FUNCTION.cold.NUMBER. */
		if (region_at(g, addr))
			vec_push(&g->claims,
				 (struct code_claim){
					 .addr = addr,
					 .size = s.size,
					 .cold = memmem(s.name.p, s.name.len, ".cold", 5),
					 .function = function,
					 .data = data || other });
	}
}

COMPARISON(derive_map_larger_first, struct code_claim, ORDER(b->size, a->size))

static void sort_claims(struct gathering *g)
{
	vec_sort_then(&g->claims, derive_map_larger_first);
}

static void list_claims(struct gathering *g)
{
	derive_map_claim_symbols(g, g->im, SHT_SYMTAB);
	derive_map_claim_symbols(g, g->im, SHT_DYNSYM);
	derive_map_claim_symbols(g, g->debug, SHT_SYMTAB);
	sort_claims(g);
	symbols_cut_crossing(g->claims.data, g->claims.count, sizeof *g->claims.data);
	gather_unwind(g);
	const uint64_t entry = flow_entry(g->isa, g->im->entry);
	if (region_at(g, entry) && g->im->kind == IMAGE_EXEC)
		vec_push(&g->claims, (struct code_claim){ .addr = entry, .function = true });
	sort_claims(g);
	/* Keeps the largest claim at each address, with the flags of all claims there. A label
	 * without a size does not turn data into code, because linker scripts put labels at the
	 * start of data. */
	size_t kept = 0;
	for (size_t i = 0; i < g->claims.count; i++) {
		const struct code_claim c = g->claims.data[i];
		struct code_claim *before = kept ? &g->claims.data[kept - 1] : NULL;
		if (!before || before->addr != c.addr) {
			g->claims.data[kept++] = c;
			continue;
		}
		before->has_sites = before->has_sites || c.has_sites;
		before->cold = before->cold || c.cold;
		before->function = before->function || c.function;
		before->data = before->data && (c.data || (c.size == 0 && !c.function));
	}
	g->claims.count = kept;
}

/* Adds [from, to) of the region as code of a function. Successive calls must have ascending
 * addresses. `c`: claim of the code, or NULL. */
static void derive_add_extent(struct gathering *g, const struct code_region *r, uint64_t from,
			      uint64_t to, const struct code_claim *c)
{
	ASSERT(from >= r->addr && from <= to && to - r->addr <= r->bytes.size);
	while (from < to) {
		const uint64_t size = min_u64(to - from, UINT32_MAX / 2);
		vec_push(&g->extents,
			 (struct derive_extent){ from, bytes_sub(r->bytes, from - r->addr, size),
						 c && c->has_sites, c && c->cold && !r->stubs,
						 r->stubs });
		from += size;
	}
}

/* Adds [from, to) to the gaps: code in which no function is known. Joins it with an adjacent gap
 * before it. `c` is NULL, or tells that a function or label begins at `from`. */
static void derive_map_add_piece(struct gathering *g, const struct code_region *r, uint64_t from,
				 uint64_t to, const struct code_claim *c)
{
	struct derive_extent *before = vec_last(&g->gaps.list);
	ASSERT(from >= r->addr && from <= to && to - r->addr <= r->bytes.size);
	if (from == to)
		return;
	if (c)
		vec_push(c->function ? &g->gaps.signs.starts : &g->gaps.labels, from);
	if (before && before->addr + before->code.size == from && from != r->addr &&
	    before->code.size + (to - from) < UINT32_MAX / 2)
		before->code.size += to - from;
	else
		vec_push(&g->gaps.list,
			 (struct derive_extent){
				 .addr = from,
				 .code = bytes_sub(r->bytes, from - r->addr,
						   min_u64(to - from, UINT32_MAX / 2)) });
}

/* Adds a gap, split at the GHC info tables in it. A function begins after each info table. */
static void derive_map_add_gap(struct gathering *g, const struct code_region *r, uint64_t from,
			       uint64_t to, const struct code_claim *c)
{
	static const struct code_claim behind = { .function = true };
	for (size_t i = vec_lower(&g->ghc.list, from); i < g->ghc.list.count && from < to; i++) {
		const struct ghc_table *t = &g->ghc.list.data[i];
		const uint64_t start = max_u64(t->entry - t->size, from);
		if (start >= to)
			break;
		if (ghc_table_continues(t))
			continue;
		derive_map_add_piece(g, r, from, start, c);
		from = min_u64(t->entry, to);
		c = &behind;
		if (from < to)
			vec_push(&g->gaps.signs.wholes, from);
	}
	derive_map_add_piece(g, r, from, to, c);
}

/* Adds the code of a range that has no claim, or a claim `c` without a size. */
static void lay_gap(struct gathering *g, const struct code_region *r, uint64_t from, uint64_t to,
		    const struct code_claim *c)
{
	if (r->stubs || (g->isa == CODE_NONE && c))
		derive_add_extent(g, r, from, to, c);
	else if (g->isa != CODE_NONE)
		derive_map_add_gap(g, r, from, to, c);
}

/* Adds the code of a region, whose first claim has index i. Returns the index of the first claim
 * after the region. */
static size_t lay_region(struct gathering *g, const struct code_region *r, size_t i)
{
	const uint64_t end = r->addr + r->bytes.size;
	uint64_t at = r->addr;
	while (i < g->claims.count && g->claims.data[i].addr < end) {
		const struct code_claim c = g->claims.data[i++];
		if (c.addr < at) {
			if (!c.data)
				vec_push(&g->entries, c.addr);
			if (c.size == 0 || c.size <= at - c.addr)
				continue;
		}
		const uint64_t start = max_u64(c.addr, at);
		uint64_t stop = c.size > 0 && c.size < end - c.addr ? c.addr + c.size : end;
		if (c.size == 0 && i < g->claims.count)
			stop = min_u64(stop, g->claims.data[i].addr);
		lay_gap(g, r, at, start, NULL);
		if (c.size > 0 && !c.data)
			derive_add_extent(g, r, start, stop, &c);
		else if (!c.data)
			lay_gap(g, r, start, stop, &c);
		at = max_u64(at, stop);
	}
	ASSERT(at <= end);
	lay_gap(g, r, at, end, NULL);
	return i;
}

static bool comment_has(const struct image *im, struct str what)
{
	const struct section *s = image_section_find(im, ".comment");
	const struct bytes b = s && !s->compressed ? section_bytes(im, s) : (struct bytes){ 0 };
	return b.size > 0 && memmem(b.p, b.size, what.p, what.len);
}

/* Sets which compiler's convention (enum derive_convention) each function follows. The code itself
 * counts more than .comment, which also names the compiler of the C library's start files. */
static void derive_map_choose(struct gathering *g, struct derive_facts *f,
			      enum blocks_convention wanted)
{
	static const enum derive_convention fixed[] = {
		[BLOCKS_LLVM] = DERIVE_LLVM, [BLOCKS_GCC] = DERIVE_GCC, [BLOCKS_PURE] = DERIVE_PURE
	};
	ASSERT((size_t)wanted < COUNT_OF(fixed) || wanted == BLOCKS_AUTO);
	if (wanted != BLOCKS_AUTO) {
		f->convention = fixed[wanted];
		return;
	}
	g->conventions = mem_zeroed(f->extent_count + 1, sizeof *g->conventions);
	f->convention = derive_guess(f, g->conventions);
	if (f->convention != DERIVE_PURE)
		f->each = g->conventions;
	else if (comment_has(g->im, STR("clang version")) ||
		 comment_has(g->im, STR("rustc version")))
		f->convention = DERIVE_LLVM;
	else
		f->convention = DERIVE_GCC;
}

static struct bytes derive_map_load(void *ctx, uint64_t addr, uint64_t size)
{
	return patched_at(ctx, addr, size);
}

struct derive_facts gathering_facts(const struct gathering *g)
{
	return (struct derive_facts){ .isa = g->isa,
				      .big_endian = g->im->big_endian,
				      .extents = g->extents.data,
				      .extent_count = g->extents.count,
				      .entries = g->entries.data,
				      .entry_count = g->entries.count,
				      .sites = g->sites.data,
				      .site_count = g->sites.count,
				      .callees = g->callees.data,
				      .callee_count = g->callees.count,
				      .fixes = g->fixes.data,
				      .fix_count = g->fixes.count,
				      .data = g->data.data,
				      .data_count = g->data.count,
				      .load = derive_map_load,
				      .ctx = (void *)(uintptr_t)g };
}

static void derive_map_add_function(struct blockmap *b, const struct derive_extent *x,
				    const struct derived_function *f, bool thumb)
{
	const uint32_t number = (uint32_t)b->ranges.count;
	if (f->count == 0 || b->functions.count == UINT32_MAX)
		return;
	vec_push(&b->ranges, (struct blockmap_range){ .addr = x->addr,
						      .stated = f->count,
						      .first = f->first,
						      .count = f->count,
						      .function = number });
	vec_push(&b->functions, (struct blockmap_function){ .addr = x->addr,
							    .range_first = number,
							    .range_count = 1,
							    .origin = BLOCKS_DERIVED,
							    .thumb = thumb });
	vec_push(&b->by_addr, number);
}

void gathering_release(struct gathering *g)
{
	struct split_signs *signs = &g->gaps.signs;
	for (size_t i = 0; i < g->patched.count; i++)
		mem_free(g->patched.data[i].bytes);
	vec_release_all(&g->patched, &g->regions, &g->claims, &g->extents, &g->entries, &g->sites,
			&g->callees, &g->fixes);
	vec_release_all(&g->data, &g->gaps.list, &g->gaps.labels, &g->gaps.refs, &signs->starts,
			&signs->pointers, &signs->taken, &signs->leaps);
	vec_release_all(&signs->others, &signs->objects, &signs->wholes);
	ghc_tables_release(&g->ghc);
	mem_free(g->conventions);
}

/* Splits the gaps into functions, and adds the functions to g->extents. */
static void lay_found(struct gathering *g)
{
	split_function_vec found = { 0 };
	gaps_split(g, &found);
	vec_each(const struct split_function, f, &found)
		derive_add_extent(g, region_at(g, f->addr), f->addr, f->addr + f->size, NULL);
	vec_release(&found);
	vec_sort(&g->extents);
}

static void gather_extents(struct gathering *g)
{
	size_t claim = 0; /* Index of the first of g->claims at or after the start of the region */
	code_regions_list(g->im, &g->regions);
	gather_data(g);
	gather_callees(g);
	gather_fixes(g);
	list_claims(g);
	vec_each(const struct code_region, r, &g->regions) {
		while (claim < g->claims.count && g->claims.data[claim].addr < r->addr)
			claim++;
		claim = lay_region(g, r, claim);
	}
	if (g->gaps.list.count > 0)
		lay_found(g);
}

void code_gaps_split(const struct image *im, enum code_isa isa, const struct code_piece *gaps,
		     size_t count, split_function_vec *ret)
{
	struct gathering g = { .im = im, .isa = isa, .gaps_only = true };
	if (count == 0 || isa == CODE_NONE)
		return;
	code_regions_list(im, &g.regions);
	gather_data(&g);
	gather_callees(&g);
	gather_fixes(&g);
	for (size_t i = 0; i < count; i++) {
		const struct code_region *r = region_at(&g, gaps[i].addr);
		const struct code_claim named = { .addr = gaps[i].addr, .function = gaps[i].named };
		if (r)
			derive_map_add_gap(
				&g, r, gaps[i].addr,
				min_u64(gaps[i].addr + gaps[i].size, r->addr + r->bytes.size),
				gaps[i].named || gaps[i].labelled ? &named : NULL);
	}
	gaps_split(&g, ret);
	gathering_release(&g);
}

void code_functions_list(const struct image *im, const struct image *debug, enum code_isa isa,
			 struct notes *notes, struct code_functions *ret)
{
	struct gathering g = { .im = im, .debug = debug, .notes = notes, .isa = isa };
	memset(ret, 0, sizeof *ret);
	if (isa == CODE_NONE)
		return;
	gather_extents(&g);
	vec_append(&ret->list, &g.extents);
	vec_append(&ret->data, &g.data);
	gathering_release(&g);
}

void code_functions_release(struct code_functions *f)
{
	vec_release_all(&f->list, &f->data);
}

void blockmap_derive(struct blockmap *b, const struct image *im, const struct image *debug,
		     enum blocks_convention convention, unsigned threads, struct notes *notes)
{
	struct gathering g = { .im = im, .debug = debug, .notes = notes, .isa = flow_isa_of(im) };
	struct derived d;
	memset(b, 0, sizeof *b);
	b->image = im;
	if (g.isa == CODE_NONE)
		return;
	gather_extents(&g);
	gather_pointers(&g);
	gather_patched(&g);
	struct derive_facts f = gathering_facts(&g);
	derive_map_choose(&g, &f, convention);
	derive(&f, threads, &d);
	for (size_t i = 0; i < g.extents.count; i++)
		derive_map_add_function(b, &g.extents.data[i], &d.functions[i],
					g.isa == CODE_THUMB);
	b->blocks.data = d.blocks.data;
	b->blocks.count = d.blocks.count;
	b->blocks.cap = d.blocks.cap;
	memset(&d.blocks, 0, sizeof d.blocks);
	if (HEFT_CHECKS)
		blockmap_verify(b);
	derived_release(&d);
	gathering_release(&g);
	mem_give_back();
}

void blockmap_whole(struct blockmap *b, const struct image *im, const struct image *debug,
		    struct notes *notes)
{
	struct gathering g = { .im = im, .debug = debug, .notes = notes, .isa = CODE_NONE };
	struct code_marks marks;
	memset(b, 0, sizeof *b);
	b->image = im;
	gather_extents(&g);
	code_marks_read(&marks, im, debug);
	vec_each(const struct derive_extent, x, &g.extents) {
		struct derived_function f = { .first = b->blocks.count };
		const bool thumb = code_marks_cut(&marks, x->addr, x->code, b);
		f.count = b->blocks.count - f.first;
		derive_map_add_function(b, x, &f, thumb);
	}
	if (HEFT_CHECKS)
		blockmap_verify(b);
	code_marks_release(&marks);
	gathering_release(&g);
}

static uint64_t range_end(const struct blockmap *b, const struct blockmap_range *r)
{
	ASSERT(r->count > 0 && r->first + r->count <= b->blocks.count);
	const struct bbmap_block *last = &b->blocks.data[r->first + r->count - 1];
	return r->addr + last->off + last->size;
}

/* Copies function i, which has one range, from a derived map to `ret`. */
static void derive_map_take(struct blockmap *ret, const struct blockmap *from, size_t i)
{
	struct blockmap_function f = from->functions.data[i];
	struct blockmap_range r = from->ranges.data[i];
	const uint32_t number = (uint32_t)ret->ranges.count;
	const uint64_t first = ret->blocks.count;
	for (uint64_t k = 0; k < r.count; k++)
		vec_push(&ret->blocks, from->blocks.data[r.first + k]);
	r.first = first;
	r.function = f.range_first = number;
	vec_push(&ret->ranges, r);
	vec_push(&ret->functions, f);
	vec_push(&ret->by_addr, number);
}

void blockmap_add_whole(struct blockmap *b, const struct image *debug, struct notes *notes)
{
	struct blockmap whole, all = { .image = b->image };
	uint64_t end = 0;
	size_t i = 0;
	blockmap_whole(&whole, b->image, debug, notes);
	for (size_t k = 0; k < whole.ranges.count; k++) {
		const struct blockmap_range *r = &whole.ranges.data[k];
		for (; i < b->ranges.count && b->ranges.data[i].addr <= r->addr; i++) {
			derive_map_take(&all, b, i);
			end = range_end(b, &b->ranges.data[i]);
		}
		const bool fits = i == b->ranges.count ||
				  range_end(&whole, r) <= b->ranges.data[i].addr;
		if (!whole.functions.data[k].thumb && r->addr >= end && fits)
			derive_map_take(&all, &whole, k);
	}
	for (; i < b->ranges.count; i++)
		derive_map_take(&all, b, i);
	if (HEFT_CHECKS)
		blockmap_verify(&all);
	blockmap_release(&whole);
	blockmap_release(b);
	*b = all;
}
