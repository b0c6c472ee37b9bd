/* Reads blocks from symbols, which LLVM until 11 wrote with -fbasic-block-sections=labels.
 *
 * Block n > 0 of a function has a local symbol without a type, named LETTERS.BB.FUNCTION with n
 * letters. The first letter is the kind of the block, and the others those of the blocks before it,
 * down to block 1. Block 0 has the symbol of the function, so it ends at the next block. */
#include "blocks/blockmap.h"

#include "base/sort.h"
#include "image/elf/elf_const.h"
#include "program/symbol_rule.h"

struct function_symbol {
	uint64_t addr, size;
	struct str name;
};

struct block_symbol {
	uint64_t addr, size;
	uint32_t id, flags;
	struct str function;
};

struct symbols {
	VEC(struct function_symbol) functions; /* Sorted by addr */
	VEC(struct block_symbol) blocks;       /* Sorted by addr */
	bool have_sizes;                       /* True if a block has a size */
	uint64_t strays;                       /* Number of blocks whose function was not found */
};

static uint32_t block_symbols_flags_of(char letter)
{
	switch (letter) {
	case 'r': return BBMAP_RETURN;
	case 't': return BBMAP_RETURN | BBMAP_TAIL_CALL;
	case 'l': return BBMAP_LANDING_PAD;
	case 'L': return BBMAP_LANDING_PAD | BBMAP_RETURN;
	default: return 0;
	}
}

static void block_symbols_collect(struct symbols *all, const struct symtab *t)
{
	for (size_t i = 1; i < t->count; i++) {
		const struct symbol s = symtab_get(t, i);
		struct block_symbol b = { .size = s.size };
		uint64_t addr;
		size_t id;
		if ((s.type != STT_NOTYPE && s.type != STT_FUNC) ||
		    !symbol_addr(t->image, &s, &addr))
			continue;
		b.addr = addr;
		if (s.type == STT_FUNC)
			vec_push(&all->functions, (struct function_symbol){ addr, s.size, s.name });
		else if (symbol_is_block(&s, &b.function, &id) && id <= UINT32_MAX) {
			b.id = (uint32_t)id;
			b.flags = block_symbols_flags_of(s.name.p[0]);
			vec_push(&all->blocks, b);
		}
		all->have_sizes |= b.function.len > 0 && s.size > 0;
	}
}

/* Finds the function that a block's symbol names. Tests only the nearest functions that start at or
 * before the block. NULL if none of them has the name. */
static const struct function_symbol *block_symbols_function_of(const struct symbols *all,
							       const struct block_symbol *b)
{
	/* Number of functions to test. Aliases and functions without a size may be nearer. */
	enum { TRIES = 64 };
	size_t lo;
	BISECT(lo, 0, all->functions.count, mid, all->functions.data[mid].addr <= b->addr);
	for (size_t i = lo; i > 0 && lo - i < TRIES; i--) {
		const struct function_symbol *f = &all->functions.data[i - 1];
		if (b->addr - f->addr <= UINT32_MAX && str_eq(f->name, b->function))
			return f;
	}
	return NULL;
}

static void block_symbols_begin_function(struct blockmap *b, const struct function_symbol *f,
					 const struct block_symbol *first)
{
	const struct blockmap_range range = { .addr = f->addr, .first = b->blocks.count };
	const struct blockmap_function function = { .addr = f->addr,
						    .name = f->name.p,
						    .range_first = (uint32_t)b->ranges.count,
						    .range_count = 1,
						    .origin = BLOCKS_OF_SYMBOLS };
	vec_push(&b->ranges, range);
	vec_push(&b->functions, function);
	if (first->addr > f->addr)
		vec_push(&b->blocks,
			 (struct bbmap_block){ .size = (uint32_t)(first->addr - f->addr) });
}

static void block_symbols_add(struct blockmap *b, struct symbols *all)
{
	const struct function_symbol *current = NULL;
	for (size_t i = 0; i < all->blocks.count; i++) {
		const struct block_symbol *s = &all->blocks.data[i];
		const struct function_symbol *f = block_symbols_function_of(all, s);
		if (!f || b->ranges.count >= UINT32_MAX || s->size > UINT32_MAX) {
			all->strays++;
			continue;
		}
		if (f != current)
			block_symbols_begin_function(b, f, s);
		current = f;
		vec_push(&b->blocks, (struct bbmap_block){ s->id, (uint32_t)(s->addr - f->addr),
							   (uint32_t)s->size, s->flags });
		ASSERT(b->ranges.count > 0);
		struct blockmap_range *r = &b->ranges.data[b->ranges.count - 1];
		r->stated = r->count = b->blocks.count - r->first;
	}
}

/* Sets the sizes of blocks, if none states one. A block ends at the next block or function, or at
 * the end of its section. */
static void measure_blocks(struct symbols *all, const struct image *im)
{
	size_t next = 0;
	for (size_t i = 0; i < all->blocks.count && !all->have_sizes; i++) {
		struct block_symbol *b = &all->blocks.data[i];
		const struct section *in = image_section_at(im, b->addr);
		uint64_t end = in ? in->addr + in->size : b->addr;
		while (next < all->functions.count && all->functions.data[next].addr <= b->addr)
			next++;
		if (next < all->functions.count)
			end = min_u64(end, all->functions.data[next].addr);
		if (i + 1 < all->blocks.count)
			end = min_u64(end, b[1].addr);
		b->size = end - b->addr;
	}
}

void block_symbols_read(struct blockmap *b, const struct image *im, struct notes *notes)
{
	const struct section *table = image_section_type(im, SHT_SYMTAB, 1);
	struct symbols all = { 0 };
	struct symtab t;
	if (!table || !symtab_open(&t, im, table))
		return;
	block_symbols_collect(&all, &t);
	if (all.blocks.count > 0) {
		vec_sort(&all.functions);
		vec_sort(&all.blocks);
		measure_blocks(&all, im);
		block_symbols_add(b, &all);
	}
	if (all.strays > 0)
		note(notes, im->path, HEFT_NO_OFFSET, 0,
		     "block symbols of functions that are not there (%" PRIu64 ") are left out",
		     all.strays);
	vec_release_all(&all.functions, &all.blocks);
}
