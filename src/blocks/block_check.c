/* Checks a block map against symbols and unwind tables, and lists what is wrong. */
#include "blocks/block_check_internal.h"

#include "base/sort.h"
#include "code/flow.h"
#include "image/code_symbols.h"
#include "image/elf/elf_const.h"
#include "program/plt.h"

#include <stdarg.h>
#include <stdio.h>

struct block_check_rule {
	const char *id;
	bool wrong;
};

static const struct block_check_rule rules[CHECK_RULES] = {
	[CHECK_START] = { "BB01", true },     [CHECK_FLAGS] = { "BB02", true },
	[CHECK_OVERLAP] = { "BB03", true },   [CHECK_GAP] = { "BB04", true },
	[CHECK_TARGET] = { "BB05", true },    [CHECK_PLACE] = { "BB06", true },
	[CHECK_REPEATED] = { "BB07", false }, [CHECK_TOMBSTONE] = { "BB08", false },
	[CHECK_MISSING] = { "BB09", false },  [CHECK_VERSIONS] = { "BB10", false },
	[CHECK_SIZE] = { "BB11", true },      [CHECK_DAMAGE] = { "BB12", true },
	[CHECK_PAD] = { "BB13", true },
};

const char *check_id(enum check_rule rule)
{
	ASSERT((size_t)rule < CHECK_RULES);
	return rules[rule].id;
}

bool check_is_wrong(enum check_rule rule)
{
	return rules[rule].wrong;
}

void check_find(struct checker *c, enum check_rule rule, const struct blockmap_function *f,
		uint64_t addr, const char *fmt, ...)
{
	char text[200];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	const struct blockmap_function *first = c->b->functions.data;
	const bool of_map = f && f >= first && f < first + c->b->functions.count;
	vec_push(&c->out->findings,
		 (struct check_finding){ addr, rule, f ? f->name : NULL,
					 arena_copy(&c->out->arena, str_of(text)),
					 of_map ? (size_t)(f - first) : SIZE_MAX });
}

static void block_check_list_symbols(struct checker *c, const struct image *im, uint32_t type)
{
	struct code_symbols all;
	struct symbol s;
	uint64_t addr;
	code_symbols_start(&all, im, type);
	while (code_symbols_next(&all, &s, &addr)) {
		if (!region_at(&c->facts, addr))
			continue;
		if (symbol_is_function(&s))
			vec_push(&c->known, (struct known_function){ addr, s.size, s.name.p });
		else
			vec_push(&c->labels, addr);
	}
}

/* True if the address is in the old code that llvm-bolt keeps, with its old unwind table, beside
 * the new code. */
static bool is_left_behind(const struct image *im, uint64_t addr)
{
	const struct section *s = image_section_at(im, addr);
	return s && str_starts(s->name, STR(".bolt.org."));
}

static void block_check_gather(struct checker *c, const struct image *debug)
{
	const struct image *im = c->b->image;
	c->facts.im = im;
	c->facts.debug = debug;
	c->facts.isa = flow_isa_of(im);
	code_regions_list(im, &c->facts.regions);
	gather_data(&c->facts);
	block_check_list_symbols(c, im, SHT_SYMTAB);
	block_check_list_symbols(c, im, SHT_DYNSYM);
	block_check_list_symbols(c, debug, SHT_SYMTAB);
	gather_unwind(&c->facts);
	for (size_t i = 0; i < c->facts.claims.count; i++)
		if (!is_left_behind(im, c->facts.claims.data[i].addr))
			vec_push(&c->known,
				 (struct known_function){ c->facts.claims.data[i].addr,
							  c->facts.claims.data[i].size, NULL });
	c->stripped = !image_section_type(im, SHT_SYMTAB, 1) &&
		      !(debug && image_section_type(debug, SHT_SYMTAB, 1));
	vec_sort(&c->known);
	vec_sort(&c->labels);
	for (size_t i = 0; i < c->facts.sites.count; i++)
		if (c->facts.sites.data[i].pad != 0)
			vec_push(&c->pads, c->facts.sites.data[i].pad);
	vec_sort(&c->pads);
	blockmap_index(c->b, &c->index);
	for (size_t i = 0; i < c->b->blocks.count && !c->has_indirect; i++)
		c->has_indirect = c->b->blocks.data[i].flags & BBMAP_INDIRECT_JUMP;
}

uint64_t check_skip_padding(const struct checker *c, uint64_t from, uint64_t to)
{
	const struct code_region *r = from < to ? region_at(&c->facts, from) : NULL;
	while (r && from < to && to - r->addr <= r->bytes.size) {
		const uint64_t off = from - r->addr;
		const uint64_t data = min_u64(data_end(&c->facts, from), to) - from;
		const uint64_t pad = data > 0 ? data
					      : code_pad_size(c->facts.isa, r->bytes.p + off,
							      r->bytes.size - off);
		if (pad == 0)
			break;
		from += pad;
	}
	return from;
}

/* True if a function that nothing describes may start at addr. Linkers and assembly put functions
 * at the start of a section, at a label, or in a PLT. In a stripped file, any address outside known
 * functions is possible. `i`: index of the first known function after addr. */
static bool block_check_may_start(const struct checker *c, size_t i, uint64_t addr)
{
	const struct code_region *r = region_at(&c->facts, addr);
	const size_t label = lower_bound(c->labels.data, c->labels.count, sizeof(uint64_t), addr);
	if ((r && (r->stubs || r->addr == addr)) ||
	    (label < c->labels.count && c->labels.data[label] == addr))
		return true;
	const struct known_function *k = c->known.data;
	bool inside = false;
	for (size_t j = i; j > 0 && !inside && k[j - 1].addr == k[i - 1].addr; j--)
		inside = k[j - 1].size > addr - k[j - 1].addr;
	return c->stripped && !inside;
}

static void check_place(struct checker *c, const struct blockmap_function *f,
			const struct blockmap_range *r)
{
	const struct bbmap_block *last = &c->b->blocks.data[r->first + r->count - 1];
	const uint64_t end = r->addr + (r->count > 0 ? (uint64_t)last->off + last->size : 0);
	size_t i = vec_lower(&c->known, r->addr);
	uint64_t stated = 0;
	bool fits = false;
	if (i == c->known.count || c->known.data[i].addr != r->addr) {
		if (block_check_may_start(c, i, r->addr))
			return;
		check_find(c, CHECK_PLACE, f, r->addr, "%s",
			   is_left_behind(c->b->image, r->addr)
				   ? "llvm-bolt moved the function that was here"
				   : "no function starts here");
		return;
	}
	for (; i < c->known.count && c->known.data[i].addr == r->addr; i++) {
		const uint64_t size = c->known.data[i].size;
		fits = fits || (size > 0 && r->addr + size == end);
		stated = max_u64(stated, size);
	}
	/* An empty range of a function may lie at the start of another function. */
	if (fits || stated == 0 || end == r->addr ||
	    check_skip_padding(c, end, r->addr + stated) == r->addr + stated)
		return;
	check_find(c, CHECK_SIZE, f, r->addr,
		   "the blocks take 0x%" PRIx64 " bytes, the function 0x%" PRIx64, end - r->addr,
		   stated);
}

static void check_missing(struct checker *c)
{
	const struct blockmap *b = c->b;
	for (size_t i = 0; i < c->known.count; i++) {
		const struct known_function *k = &c->known.data[i];
		const char *name = k->name;
		const uint64_t addr = k->addr;
		uint64_t size = k->size;
		for (; i + 1 < c->known.count && c->known.data[i + 1].addr == addr; i++) {
			size = max_u64(size, c->known.data[i + 1].size);
			name = name ? name : c->known.data[i + 1].name;
		}
		/* Skips assembly, which has no map: stubs, .init and .fini. */
		const struct section *s = size > 0 ? image_section_at(b->image, addr) : NULL;
		if (!s || section_is_plt(s) || str_eq(s->name, STR(".init")) ||
		    str_eq(s->name, STR(".fini")))
			continue;
		const struct blockmap_function f = { .name = name };
		c->out->known++;
		const uint32_t place = b->blocks.count ? bbindex_find(&c->index, addr)
						       : BBINDEX_NONE;
		const struct blockmap_range *r = place != BBINDEX_NONE ? blockmap_range_of(b, place)
								       : NULL;
		if (r && (addr == r->addr ||
			  addr - r->addr - b->blocks.data[place].off < b->blocks.data[place].size))
			c->out->mapped++;
		else
			check_find(c, CHECK_MISSING, &f, addr, "has no entry in the map");
	}
}

static void check_dropped(struct checker *c)
{
	vec_each(const struct blockmap_dropped, d, &c->b->dropped) {
		switch (d->why) {
		case BLOCKS_TOMBSTONE:
			check_find(c, CHECK_TOMBSTONE, NULL, d->addr,
				   "the entry at 0x%" PRIx64 " of the map has no address",
				   d->entry);
			break;
		case BLOCKS_REPEATED:
			check_find(c, CHECK_REPEATED, NULL, d->addr,
				   "has another entry, at 0x%" PRIx64 " of the map", d->entry);
			break;
		case BLOCKS_DISPLACED:
			check_find(c, CHECK_PLACE, NULL, d->addr, "there is no code here");
			break;
		case BLOCKS_DAMAGED:
			check_find(c, CHECK_DAMAGE, NULL, d->addr,
				   "the map cannot be read at 0x%" PRIx64, d->entry);
			break;
		}
	}
}

static void check_versions(struct checker *c)
{
	const struct blockmap_function *first = c->b->functions.data;
	for (size_t i = 1; i < c->b->functions.count; i++) {
		const struct blockmap_function *f = &c->b->functions.data[i];
		if (f->version == first->version)
			continue;
		check_find(c, CHECK_VERSIONS, f, f->addr,
			   "has an entry of version %u, others are of version %u", f->version,
			   first->version);
		return;
	}
}

/* Reports overlapping blocks by address, once per range. */
static void check_overlaps(struct checker *c)
{
	const struct blockmap *b = c->b;
	uint64_t end = 0, last = 0;
	for (size_t i = 0; i < b->by_addr.count; i++) {
		const struct blockmap_range *r = &b->ranges.data[b->by_addr.data[i]];
		bool said = false;
		for (uint64_t k = r->first; k < r->first + r->count; k++) {
			const uint64_t start = r->addr + b->blocks.data[k].off;
			const uint64_t size = b->blocks.data[k].size;
			if (start < end && size > 0 && !said) {
				said = true;
				check_find(c, CHECK_OVERLAP, &b->functions.data[r->function], start,
					   "the block at 0x%" PRIx64 " reaches to 0x%" PRIx64, last,
					   end);
			}
			if (start + size >= end && size > 0) {
				end = start + size;
				last = start;
			}
		}
	}
}

COMPARISON(block_check_by_rule, struct check_finding, ORDER(a->rule, b->rule))

void blockmap_check(const struct blockmap *b, const struct image *debug, struct block_check *ret)
{
	struct checker c = { .b = b, .out = ret };
	memset(ret, 0, sizeof *ret);
	block_check_gather(&c, debug);
	for (size_t i = 0; i < b->ranges.count; i++) {
		const struct blockmap_range *r = &b->ranges.data[i];
		const struct blockmap_function *f = &b->functions.data[r->function];
		/* Skips ranges of repeated entries. They are in no function; their `function` is
		 * 0. */
		if (i - f->range_first >= f->range_count)
			continue;
		check_place(&c, f, r);
		if (c.facts.isa != CODE_NONE && r->count > 0)
			check_code(&c, f, r);
	}
	check_overlaps(&c);
	check_dropped(&c);
	check_versions(&c);
	check_missing(&c);
	vec_sort_then(&ret->findings, block_check_by_rule);
	ASSERT(ret->mapped <= ret->known && ret->decoded <= b->blocks.count);
	bbindex_release(&c.index);
	vec_release_all(&c.known, &c.labels, &c.pads);
	gathering_release(&c.facts);
}

void block_check_release(struct block_check *c)
{
	vec_release(&c->findings);
	arena_release(&c->arena);
}
