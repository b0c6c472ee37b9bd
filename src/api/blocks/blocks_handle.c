/* Implements basic blocks: heft_blocks_*. */
#include "api/blocks_handle.h"

#include "api/structs.h"
#include "program/session.h"
#include "base/arena.h"
#include "base/sort.h"
#include "image/arch.h"
#include "image/elf/elf_const.h"
#include "image/input.h"
#include "code/flow.h"
#include "names/demangle.h"
#include "report/report.h"
#include "blocks/derive_map.h"
#include "program/program.h"

/* One image of the input. */
struct blocks_handle_part {
	struct blockmap map;
	struct bbindex index;
	bool indexed;
	uint64_t *ends; /* Per block: its end address. NULL until batches are asked for. */
	const char *member;
};

/* A function that a name means. */
struct named_function {
	size_t number;
	enum name_form form;
	const struct named_symbol *symbol; /* Symbol at its start with that name, or NULL. */
};

struct heft_blocks {
	struct memory *memory; /* Must be the first field: see handle_new(). */
	struct arena arena;
	struct context context;
	bool opened; /* Opening was tried, with or without success. */
	enum heft_derive derive;
	enum heft_convention convention;
	bool whole; /* See heft_blocks_set_whole(). */
	struct program program;
	struct blocks_handle_part *parts;
	size_t part_count;
	struct demangler demangler;
	struct blockmap_detail detail;
	struct block_check check;
	const char *
		*names; /* Shown names, per function over all parts. NULL if not asked for yet. */
	const char ***sections; /* Names per part and section index. NULL if not asked for yet. */
	VEC(struct heft_block) blocks;
	VEC(const struct heft_block *) list; /* One per element of the previous list. */
	VEC(uint64_t) calls;
	VEC(struct named_function) named; /* Functions that the last name meant. */
	VEC(size_t) numbers;              /* One per element of the previous list. */
	name_matches matches;
	VEC(struct heft_block_successor) successors;
};

/* ---- settings -------------------------------------------------------------------------------- */

struct heft_blocks *heft_blocks_new(struct heft_session *session)
{
	struct heft_blocks *b = session ? handle_new(sizeof *b) : NULL;
	if (!b)
		return NULL;
	context_begin(&b->context, session, b->memory);
	return b;
}

static void blocks_handle_release(void *handle)
{
	struct heft_blocks *b = handle;
	blockmap_detail_release(&b->detail);
	block_check_release(&b->check);
	for (size_t i = 0; i < b->part_count; i++) {
		bbindex_release(&b->parts[i].index);
		mem_free(b->parts[i].ends);
		blockmap_release(&b->parts[i].map);
	}
	mem_free(b->parts);
	mem_free(b->names);
	program_close(&b->program);
	demangler_release(&b->demangler);
	vec_release(&b->blocks);
	vec_release(&b->list);
	vec_release(&b->calls);
	vec_release(&b->named);
	vec_release(&b->numbers);
	vec_release(&b->matches);
	vec_release(&b->successors);
	context_release(&b->context);
	arena_release(&b->arena);
	mem_free(b);
}

void heft_blocks_free(struct heft_blocks *b)
{
	if (b)
		context_end(&b->context);
	handle_free(b, blocks_handle_release);
}

void heft_blocks_set_derive(struct heft_blocks *b, enum heft_derive when)
{
	b->derive = when;
}

void heft_blocks_set_convention(struct heft_blocks *b, enum heft_convention convention)
{
	b->convention = convention;
}

void heft_blocks_set_whole(struct heft_blocks *b, bool whole)
{
	b->whole = whole;
}

/* ---- opening --------------------------------------------------------------------------------- */

static enum blocks_convention convention_of(const struct heft_blocks *b)
{
	switch (b->convention) {
	case HEFT_CONVENTION_LLVM: return BLOCKS_LLVM;
	case HEFT_CONVENTION_GCC: return BLOCKS_GCC;
	case HEFT_CONVENTION_PURE: return BLOCKS_PURE;
	default: return BLOCKS_AUTO;
	}
}

static void blocks_handle_read_map(struct heft_blocks *b, struct blockmap *map,
				   const struct image *im)
{
	const struct image *debug = program_debug_in_use(&b->program);
	if (b->derive != HEFT_DERIVE_ALWAYS) {
		blockmap_read(map, im, debug, &b->context.notes);
		if (map->functions.count > 0 || b->derive == HEFT_DERIVE_NEVER)
			return;
		blockmap_release(map);
	}
	const bool derivable = flow_isa_of(im) != CODE_NONE;
	blockmap_derive(map, im, debug, convention_of(b), 0, &b->context.notes);
	if (map->functions.count == 0 && b->whole) {
		blockmap_release(map);
		blockmap_whole(map, im, debug, &b->context.notes);
	} else if (image_arch(im)->two_sets && b->whole) {
		blockmap_add_whole(map, debug, &b->context.notes);
	}
	if (map->functions.count == 0 && !derivable)
		note(&b->context.notes, b->program.path, HEFT_NO_OFFSET, 0,
		     "no map of blocks, and none can be derived from code of this machine "
		     "(of x86, AArch64, Thumb-2, RISC-V, AVR and Xtensa they can)");
}

static void blocks_handle_read_part(struct heft_blocks *b, size_t i)
{
	const struct image *im = &b->program.input.images[i];
	const struct image *debug = program_debug_in_use(&b->program);
	struct blocks_handle_part *p = &b->parts[i];
	blocks_handle_read_map(b, &p->map, im);
	if (p->map.functions.count > 0)
		blockmap_name(&p->map, debug);
	p->member = arena_copy(&b->arena, im->member);
}

static bool blocks_open(struct heft_blocks *b, const char *path, struct heft_err *err)
{
	const char *copy = arena_copy(&b->arena, str_of(path));
	if (b->opened)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "a handle opens one file");
	b->opened = true;
	context_take(&b->context);
	if (!program_open_alone(&b->program, copy, USE_BLOCKS, &b->context.wish, &b->context.notes,
				err))
		return false;
	/* Names of functions, and even the map itself, may be in a debug file. */
	(void)program_debug(&b->program, false);
	b->part_count = b->program.input.image_count;
	b->parts = mem_zeroed(b->part_count, sizeof *b->parts);
	for (size_t i = 0; i < b->part_count; i++)
		blocks_handle_read_part(b, i);
	b->names = mem_zeroed(heft_blocks_function_count(b), sizeof *b->names);
	b->sections = arena_new(&b->arena, const char **, b->part_count);
	return true;
}

bool heft_blocks_open(struct heft_blocks *b, const char *path, struct heft_err *err)
{
	return GUARDED(b->memory, err, blocks_open(b, path, err));
}

size_t heft_blocks_function_count(const struct heft_blocks *b)
{
	size_t count = 0;
	for (size_t i = 0; i < b->part_count; i++)
		count += b->parts[i].map.functions.count;
	return count;
}

/* ---- functions ------------------------------------------------------------------------------- */

static const char *demangled(struct heft_blocks *b, const char *name)
{
	const struct str raw = str_of(name),
			 text = demangle(&b->demangler, raw,
					 context_style(&b->context, HEFT_NAMES_FULL));
	return str_eq(raw, text) ? name : arena_copy(&b->arena, text);
}

static const char *blocks_handle_make_name(struct heft_blocks *b, const struct blockmap_function *f)
{
	return f->name ? demangled(b, f->name) : arena_format(&b->arena, "sub_%" PRIx64, f->addr);
}

static const char *blocks_handle_shown_name(struct heft_blocks *b,
					    const struct blockmap_function *f, size_t number)
{
	if (!b->names[number])
		b->names[number] = blocks_handle_make_name(b, f);
	return b->names[number];
}

static const char *blocks_handle_section_name(struct heft_blocks *b,
					      const struct blocks_handle_part *p, uint64_t addr,
					      uint64_t *ret_offset)
{
	const struct image *im = p->map.image;
	const struct section *s = image_section_at(im, addr);
	const char ***names = &b->sections[p - b->parts];
	if (!s)
		return "";
	if (!*names)
		*names = arena_new(&b->arena, const char *, im->section_count);
	const char **name = &(*names)[s->index];
	*ret_offset = addr - s->addr;
	if (!*name)
		*name = section_title(s).len > 0 ? arena_copy(&b->arena, section_title(s))
						 : arena_format(&b->arena, "#%" PRIu32, s->index);
	return *name;
}

static void blocks_handle_add(struct heft_blocks *b, const struct blocks_handle_part *p,
			      const struct blockmap_range *r)
{
	for (uint64_t i = r->first; i < r->first + r->count; i++) {
		const struct bbmap_block *from = &p->map.blocks.data[i];
		vec_push(&b->blocks, (struct heft_block){ .addr = r->addr + from->off,
							  .size = from->size,
							  .id = from->id,
							  .flags = from->flags });
	}
}

/* Adds what an entry says about a range's blocks, which begin at index `at` of b->blocks. Calls and
 * successors are copied whole, so that their indexes in the entry stay valid. */
static void add_details(struct heft_blocks *b, const struct bbmap_entry *e,
			const struct blockmap_range *r, size_t at)
{
	const struct bbmap_detail *from = e->details.data + e->ranges.data[r->number].first;
	for (uint64_t i = 0; i < r->count; i++, from++) {
		struct heft_block *to = &b->blocks.data[at + i];
		to->has_hash = e->features & BBMAP_HASH;
		to->has_frequency = e->features & BBMAP_FREQUENCY;
		to->hash = from->hash;
		to->frequency = from->frequency;
		to->post_link_frequency = from->post_link;
		to->calls = b->calls.data + from->call_first;
		to->call_count = from->call_count;
		to->successors = b->successors.data + from->successor_first;
		to->successor_count = from->successor_count;
		for (size_t k = 0; k < from->call_count; k++)
			b->calls.data[from->call_first + k] += to->addr;
	}
}

static void copy_lists(struct heft_blocks *b, const struct bbmap_entry *e)
{
	b->calls.count = b->successors.count = 0;
	vec_reserve(&b->calls, e->calls.count + 1);
	vec_reserve(&b->successors, e->successors.count + 1);
	for (size_t i = 0; i < e->calls.count; i++)
		vec_push(&b->calls, e->calls.data[i]);
	for (size_t i = 0; i < e->successors.count; i++) {
		const struct bbmap_successor *s = &e->successors.data[i];
		vec_push(&b->successors,
			 (struct heft_block_successor){ s->id, s->probability, s->frequency });
	}
}

static const char *origin_of(const struct blockmap_function *f)
{
	static const char *const names[] = { [BLOCKS_OF_MAP] = "map",
					     [BLOCKS_OF_SYMBOLS] = "symbols",
					     [BLOCKS_DERIVED] = "derived" };
	return names[f->origin];
}

static void blocks_handle_fill(struct heft_blocks *b, const struct blocks_handle_part *p,
			       const struct blockmap_function *f, size_t number,
			       struct heft_block_function *ret)
{
	const struct bbmap_entry *e = blockmap_detail_get(&b->detail, &p->map, f);
	*ret = (struct heft_block_function){
		.size = sizeof *ret,
		.addr = f->addr,
		.name = blocks_handle_shown_name(b, f, number),
		.linkage = f->name ? f->name : "",
		.member = p->member,
		.origin = origin_of(f),
		.version = f->version,
		.omitted = f->features & BBMAP_NO_BLOCKS,
		.has_entry_count = f->features & BBMAP_ENTRY_COUNT,
		.entry_count = e ? e->entry_count : 0,
		.range_count = f->range_count,
	};
	ret->section = blocks_handle_section_name(b, p, f->addr, &ret->section_offset);
	b->blocks.count = 0;
	if (e)
		copy_lists(b, e);
	for (uint32_t i = 0; i < f->range_count; i++) {
		const struct blockmap_range *r = &p->map.ranges.data[f->range_first + i];
		const size_t at = b->blocks.count;
		blocks_handle_add(b, p, r);
		if (e)
			add_details(b, e, r, at);
	}
	b->list.count = 0;
	for (size_t i = 0; i < b->blocks.count; i++)
		vec_push(&b->list, &b->blocks.data[i]);
	ret->blocks = b->list.data;
	ret->block_count = b->list.count;
}

static bool blocks_function_at(struct heft_blocks *b, size_t i, struct heft_block_function *ret,
			       struct heft_err *err)
{
	size_t first = 0;
	for (size_t k = 0; k < b->part_count; k++) {
		const struct blocks_handle_part *p = &b->parts[k];
		if (i - first < p->map.functions.count) {
			blocks_handle_fill(b, p, &p->map.functions.data[i - first], i, ret);
			return true;
		}
		first += p->map.functions.count;
	}
	return fail(err, HEFT_ENOTFOUND, HEFT_NO_OFFSET, "no function has this number");
}

bool heft_blocks_function(struct heft_blocks *b, size_t i, struct heft_block_function *ret,
			  struct heft_err *err)
{
	if (!STATED(heft_block_function, ret, err))
		return false;
	struct heft_block_function made;
	if (!GUARDED(b->memory, err, blocks_function_at(b, i, &made, err)))
		return false;
	give(ret, &made, sizeof made);
	return true;
}

bool heft_blocks_sum(const struct heft_blocks *b, struct heft_block_sums *ret, struct heft_err *err)
{
	if (!STATED(heft_block_sums, ret, err))
		return false;
	struct heft_block_sums sum = { 0 };
	for (size_t i = 0; i < b->part_count; i++) {
		struct block_sums s;
		blockmap_sum(&b->parts[i].map, &s);
		sum.code += s.code;
		sum.blocks += s.blocks;
		sum.landing_pads += s.landing_pads;
		sum.padding += s.padding;
		sum.unmapped += s.unmapped;
	}
	give(ret, &sum, sizeof sum);
	return true;
}

/* ---- looking up ------------------------------------------------------------------------------ */

static void blocks_handle_make_index(struct blocks_handle_part *p)
{
	if (!p->indexed)
		blockmap_index(&p->map, &p->index);
	p->indexed = true;
}

static bool blocks_handle_find_in(struct blocks_handle_part *p, uint64_t addr, uint32_t *ret)
{
	if (p->map.blocks.count == 0)
		return false;
	blocks_handle_make_index(p);
	*ret = bbindex_find(&p->index, addr);
	if (*ret == BBINDEX_NONE)
		return false;
	const struct bbmap_block *k = &p->map.blocks.data[*ret];
	return addr - (blockmap_range_of(&p->map, *ret)->addr + k->off) < k->size;
}

/* Returns the number of block `place` of the map within its function, *ret_function. */
static size_t place_in_function(const struct blockmap *map, uint64_t place, size_t *ret_function)
{
	const struct blockmap_range *r = blockmap_range_of(map, place);
	const struct blockmap_function *f = &map->functions.data[r->function];
	size_t at = place - r->first;
	for (const struct blockmap_range *i = &map->ranges.data[f->range_first]; i < r; i++)
		at += i->count;
	*ret_function = r->function;
	return at;
}

static bool blocks_find(struct heft_blocks *b, uint64_t addr,
			struct heft_block_function *ret_function, size_t *ret_block,
			struct heft_err *err)
{
	size_t first = 0;
	for (size_t k = 0; k < b->part_count; k++) {
		struct blocks_handle_part *p = &b->parts[k];
		uint32_t place;
		size_t function;
		if (!blocks_handle_find_in(p, addr, &place)) {
			first += p->map.functions.count;
			continue;
		}
		*ret_block = place_in_function(&p->map, place, &function);
		blocks_handle_fill(b, p, &p->map.functions.data[function], first + function,
				   ret_function);
		return true;
	}
	return fail(err, HEFT_ENOTFOUND, HEFT_NO_OFFSET, "no block has this address");
}

const char *blocks_name_at(struct heft_blocks *b, uint64_t addr)
{
	size_t first = 0;
	for (size_t k = 0; k < b->part_count; k++) {
		struct blocks_handle_part *p = &b->parts[k];
		const struct blockmap *map = &p->map;
		uint32_t place;
		size_t i;
		if (blocks_handle_find_in(p, addr, &place)) {
			place_in_function(map, place, &i);
			return map->functions.data[i].addr == addr
				       ? blocks_handle_shown_name(b, &map->functions.data[i],
								  first + i)
				       : NULL;
		}
		first += map->functions.count;
	}
	const struct symbol_place *s = symbol_table_find(program_symbols(&b->program), addr);
	return s && s->addr == addr ? demangled(b, s->name) : NULL;
}

bool heft_blocks_find(struct heft_blocks *b, uint64_t addr,
		      struct heft_block_function *ret_function, size_t *ret_block,
		      struct heft_err *err)
{
	if (!STATED(heft_block_function, ret_function, err))
		return false;
	struct heft_block_function made;
	if (!GUARDED(b->memory, err, blocks_find(b, addr, &made, ret_block, err)))
		return false;
	give(ret_function, &made, sizeof made);
	return true;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Adds the functions of a part that a text means, numbered over all parts. */
static void part_named(struct heft_blocks *b, size_t part, size_t first, struct str text)
{
	struct blocks_handle_part *p = &b->parts[part];
	const struct blockmap *map = &p->map;
	b->matches.count = 0;
	name_index_find(program_names(&b->program, part), text, &b->matches);
	for (size_t i = 0; i < b->matches.count; i++) {
		const struct name_match *m = &b->matches.data[i];
		size_t function = lower_bound(map->functions.data, map->functions.count,
					      sizeof *map->functions.data, m->addr);
		uint32_t place;
		if (function < map->functions.count &&
		    map->functions.data[function].addr == m->addr)
			vec_push(&b->named,
				 (struct named_function){ first + function, m->form, m->symbol });
		else if (blocks_handle_find_in(p, m->addr, &place)) {
			place_in_function(map, place, &function);
			vec_push(&b->named,
				 (struct named_function){ first + function, m->form, NULL });
		}
	}
}

static int named_compare(const void *a, const void *b)
{
	const struct named_function *x = a, *y = b;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->form < y->form ? -1 : x->form > y->form;
}

/* Lists each function once, surest form first. Returns how many have that form. */
static size_t named_settle(struct heft_blocks *b)
{
	const struct named_function *list = b->named.data;
	size_t surest = 0;
	qsort(b->named.data, b->named.count, sizeof *list, named_compare);
	for (enum name_form form = NAME_LINKER; form <= NAME_PART; form++) {
		for (size_t i = 0; i < b->named.count; i++)
			if (list[i].form == form &&
			    (i == 0 || list[i - 1].number != list[i].number))
				vec_push(&b->numbers, list[i].number);
		surest = surest > 0 ? surest : b->numbers.count;
	}
	return surest;
}

/* Sets *err: no function has this name. The message says if the name belongs to something else. */
static bool no_function(const struct heft_blocks *b, const char *name, struct heft_err *err)
{
	const struct name_match *m = b->matches.count > 0 ? b->matches.data : NULL;
	if (m && m->symbol && m->symbol->section)
		return fail(err, HEFT_ENOTFOUND, m->addr,
			    "%s: '%.200s' is in " STR_FMT " and has no basic blocks",
			    b->program.path, name, STR_ARG(section_title(m->symbol->section)));
	return fail(err, HEFT_ENOTFOUND, HEFT_NO_OFFSET,
		    "%s: no function with basic blocks is called '%.200s'", b->program.path, name);
}

/* Notes the functions that have the name in a less exact form. They follow after `count`. */
static void note_other_functions(struct heft_blocks *b, const char *name, size_t count)
{
	struct heft_block_function f;
	if (count == b->numbers.count || !blocks_function_at(b, b->numbers.data[count], &f, NULL))
		return;
	note(&b->context.notes, b->program.path, HEFT_NO_OFFSET, 0,
	     "'%.200s' is a name of 0x%" PRIx64 " %.200s too", name, f.addr, f.name);
}

/* Notes that identical functions are one function, which has one of their names. */
static void note_alias(struct heft_blocks *b, const char *name, const struct named_function *n)
{
	struct heft_block_function f;
	if (!n->symbol || !blocks_function_at(b, n->number, &f, NULL) ||
	    strcmp(demangled(b, n->symbol->name), f.name) == 0)
		return;
	note(&b->context.notes, b->program.path, HEFT_NO_OFFSET, 0,
	     "'%.200s' is another name of 0x%" PRIx64 " %.200s", name, f.addr, f.name);
}

static bool blocks_named(struct heft_blocks *b, const char *name, const size_t **ret,
			 size_t *ret_count, struct heft_err *err)
{
	size_t first = 0;
	b->named.count = b->numbers.count = 0;
	for (size_t i = 0; i < b->part_count; i++) {
		part_named(b, i, first, str_of(name));
		first += b->parts[i].map.functions.count;
	}
	if (b->named.count == 0)
		return no_function(b, name, err);
	*ret_count = named_settle(b);
	note_other_functions(b, name, *ret_count);
	note_alias(b, name, &b->named.data[0]);
	*ret = b->numbers.data;
	return true;
}

bool heft_blocks_named(struct heft_blocks *b, const char *name, const size_t **ret,
		       size_t *ret_count, struct heft_err *err)
{
	return GUARDED(b->memory, err, blocks_named(b, name, ret, ret_count, err));
}

/* ---- many addresses -------------------------------------------------------------------------- */

static void list_ends(struct blocks_handle_part *p)
{
	const struct blockmap *map = &p->map;
	p->ends = mem_zeroed(map->blocks.count, sizeof *p->ends);
	for (size_t i = 0; i < map->ranges.count; i++) {
		const struct blockmap_range *r = &map->ranges.data[i];
		for (uint64_t k = r->first; k < r->first + r->count; k++)
			p->ends[k] = add_sat(r->addr + map->blocks.data[k].off,
					     map->blocks.data[k].size);
	}
}

/* Fills the empty elements of `ret`. The part's blocks are numbered from `first`. */
static void find_more(struct blocks_handle_part *p, uint32_t first, const uint64_t *addrs,
		      size_t count, uint32_t *ret)
{
	enum { BATCH = 4096 };
	uint32_t found[BATCH];
	blocks_handle_make_index(p);
	if (!p->ends)
		list_ends(p);
	while (count > 0) {
		const size_t n = min_u64(count, BATCH);
		bbindex_find_batch(&p->index, addrs, n, found);
		for (size_t i = 0; i < n; i++)
			if (ret[i] == HEFT_NO_BLOCK && found[i] != BBINDEX_NONE &&
			    addrs[i] < p->ends[found[i]])
				ret[i] = first + found[i];
		addrs += n;
		ret += n;
		count -= n;
	}
}

static void blocks_find_batch(struct heft_blocks *b, const uint64_t *addrs, size_t count,
			      uint32_t *ret)
{
	uint64_t first = 0;
	for (size_t i = 0; i < count; i++)
		ret[i] = HEFT_NO_BLOCK;
	for (size_t k = 0; k < b->part_count; k++) {
		const uint64_t size = b->parts[k].map.blocks.count;
		if (first + size >= HEFT_NO_BLOCK)
			return;
		if (size > 0 && count > 0)
			find_more(&b->parts[k], (uint32_t)first, addrs, count, ret);
		first += size;
	}
}

bool heft_blocks_find_batch(struct heft_blocks *b, const uint64_t *addrs, size_t count,
			    uint32_t *ret, struct heft_err *err)
{
	return GUARDED(b->memory, err, (blocks_find_batch(b, addrs, count, ret), true));
}

bool heft_blocks_place(const struct heft_blocks *b, uint32_t number, size_t *ret_function,
		       size_t *ret_block)
{
	uint64_t left = number;
	size_t first = 0, function;
	for (size_t k = 0; k < b->part_count; k++) {
		const struct blockmap *map = &b->parts[k].map;
		if (left < map->blocks.count) {
			*ret_block = place_in_function(map, left, &function);
			*ret_function = first + function;
			return true;
		}
		left -= map->blocks.count;
		first += map->functions.count;
	}
	return false;
}

static bool block_function_write(const struct heft_block_function *f,
				 const struct heft_write_opts *opts, const struct heft_sink *sink,
				 struct heft_err *err)
{
	struct heft_block_function known = { 0 };
	struct heft_write_opts o = { 0 };
	struct sink s;
	if (!TAKE(heft_write_opts, &o, opts, err))
		return false;
	if (!TAKE(heft_block_function, &known, f, err))
		return false;
	sink_start(&s, sink);
	out_blocks(f ? &known : NULL, &o, &s);
	return sink_end(&s, err);
}

bool heft_block_function_write(const struct heft_block_function *f,
			       const struct heft_write_opts *opts, const struct heft_sink *sink,
			       struct heft_err *err)
{
	return GUARDED_BARE(err, block_function_write(f, opts, sink, err));
}

/* ---- functions for the rest of api/ ---------------------------------------------------------- */

struct memory *blocks_memory(const struct heft_blocks *b)
{
	return b->memory;
}

const struct blockmap *blocks_map(const struct heft_blocks *b)
{
	return b->parts && !b->program.input.archive ? &b->parts[0].map : NULL;
}

bool blocks_serve(const struct heft_blocks *b, enum file_use use, struct heft_err *err)
{
	const struct input *in = &b->program.input;
	if (!in->format)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "no program is open");
	return file_format_serves(in->format, use) ||
	       file_format_refuse(in->format, use, b->program.path, in->file.bytes.size, err);
}

const struct image *blocks_debug(const struct heft_blocks *b)
{
	return program_debug_in_use(&b->program);
}

struct notes *blocks_notes(struct heft_blocks *b)
{
	return &b->context.notes;
}

const char *blocks_name(struct heft_blocks *b, size_t i)
{
	return blocks_handle_shown_name(b, &b->parts[0].map.functions.data[i], i);
}

struct block_check *blocks_check(struct heft_blocks *b)
{
	return &b->check;
}

const struct block_check *blocks_checked(const struct heft_blocks *b)
{
	return &b->check;
}

const struct image *blocks_image(struct heft_blocks *b, size_t i, bool *ret_thumb)
{
	const struct blocks_handle_part *p = b->parts;
	for (; i >= p->map.functions.count; p++)
		i -= p->map.functions.count;
	const struct blockmap_function *f = &p->map.functions.data[i];
	const struct bbmap_entry *e = blockmap_detail_get(&b->detail, &p->map, f);
	*ret_thumb = image_arch(p->map.image)->two_sets &&
		     (f->thumb || (e && e->ranges.data[0].addr & 1));
	return p->map.image;
}
