/* Reads the block map of an image from its sections and sorts it by address. */
#include "blocks/blockmap.h"

#include "base/sort.h"
#include "unwind/unwind.h"
#include "image/arch.h"
#include "image/code_symbols.h"
#include "image/elf/elf_const.h"
#include "program/symbol_table.h"

/* Section type of LLVM 12 to 14. Later versions use SHT_LLVM_BB_ADDR_MAP. */
enum { SHT_LLVM_BB_ADDR_MAP_V0 = 0x6fff4c08 };

/* Facts about addresses in code, cached while heft reads the blocks of an image */
struct blockmap_places {
	const struct image *im, *debug;
	const struct section *last; /* Section of the address that was looked up last */
	bool listed, sure;          /* True if `starts` was filled, and if it is complete */
	VEC(uint64_t) starts;       /* Sorted starts of functions */
};

static bool blockmap_inside(const struct section *s, uint64_t addr)
{
	return s && addr >= s->addr && addr - s->addr < s->size;
}

static bool blockmap_is_code(void *ctx, uint64_t addr)
{
	struct blockmap_places *p = ctx;
	if (!blockmap_inside(p->last, addr))
		p->last = image_section_at(p->im, addr);
	return blockmap_inside(p->last, addr) && p->last->exec;
}

static void blockmap_list_symbols(struct blockmap_places *p, const struct image *im, uint32_t type)
{
	struct code_symbols all;
	struct symbol s;
	uint64_t addr;
	code_symbols_start(&all, im, type);
	while (code_symbols_next(&all, &s, &addr))
		vec_push(&p->starts, addr);
}

static bool list_unwind(struct blockmap_places *p)
{
	const struct section *s = image_section_find(p->im, ".eh_frame");
	struct unwind_iter it;
	struct unwind_entry e;
	if (!s || s->nobits)
		return false;
	const size_t before = p->starts.count;
	const struct unwind_section u = { .bytes = section_bytes(p->im, s),
					  .addr = s->addr,
					  .address_size = p->im->bits / 8,
					  .big_endian = p->im->big_endian,
					  .path = p->im->path };
	unwind_init(&it, &u);
	while (unwind_next(&it, &e))
		if (e.ok && !e.cie && !e.terminator)
			vec_push(&p->starts, e.func_addr);
	unwind_release(&it);
	return p->starts.count > before;
}

static void blockmap_list_starts(struct blockmap_places *p)
{
	const struct section *own = image_section_type(p->im, SHT_SYMTAB, 1);
	const struct section *other = p->debug ? image_section_type(p->debug, SHT_SYMTAB, 1) : NULL;
	p->listed = true;
	blockmap_list_symbols(p, p->im, SHT_SYMTAB);
	blockmap_list_symbols(p, p->im, SHT_DYNSYM);
	blockmap_list_symbols(p, p->debug, SHT_SYMTAB);
	const bool unwind = list_unwind(p);
	p->sure = own || other || unwind;
	vec_sort(&p->starts);
}

static bool is_start(void *ctx, uint64_t addr)
{
	struct blockmap_places *p = ctx;
	if (!p->listed)
		blockmap_list_starts(p);
	if (!p->sure)
		return blockmap_is_code(ctx, addr);
	size_t lo;
	BISECT(lo, 0, p->starts.count, mid, p->starts.data[mid] < addr);
	return lo < p->starts.count && p->starts.data[lo] == addr && blockmap_is_code(ctx, addr);
}

struct blockmap_reading {
	struct blockmap *b;
	const struct image *holder; /* Image or debug file whose map is read */
	struct blockmap_places places;
	struct notes *notes;
	uint64_t left;           /* Bytes that may still be read. Bounds the time if sections
				  * overlap */
	uint32_t *reloc_section; /* Objects, per section: index of its relocation section, or 0 */
};

bool section_is_block_map(const struct section *s)
{
	return s->type == SHT_LLVM_BB_ADDR_MAP || s->type == SHT_LLVM_BB_ADDR_MAP_V0 ||
	       str_eq(s->name, STR(".llvm_bb_addr_map")) || str_eq(s->name, STR(".bb_addr_map")) ||
	       str_eq(s->name, STR(".bb_info"));
}

enum bbmap_form block_map_form(const struct section *s, const struct bbmap_section *map)
{
	struct bbmap_section as = *map;
	struct bbmap_cursor c;
	if (s->type == SHT_LLVM_BB_ADDR_MAP)
		return BBMAP_VERSIONED;
	if (s->type == SHT_LLVM_BB_ADDR_MAP_V0 || str_eq(s->name, STR(".bb_addr_map")))
		return BBMAP_UNVERSIONED;
	if (str_eq(s->name, STR(".bb_info")))
		return BBMAP_SEED;
	as.form = BBMAP_VERSIONED;
	bbmap_open(&c, &as, false);
	const bool good = bbmap_read(&c, 0);
	bbmap_close(&c);
	return good ? BBMAP_VERSIONED : BBMAP_UNVERSIONED;
}

static void find_reloc_sections(struct blockmap_reading *r)
{
	const struct image *im = r->holder;
	r->reloc_section = mem_zeroed(im->section_count, sizeof *r->reloc_section);
	for (size_t i = 1; i < im->section_count; i++) {
		const struct section *s = &im->sections[i];
		if (section_is_reloc(s) && s->info < im->section_count && s->info != 0)
			r->reloc_section[s->info] = (uint32_t)i;
	}
}

/* Returns the address that relocation `r` writes into the map. 0 if its symbol is undefined. */
static uint64_t blockmap_target_of(const struct reloc_iter *it, const struct reloc *r,
				   const struct bbmap_section *map, uint64_t off)
{
	uint64_t addr;
	if (r->symbol >= it->symbols.count)
		return 0;
	const struct symbol s = symtab_get(&it->symbols, r->symbol);
	if (!symbol_addr(it->image, &s, &addr))
		return 0;
	if (r->has_addend)
		return addr + (uint64_t)r->addend;
	/* A relocation without an addend (REL): the field itself holds the addend. */
	struct reader field = reader_at(map->bytes, map->big_endian, off);
	const uint64_t v = read_uint(&field, map->addr_size);
	return addr + (map->addr_size == 4 ? (uint64_t)(int64_t)(int32_t)(uint32_t)v : v);
}

static void read_fixes(struct blockmap_reading *r, const struct section *s,
		       struct blockmap_section *ret)
{
	const struct image *im = r->holder;
	const uint32_t index = r->reloc_section[s->index];
	VEC(struct bbmap_fix) fixes = { 0 };
	struct reloc_iter it;
	struct reloc reloc;
	ASSERT(s->index < im->section_count);
	ret->map.relocated = true;
	if (index == 0 || im->sections[index].file_size > r->left ||
	    !reloc_open(&it, im, &im->sections[index]))
		return;
	r->left -= im->sections[index].file_size;
	while (reloc_next(&it, &reloc)) {
		const struct reloc_field field = reloc_field(im, reloc.type);
		const uint64_t off = reloc.addr - (reloc.alloc ? s->addr : 0);
		if (field.op != RELOC_OP_SET || field.width != ret->map.addr_size)
			continue;
		vec_push(&fixes, (struct bbmap_fix){
					 off, blockmap_target_of(&it, &reloc, &ret->map, off) });
	}
	vec_sort(&fixes);
	ret->fixes = fixes.data;
	ret->map.fixes = fixes.data;
	ret->map.fix_count = fixes.count;
}

static bool open_section(struct blockmap_reading *r, const struct section *s,
			 struct blockmap_section *ret)
{
	const struct image *im = r->holder;
	struct bytes bytes;
	*ret = (struct blockmap_section){ .section = s };
	if (s->file_size > r->left) {
		note(r->notes, im->path, add_sat(im->file_off, s->off), s->file_size,
		     "sections of basic-block maps overlap; section %" PRIu32 " is left out",
		     s->index);
		return false;
	}
	r->left -= s->file_size;
	if (!section_unpack(im, s, &bytes, &ret->owned))
		return false;
	ret->map = (struct bbmap_section){ .bytes = bytes,
					   .addr_size = im->bits / 8,
					   .big_endian = im->big_endian,
					   .is_code = blockmap_is_code,
					   .is_start = is_start,
					   .ctx = &r->places };
	ret->map.form = block_map_form(s, &ret->map);
	if (im->kind == IMAGE_OBJECT)
		read_fixes(r, s, ret);
	return true;
}

static void blocks_blockmap_drop(struct blockmap *b, uint64_t addr, uint64_t entry,
				 enum blockmap_drop why)
{
	vec_push(&b->dropped, (struct blockmap_dropped){ addr, entry, why });
}

static void blockmap_add_range(struct blockmap_reading *r, const struct bbmap_entry *e,
			       uint32_t number)
{
	struct blockmap *b = r->b;
	const struct bbmap_range *from = &e->ranges.data[number];
	struct blockmap_range range = { .addr = image_code_addr(r->holder, from->addr),
					.stated = from->stated,
					.first = b->blocks.count,
					.count = from->count,
					.number = number };
	if (!blockmap_is_code(&r->places, range.addr)) {
		blocks_blockmap_drop(b, range.addr, e->off,
				     range.addr == 0 ? BLOCKS_TOMBSTONE : BLOCKS_DISPLACED);
		return;
	}
	vec_reserve(&b->blocks, from->count);
	if (from->count > 0)
		memcpy(b->blocks.data + b->blocks.count, e->blocks.data + from->first,
		       from->count * sizeof *b->blocks.data);
	b->blocks.count += from->count;
	vec_push(&b->ranges, range);
}

static void blockmap_add_entry(struct blockmap_reading *r, const struct bbmap_entry *e,
			       uint32_t section)
{
	struct blockmap *b = r->b;
	struct blockmap_function f = { .entry = e->off,
				       .range_first = (uint32_t)b->ranges.count,
				       .section = section,
				       .features = e->features,
				       .version = e->version,
				       .origin = BLOCKS_OF_MAP };
	for (uint32_t i = 0; i < e->ranges.count && b->ranges.count < UINT32_MAX; i++)
		blockmap_add_range(r, e, i);
	ASSERT(e->ranges.count > 0);
	f.range_count = (uint32_t)b->ranges.count - f.range_first;
	if (f.range_count == 0) {
		const uint64_t addr = e->ranges.data[0].addr;
		b->tombstones += addr == 0;
		b->displaced += addr != 0;
		return;
	}
	f.addr = b->ranges.data[f.range_first].addr;
	vec_push(&b->functions, f);
}

static void blockmap_note_damage(const struct blockmap_reading *r, const struct section *s,
				 const struct bbmap_cursor *c)
{
	const struct image *im = r->holder;
	blocks_blockmap_drop(r->b, 0, c->skip_off, BLOCKS_DAMAGED);
	const uint64_t off = s->compressed ? add_sat(im->file_off, s->off)
					   : add_sat(add_sat(im->file_off, s->off), c->fault_off);
	note(r->notes, im->path, off, c->skip_size,
	     STR_FMT "%sdamaged entries of basic-block maps are left out; the first, at 0x%" PRIx64
		     " of " STR_FMT ": %s",
	     STR_ARG(im->member), im->member.len ? ": " : "", c->skip_off, STR_ARG(s->name),
	     bbmap_fault_text(c->fault));
}

static void blockmap_read_section(struct blockmap_reading *r, const struct section *s)
{
	struct blockmap_section opened;
	struct bbmap_cursor c;
	enum bbmap_step step;
	if (!open_section(r, s, &opened))
		return;
	bbmap_open(&c, &opened.map, false);
	while ((step = bbmap_next(&c)) != BBMAP_END) {
		if (step == BBMAP_DAMAGE)
			blockmap_note_damage(r, s, &c);
		else if (r->b->functions.count < UINT32_MAX)
			blockmap_add_entry(r, &c.entry, (uint32_t)r->b->sections.count);
	}
	bbmap_close(&c);
	opened.map.ctx = NULL;
	opened.map.is_code = opened.map.is_start = NULL;
	vec_push(&r->b->sections, opened);
}

static bool has_maps(const struct image *im)
{
	for (size_t i = 1; im && i < im->section_count; i++)
		if (section_is_block_map(&im->sections[i]) && im->sections[i].file_size > 0)
			return true;
	return false;
}

static void order_functions(struct blockmap *b)
{
	uint32_t kept = 0;
	vec_sort(&b->functions);
	for (size_t i = 0; i < b->functions.count; i++) {
		const struct blockmap_function f = b->functions.data[i];
		if (kept > 0 && b->functions.data[kept - 1].addr == f.addr) {
			b->repeated++;
			blocks_blockmap_drop(b, f.addr, f.entry, BLOCKS_REPEATED);
			continue;
		}
		for (uint32_t k = 0; k < f.range_count; k++)
			b->ranges.data[f.range_first + k].function = kept;
		b->functions.data[kept++] = f;
	}
	b->functions.count = kept;
}

static void order_ranges(struct blockmap *b)
{
	struct by_addr {
		uint64_t addr, index;
	};
	VEC(struct by_addr) list = { 0 };
	vec_each(const struct blockmap_function, f, &b->functions) {
		for (uint32_t k = f->range_first; k < f->range_first + f->range_count; k++)
			vec_push(&list, (struct by_addr){ b->ranges.data[k].addr, k });
	}
	vec_sort(&list);
	vec_reserve(&b->by_addr, list.count);
	for (size_t i = 0; i < list.count; i++)
		vec_push(&b->by_addr, (uint32_t)list.data[i].index);
	vec_release(&list);
}

/* Sorts blocks in the order of their ranges. Most maps have them in that order. */
static void order_blocks(struct blockmap *b)
{
	uint64_t count = 0;
	bool sorted = true;
	for (size_t i = 0; i < b->by_addr.count; i++) {
		const struct blockmap_range *r = &b->ranges.data[b->by_addr.data[i]];
		sorted = sorted && r->first == count;
		count += r->count;
	}
	if (sorted) {
		b->blocks.count = count;
		return;
	}
	struct bbmap_block *old = b->blocks.data;
	memset(&b->blocks, 0, sizeof b->blocks);
	vec_reserve(&b->blocks, count);
	for (size_t i = 0; i < b->by_addr.count; i++) {
		struct blockmap_range *r = &b->ranges.data[b->by_addr.data[i]];
		if (r->count > 0)
			memcpy(b->blocks.data + b->blocks.count, old + r->first,
			       r->count * sizeof *old);
		r->first = b->blocks.count;
		b->blocks.count += r->count;
	}
	mem_free(old);
}

void blockmap_read(struct blockmap *b, const struct image *im, const struct image *debug,
		   struct notes *notes)
{
	memset(b, 0, sizeof *b);
	b->image = im;
	struct blockmap_reading r = { .b = b,
				      .holder = !has_maps(im) && has_maps(debug) ? debug : im,
				      .places = { .im = im, .debug = debug },
				      .notes = notes };
	r.left = r.holder->bytes.size;
	if (r.holder->kind == IMAGE_OBJECT)
		find_reloc_sections(&r);
	for (size_t i = 1; i < r.holder->section_count; i++)
		if (section_is_block_map(&r.holder->sections[i]) &&
		    r.holder->sections[i].file_size > 0)
			blockmap_read_section(&r, &r.holder->sections[i]);
	if (b->sections.count == 0)
		block_symbols_read(b, image_section_type(im, SHT_SYMTAB, 1) || !debug ? im : debug,
				   notes);
	if (b->sections.count > 0 && image_section_find(im, ".note.bolt_info"))
		note(notes, im->path, HEFT_NO_OFFSET, 0,
		     "llvm-bolt moved code and copied the basic-block map of its input, which may "
		     "not fit; --derive takes blocks from the code");
	if (b->displaced > 0)
		note(notes, im->path, HEFT_NO_OFFSET, 0,
		     "functions of the basic-block map without code at their addresses (%" PRIu64
		     ") are left out",
		     b->displaced);
	order_functions(b);
	order_ranges(b);
	order_blocks(b);
	if (HEFT_CHECKS)
		blockmap_verify(b);
	vec_release(&r.places.starts);
	mem_free(r.reloc_section);
}

void blockmap_verify(const struct blockmap *b)
{
	uint64_t first = 0, addr = 0;
	size_t ranges = 0;
	for (size_t i = 0; i < b->functions.count; i++) {
		const struct blockmap_function *f = &b->functions.data[i];
		ASSERT(i == 0 || f->addr > b->functions.data[i - 1].addr);
		ASSERT(f->range_count > 0 && f->range_first < b->ranges.count);
		ASSERT(f->range_count <= b->ranges.count - f->range_first);
		ASSERT(f->origin != BLOCKS_OF_MAP || f->section < b->sections.count);
		for (uint32_t k = 0; k < f->range_count; k++)
			ASSERT(b->ranges.data[f->range_first + k].function == i);
		ranges += f->range_count;
	}
	ASSERT(ranges == b->by_addr.count);
	for (size_t i = 0; i < b->by_addr.count; i++) {
		ASSERT(b->by_addr.data[i] < b->ranges.count);
		const struct blockmap_range *r = &b->ranges.data[b->by_addr.data[i]];
		ASSERT(r->addr >= addr && r->first == first);
		addr = r->addr;
		first += r->count;
	}
	ASSERT(first == b->blocks.count);
}

void blockmap_release(struct blockmap *b)
{
	for (size_t i = 0; i < b->sections.count; i++) {
		mem_free_all(b->sections.data[i].owned, b->sections.data[i].fixes);
	}
	vec_release_all(&b->sections, &b->functions, &b->ranges, &b->blocks, &b->by_addr,
			&b->dropped);
	arena_release(&b->texts);
}

void blockmap_name(struct blockmap *b, const struct image *debug)
{
	struct symbol_table t = { 0 };
	symbol_table_read(&t, b->image, debug);
	vec_each(struct blockmap_function, f, &b->functions) {
		const struct symbol_place *s = symbol_table_find(&t, f->addr);
		if (s && s->addr == f->addr && !f->name)
			f->name = s->name;
	}
	arena_adopt(&b->texts, &t.texts);
	symbol_table_release(&t);
}

void blockmap_index(const struct blockmap *b, struct bbindex *ret)
{
	struct bbindex_run *runs = mem_zeroed(b->by_addr.count, sizeof *runs);
	for (size_t i = 0; i < b->by_addr.count; i++) {
		const struct blockmap_range *r = &b->ranges.data[b->by_addr.data[i]];
		runs[i] = (struct bbindex_run){ r->addr, r->first, r->count };
	}
	bbindex_build(ret, runs, b->by_addr.count, b->blocks.data);
	mem_free(runs);
}

const struct blockmap_range *blockmap_range_of(const struct blockmap *b, uint64_t i)
{
	size_t lo = 0, hi = b->by_addr.count;
	ASSERT(i < b->blocks.count);
	while (hi - lo > 1) {
		const size_t mid = lo + (hi - lo) / 2;
		if (b->ranges.data[b->by_addr.data[mid]].first <= i)
			lo = mid;
		else
			hi = mid;
	}
	return &b->ranges.data[b->by_addr.data[lo]];
}

const struct bbmap_entry *blockmap_detail_get(struct blockmap_detail *d, const struct blockmap *b,
					      const struct blockmap_function *f)
{
	if (f->origin != BLOCKS_OF_MAP)
		return NULL;
	ASSERT(f->section < b->sections.count);
	const struct bbmap_section *map = &b->sections.data[f->section].map;
	if (d->cursor.section != map) {
		bbmap_close(&d->cursor);
		bbmap_open(&d->cursor, map, true);
	}
	return bbmap_read(&d->cursor, f->entry) ? &d->cursor.entry : NULL;
}

void blockmap_detail_release(struct blockmap_detail *d)
{
	bbmap_close(&d->cursor);
}
