/* Opens the basic blocks of a file, and finds them by number, address and name. */
#include "blocks/block_set.h"

#include "base/sort.h"
#include "blocks/derive_map.h"
#include "code/flow.h"
#include "image/arch.h"

#include <stdio.h>
#include <stdlib.h>

static void part_read_map(struct heft_blocks *b, struct blockmap *map, const struct image *im)
{
	const struct image *debug = program_debug_in_use(&b->program);
	if (b->derive != HEFT_DERIVE_ALWAYS) {
		blockmap_read(map, im, debug, &b->context.notes);
		if (map->functions.count > 0 || b->derive == HEFT_DERIVE_NEVER)
			return;
		blockmap_release(map);
	}
	static const enum blocks_convention conventions[] = { [HEFT_CONVENTION_AUTO] = BLOCKS_AUTO,
							      [HEFT_CONVENTION_LLVM] = BLOCKS_LLVM,
							      [HEFT_CONVENTION_GCC] = BLOCKS_GCC,
							      [HEFT_CONVENTION_PURE] =
								      BLOCKS_PURE };
	const bool derivable = flow_isa_of(im) != CODE_NONE;
	blockmap_derive(map, im, debug, conventions[b->convention], 0, &b->context.notes);
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

bool blocks_open(struct heft_blocks *b, const char *path, struct heft_err *err)
{
	const char *copy = arena_copy(&b->arena, str_of(path));
	if (b->opened)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "a handle opens one file");
	b->opened = true;
	context_take(&b->context);
	if (!program_open_alone(&b->program, copy, USE_BLOCKS, &b->context.wish, &b->context.notes,
				err))
		return false;
	/* The separate debug file may have the names of functions, or the block map. */
	(void)program_debug(&b->program, false);
	const struct image *images = b->program.input.images;
	b->part_count = b->program.input.image_count;
	b->parts = mem_zeroed(b->part_count, sizeof *b->parts);
	for (size_t i = 0; i < b->part_count; i++) {
		struct block_part *p = &b->parts[i];
		p->first_function = b->function_count;
		p->first_block = b->block_count;
		part_read_map(b, &p->map, &images[i]);
		if (p->map.functions.count > 0)
			blockmap_name(&p->map, program_debug_in_use(&b->program));
		p->member = arena_copy(&b->arena, images[i].member);
		b->function_count += p->map.functions.count;
		b->block_count += p->map.blocks.count;
	}
	b->names = mem_zeroed(b->function_count, sizeof *b->names);
	return true;
}

bool blocks_serve(const struct heft_blocks *b, enum file_use use, const struct blockmap **ret,
		  struct heft_err *err)
{
	const struct input *in = &b->program.input;
	if (!in->format)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "no program is open");
	*ret = b->parts && !in->archive ? &b->parts[0].map : NULL;
	return file_format_serves(in->format, use) ||
	       file_format_refuse(in->format, use, b->program.path, in->file.bytes.size, err);
}

/* Returns the part that contains function `i`, which must exist. Sets *ret to the function. */
static struct block_part *part_of_function(const struct heft_blocks *b, size_t i,
					   const struct blockmap_function **ret)
{
	struct block_part *p = b->parts;
	ASSERT(i < b->function_count);
	while (i - p->first_function >= p->map.functions.count)
		p++;
	*ret = &p->map.functions.data[i - p->first_function];
	return p;
}

static const char *demangled(struct heft_blocks *b, const char *name)
{
	const struct str raw = str_of(name),
			 text = demangle(&b->demangler, raw,
					 context_style(&b->context, HEFT_NAMES_FULL));
	return str_eq(raw, text) ? name : arena_copy(&b->arena, text);
}

const char *blocks_name(struct heft_blocks *b, size_t i)
{
	const struct blockmap_function *f;
	part_of_function(b, i, &f);
	if (!b->names[i])
		b->names[i] = f->name ? demangled(b, f->name)
				      : arena_format(&b->arena, "sub_%" PRIx64, f->addr);
	return b->names[i];
}

const struct image *blocks_image(struct heft_blocks *b, size_t i, bool *ret_thumb)
{
	const struct blockmap_function *f;
	const struct block_part *p = part_of_function(b, i, &f);
	const struct bbmap_entry *e = blockmap_detail_get(&b->detail, &p->map, f);
	*ret_thumb = image_arch(p->map.image)->two_sets &&
		     (f->thumb || (e && e->ranges.data[0].addr & 1));
	return p->map.image;
}

static const char *section_keep(struct heft_blocks *b, const struct section *s)
{
	struct str name = section_title(s);
	char number[16];
	if (name.len == 0) {
		snprintf(number, sizeof number, "#%" PRIu32, s->index);
		name = str_of(number);
	}
	return intern_get(&b->sections, intern_add(&b->sections, name)).p;
}

static void add_blocks(struct heft_blocks *b, const struct block_part *p,
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

/* Copies the details in map entry `e` to the blocks of range `r`, which begin at b->blocks[at].
 * Calls and successors point into b->calls and b->successors: see copy_lists(). */
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

struct heft_block_function blocks_function(struct heft_blocks *b, size_t i)
{
	static const char *const origins[] = { [BLOCKS_OF_MAP] = "map",
					       [BLOCKS_OF_SYMBOLS] = "symbols",
					       [BLOCKS_DERIVED] = "derived" };
	const struct blockmap_function *f;
	const struct block_part *p = part_of_function(b, i, &f);
	const struct section *in = image_section_at(p->map.image, f->addr);
	const struct bbmap_entry *e = blockmap_detail_get(&b->detail, &p->map, f);
	struct heft_block_function ret = {
		.size = sizeof ret,
		.addr = f->addr,
		.name = blocks_name(b, i),
		.linkage = f->name ? f->name : "",
		.member = p->member,
		.origin = origins[f->origin],
		.section = in ? section_keep(b, in) : "",
		.section_offset = in ? f->addr - in->addr : 0,
		.version = f->version,
		.omitted = f->features & BBMAP_NO_BLOCKS,
		.has_entry_count = f->features & BBMAP_ENTRY_COUNT,
		.entry_count = e ? e->entry_count : 0,
		.range_count = f->range_count,
	};
	b->blocks.count = 0;
	if (e)
		copy_lists(b, e);
	for (uint32_t k = 0; k < f->range_count; k++) {
		const struct blockmap_range *r = &p->map.ranges.data[f->range_first + k];
		const size_t at = b->blocks.count;
		add_blocks(b, p, r);
		if (e)
			add_details(b, e, r, at);
	}
	b->list.count = 0;
	for (size_t k = 0; k < b->blocks.count; k++)
		vec_push(&b->list, &b->blocks.data[k]);
	ret.blocks = b->list.data;
	ret.block_count = b->list.count;
	return ret;
}

static void part_index(struct block_part *p)
{
	if (!p->indexed)
		blockmap_index(&p->map, &p->index);
	p->indexed = true;
}

static bool part_find(struct block_part *p, uint64_t addr, uint32_t *ret)
{
	if (p->map.blocks.count == 0)
		return false;
	part_index(p);
	*ret = bbindex_find(&p->index, addr);
	if (*ret == BBINDEX_NONE)
		return false;
	const struct bbmap_block *k = &p->map.blocks.data[*ret];
	return addr - (blockmap_range_of(&p->map, *ret)->addr + k->off) < k->size;
}

/* Sets *ret_function to the number of the function that contains `block` of part `p`. Returns the
 * index of the block in that function. */
static size_t part_place(const struct block_part *p, uint64_t block, size_t *ret_function)
{
	const struct blockmap_range *r = blockmap_range_of(&p->map, block);
	const struct blockmap_function *f = &p->map.functions.data[r->function];
	size_t at = block - r->first;
	for (const struct blockmap_range *i = &p->map.ranges.data[f->range_first]; i < r; i++)
		at += i->count;
	*ret_function = p->first_function + r->function;
	return at;
}

bool blocks_find(struct heft_blocks *b, uint64_t addr, size_t *ret_function, size_t *ret_block)
{
	uint32_t block;
	for (size_t k = 0; k < b->part_count; k++)
		if (part_find(&b->parts[k], addr, &block)) {
			*ret_block = part_place(&b->parts[k], block, ret_function);
			return true;
		}
	return false;
}

const char *blocks_name_at(struct heft_blocks *b, uint64_t addr)
{
	const struct blockmap_function *f;
	size_t function, block;
	if (blocks_find(b, addr, &function, &block)) {
		part_of_function(b, function, &f);
		return f->addr == addr ? blocks_name(b, function) : NULL;
	}
	const struct symbol_place *s = symbol_table_find(program_symbols(&b->program), addr);
	return s && s->addr == addr ? demangled(b, s->name) : NULL;
}

bool blocks_place(const struct heft_blocks *b, uint32_t number, size_t *ret_function,
		  size_t *ret_block)
{
	const struct block_part *p = b->parts;
	if (number >= b->block_count)
		return false;
	while (number - p->first_block >= p->map.blocks.count)
		p++;
	*ret_block = part_place(p, number - p->first_block, ret_function);
	return true;
}

static void part_named(struct heft_blocks *b, size_t part, struct str text)
{
	struct block_part *p = &b->parts[part];
	const struct blockmap *map = &p->map;
	b->matches.count = 0;
	name_index_find(program_names(&b->program, part), text, &b->matches);
	vec_each(const struct name_match, m, &b->matches) {
		size_t function = vec_lower(&map->functions, m->addr);
		const bool begins = function < map->functions.count &&
				    map->functions.data[function].addr == m->addr;
		uint32_t block;
		if (begins)
			function += p->first_function;
		else if (part_find(p, m->addr, &block))
			part_place(p, block, &function);
		else
			continue;
		vec_push(&b->named,
			 (struct named_function){ function, m->form, begins ? m->symbol : NULL });
	}
}

COMPARISON(named_compare, struct named_function, ORDER(a->number, b->number),
	   ORDER(a->form, b->form))

/* Sorts the functions that matched a name, the best matches first, each once. Returns how many have
 * the most exact match. */
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

/* Fails because no function has this name. If another symbol with a section has it, such as a
 * variable, the message states the section. */
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

/* Adds a note that names the first less exact match: the function at `count` in b->numbers. */
static void note_other_functions(struct heft_blocks *b, const char *name, size_t count)
{
	const struct blockmap_function *f;
	if (count == b->numbers.count)
		return;
	part_of_function(b, b->numbers.data[count], &f);
	note(&b->context.notes, b->program.path, HEFT_NO_OFFSET, 0,
	     "'%.200s' is a name of 0x%" PRIx64 " %.200s too", name, f->addr,
	     blocks_name(b, b->numbers.data[count]));
}

/* Adds a note if the function is shown by another name: the linker merged equal functions. */
static void note_alias(struct heft_blocks *b, const char *name, const struct named_function *n)
{
	const struct blockmap_function *f;
	const char *shown = blocks_name(b, n->number);
	if (!n->symbol || strcmp(demangled(b, n->symbol->name), shown) == 0)
		return;
	part_of_function(b, n->number, &f);
	note(&b->context.notes, b->program.path, HEFT_NO_OFFSET, 0,
	     "'%.200s' is another name of 0x%" PRIx64 " %.200s", name, f->addr, shown);
}

bool blocks_named(struct heft_blocks *b, const char *name, const size_t **ret, size_t *ret_count,
		  struct heft_err *err)
{
	b->named.count = b->numbers.count = 0;
	for (size_t i = 0; i < b->part_count; i++)
		part_named(b, i, str_of(name));
	if (b->named.count == 0)
		return no_function(b, name, err);
	*ret_count = named_settle(b);
	note_other_functions(b, name, *ret_count);
	note_alias(b, name, &b->named.data[0]);
	*ret = b->numbers.data;
	return true;
}

static void list_ends(struct block_part *p)
{
	const struct blockmap *map = &p->map;
	p->ends = mem_zeroed(map->blocks.count, sizeof *p->ends);
	vec_each(const struct blockmap_range, r, &map->ranges) {
		for (uint64_t k = r->first; k < r->first + r->count; k++)
			p->ends[k] = add_sat(r->addr + map->blocks.data[k].off,
					     map->blocks.data[k].size);
	}
}

/* Sets ret[i] to the number of the block at addrs[i], if it is in part `p` and not set yet. */
static void find_more(struct block_part *p, const uint64_t *addrs, size_t count, uint32_t *ret)
{
	enum { BATCH = 4096 };
	uint32_t found[BATCH];
	part_index(p);
	if (!p->ends)
		list_ends(p);
	while (count > 0) {
		const size_t n = min_u64(count, BATCH);
		bbindex_find_batch(&p->index, addrs, n, found);
		for (size_t i = 0; i < n; i++)
			if (ret[i] == HEFT_NO_BLOCK && found[i] != BBINDEX_NONE &&
			    addrs[i] < p->ends[found[i]])
				ret[i] = (uint32_t)p->first_block + found[i];
		addrs += n;
		ret += n;
		count -= n;
	}
}

void blocks_find_batch(struct heft_blocks *b, const uint64_t *addrs, size_t count, uint32_t *ret)
{
	for (size_t i = 0; i < count; i++)
		ret[i] = HEFT_NO_BLOCK;
	for (size_t k = 0; count > 0 && k < b->part_count; k++) {
		struct block_part *p = &b->parts[k];
		if (p->first_block + p->map.blocks.count >= HEFT_NO_BLOCK)
			return;
		if (p->map.blocks.count > 0)
			find_more(p, addrs, count, ret);
	}
}
