/* Finds blocks whose header was overwritten. The other half of the header may be intact, or the
 * allocator's chunk shows the block's size. */
#include "heap/damage_internal.h"

#include "heap/inline_stack.h"
#include "heap/memory.h"

enum { PAGE = 4096 };

/* How blocks of this process are laid out: bytes before and after the user's bytes, size of a
 * machine word, and flags */
struct shape {
	uint64_t front, tail;
	uint64_t word;
	uint8_t flags;
};

static struct shape shape_of(const struct finding *g)
{
	const struct heap_process *p = &g->r->process;
	struct shape s = { HEAP_HEADER_SIZE, 0, memory_word_size(g->d), (uint8_t)(p->flags & 15) };
	if ((s.flags & HEAP_WIDE) != 0)
		s.front = HEAP_WIDE_SIZE;
	if ((s.flags & HEAP_INLINE) != 0)
		s.front += heap_inline_size(p->depth, (unsigned)s.word);
	if ((s.flags & HEAP_CANARY) != 0)
		s.tail = HEAP_CANARY_SIZE;
	return s;
}

/* Bounds of the size that the user asked for, by the size of the chunk. The allocator rounds sizes
 * up. A remainder too small for a chunk stays in the block */
struct sizes {
	uint64_t least, most;
};

static bool sizes_of(const struct shape *s, uint64_t chunk, uint64_t slack, struct sizes *ret)
{
	const uint64_t added = s->front + s->tail + s->word;
	if (chunk < added)
		return false;
	ret->most = chunk - added;
	ret->least = chunk - added > slack ? chunk - added - slack : 0;
	return true;
}

struct lost {
	uint64_t addr; /* Approximate address of the first wrong byte */
	uint64_t p;    /* Address of the block */
	uint64_t size;
	uint32_t stack;
};

static bool lost_mark(const struct finding *g, const struct shape *s, uint64_t p, uint64_t link,
		      const struct sizes *of, struct lost *ret)
{
	uint64_t wide = 0, owner = 0;
	if ((s->flags & HEAP_WIDE) != 0 && !(memory_uint(g->d, p - HEAP_WIDE_SIZE, 8, &wide) &&
					     memory_uint(g->d, p - HEAP_WIDE_SIZE + 8, 8, &owner)))
		return false;
	for (uint64_t size = of->least; size <= of->most; size++) {
		const uint64_t mark = HEAP_MARK | (uint64_t)s->flags << HEAP_FLAG_SHIFT | size;
		if (heap_check(p, mark, (uint32_t)link, wide ^ owner) != link >> 32)
			continue;
		*ret = (struct lost){ p - 8, p, size, calls_by_id(g->c, (uint32_t)link) };
		return true;
	}
	return false;
}

/* Recovers a block in a chunk in use from the intact half of its header. False if the header is not
 * damaged, or if both halves are damaged. A header in which only one flag of the mark is wrong is
 * not damaged: the block is being freed or reused. */
static bool lost_header(const struct finding *g, const struct shape *s, uint64_t chunk,
			const struct sizes *of, struct lost *ret)
{
	const uint64_t p = chunk + 2 * s->word + s->front;
	uint64_t link, mark;
	if (p % HEAP_ALIGN != 0 || !memory_uint(g->d, p - 16, 8, &link) ||
	    !memory_uint(g->d, p - 8, 8, &mark))
		return false;
	const uint64_t size = mark & HEAP_SIZE_MASK;
	const bool marked = (mark & HEAP_MARK_MASK) == HEAP_MARK;
	const bool flags = (mark >> HEAP_FLAG_SHIFT & 15) == s->flags;
	const bool fits = size >= of->least && size <= of->most;
	/* If the mark is intact, the link was overwritten. The mark is damaged if it has no magic,
	 * or if its flags are a live block's but its size does not fit the chunk. */
	if (marked && flags && fits)
		*ret = (struct lost){ p - HEAP_HEADER_SIZE, p, size, 0 };
	else if ((marked && !flags) || !lost_mark(g, s, p, link, of, ret))
		return false;
	if ((s->flags & HEAP_INLINE) != 0) {
		/* Reads the inline stack at its usual place. It may be damaged too. */
		const struct heap_found f = { .addr = p,
					      .stack = (uint32_t)s->front,
					      .flags = s->flags };
		const uint32_t stack = inline_stack(g->d, g->c, &f);
		ret->stack = stack != CALLS_NONE ? stack : 0;
	}
	return true;
}

static void add_lost(const struct finding *g, const struct lost *lost, size_t before)
{
	struct damage *found = damage_add(g, DAMAGE_HEADER, lost->addr);
	found->block = before;
	found->was_addr = lost->p;
	found->was_size = lost->size;
	found->was_stack = lost->stack;
}

struct unrecorded {
	const struct finding *g;
	const struct shape *s;
};

static void headers_in(void *ctx, const struct heap_part *part, const struct heap_found *block)
{
	const struct unrecorded *u = ctx;
	const struct finding *g = u->g;
	const struct shape *s = u->s;
	(void)block;
	if (part->kind != HEAP_PART_UNRECORDED)
		return;
	uint64_t chunk = part->addr - s->word, left = part->size, v;
	while (left >= 4 * s->word && memory_word(g->d, chunk + s->word, &v)) {
		const uint64_t size = v & ~(uint64_t)7;
		struct sizes of;
		struct lost lost;
		if (size < 2 * s->word || size > left)
			return;
		if (sizes_of(s, size, 4 * s->word, &of) && lost_header(g, s, chunk, &of, &lost))
			add_lost(g, &lost, heap_block_at(g->b, part->addr));
		chunk += size;
		left -= size;
	}
}

/* Returns the size of the chunk whose own mapping begins at `at`. 0 if there is none. */
static uint64_t damage_headers_mapped_size(const struct finding *g, const struct shape *s,
					   uint64_t at, uint64_t end)
{
	enum { MAPPED = 2 };
	uint64_t front, v;
	if (!memory_word(g->d, at, &front) || front != 0 || !memory_word(g->d, at + s->word, &v) ||
	    (v & 7) != MAPPED)
		return 0;
	const uint64_t size = v - MAPPED;
	return size != 0 && size % PAGE == 0 && size <= end - at ? size : 0;
}

/* Returns the block that ends right before a mapping. SIZE_MAX if there is none. */
static size_t block_before(const struct finding *g, uint64_t at)
{
	const size_t i = heap_block_at(g->b, at);
	if (i == SIZE_MAX)
		return SIZE_MAX;
	const struct heap_found f = heap_live(g->b, i);
	const uint64_t end = heap_found_end(&f);
	if (f.addr > at)
		return SIZE_MAX;
	return end <= at && at - end < PAGE ? i : SIZE_MAX;
}

/* Tests at each page of a range without live blocks if a chunk with its own mapping begins
 * there. */
static void mapped_headers(const struct finding *g, const struct shape *s, uint64_t start,
			   uint64_t end)
{
	if (start >= end)
		return;
	for (uint64_t at = align_up(start, PAGE), size; at < end && end - at >= PAGE; at += size) {
		struct sizes of;
		struct lost lost;
		size = damage_headers_mapped_size(g, s, at, end);
		if (size != 0 && sizes_of(s, size, PAGE, &of) && lost_header(g, s, at, &of, &lost))
			add_lost(g, &lost, block_before(g, at));
		else
			size = PAGE;
	}
}

static uint64_t damage_headers_end_of(const struct finding *g, struct block_at at)
{
	struct heap_found f;
	heap_live_at(g->b, at, &f);
	return heap_found_end(&f);
}

/* Tests the ranges between live blocks of a region for chunks with their own mappings. Most
 * neighbouring headers are less than a page apart, so there is no page to test. */
static void headers_of_region(const struct finding *g, const struct shape *s,
			      const struct region *r)
{
	const struct block_map *m = &g->b->live;
	const uint64_t end = r->addr + r->bytes.size;
	const size_t first = heap_live_below(g->b, r->addr);
	struct heap_walk w = heap_walk_from(g->b, first > 0 ? first - 1 : 0);
	struct block_at last = { 0, 0 };
	bool any = first > 0 && heap_walk_next(&w);
	last = any ? w.at.at : last;
	for (; heap_walk_next(&w); last = w.at.at, any = true) {
		struct heap_found f;
		const uint64_t header = block_map_addr(m, w.at.at);
		if (header >= end)
			break;
		if (any && header - block_map_addr(m, last) < PAGE)
			continue;
		heap_walk_found(&w, &f);
		if (f.addr >= end)
			break;
		mapped_headers(g, s,
			       any ? max_u64(r->addr, damage_headers_end_of(g, last)) : r->addr,
			       heap_found_start(&f));
	}
	mapped_headers(g, s, any ? max_u64(r->addr, damage_headers_end_of(g, last)) : r->addr, end);
}

/* Finds overwritten headers. Does nothing if blocks are sampled: most chunks then have none. */
void damage_headers(const struct finding *g)
{
	const struct shape s = shape_of(g);
	if (!g->r->found || g->r->process.sample != 0)
		return;
	if (g->l->bytes[HEAP_PART_UNRECORDED] != 0)
		heap_loose_each(g->l, headers_in, &(struct unrecorded){ g, &s });
	for (size_t i = 0; i < g->d->region_count; i++)
		if (region_is_data(&g->d->regions[i]) && g->d->regions[i].file == 0)
			headers_of_region(g, &s, &g->d->regions[i]);
}
