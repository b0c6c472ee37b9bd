/* Divides the heap into parts by use. The allocator's chunks (glibc.h) show how memory between
 * blocks is used. */
#include "heap/heap_layout.h"

#include "base/sort.h"
#include "heap/glibc.h"
#include "heap/memory.h"

/* The allocator's chunk that contains a live block */
struct chunk {
	uint64_t start, end;
	uint64_t next; /* Start of the next chunk. 0 if there is none, or if unknown. */
	bool known;    /* False if only the range of the block is known */
};

struct own {
	uint64_t addr, end;
};

struct laying {
	const struct dump *d;
	const struct blocks_found *b;
	struct heap_layout *l;
	heap_part_fn *fn; /* Receives the parts, or NULL */
	void *ctx;
	struct heap_part part; /* Part that may still grow. Size 0 without one */
	struct chunk_view v;
	uint64_t word;
	struct heap_span span; /* Memory that is being divided */
	uint64_t at;           /* Start of the part that comes next */
	uint64_t limit;        /* End of the memory that belongs to the current run of
			        * consecutive chunks */
	uint64_t chain;        /* First chunk after the last block's chunk. 0 if unknown */
	uint64_t chained;      /* Number of gaps, between blocks or at the ends of a span, that the
				* allocator's chunks fill exactly */
	VEC(struct own) owns;  /* Memory that the recorder owns */
	size_t own;            /* Index in `owns` of the next range */
	uint64_t page, page_used, page_free;
	struct heap_walk walk;
	struct heap_found next; /* First block that is not yet in a part, if `more` is set */
	bool more;
};

static uint64_t heap_layout_span_end(const struct laying *y)
{
	return y->span.addr + y->span.size;
}

static void to_next(struct laying *y)
{
	y->more = heap_walk_next(&y->walk);
	if (y->more)
		heap_walk_found(&y->walk, &y->next);
}

static void start_at(struct laying *y, size_t block)
{
	y->walk = heap_walk_from(y->b, block);
	to_next(y);
}

static bool next_is_in_span(const struct laying *y)
{
	return y->more && y->next.addr < heap_layout_span_end(y);
}

static void close_page(struct laying *y)
{
	if (y->page_used > 0 && y->page_used < CHUNK_PAGE / 4 && y->page_free > 0) {
		y->l->pinned_pages++;
		y->l->pinned_bytes += y->page_free;
	}
	y->page_used = y->page_free = 0;
}

/* Adds a range of used or free bytes to the counts of its pages. Counts only its first and last
 * page. Pages between them are completely used or completely free. */
static void count_pages(struct laying *y, uint64_t start, uint64_t end, bool is_free)
{
	while (start < end) {
		if (start / CHUNK_PAGE != y->page)
			close_page(y);
		y->page = start / CHUNK_PAGE;
		const uint64_t n = min_u64(end - start, CHUNK_PAGE - start % CHUNK_PAGE);
		*(is_free ? &y->page_free : &y->page_used) += n;
		start += n;
		if (start < end && end - start > CHUNK_PAGE)
			start = end - end % CHUNK_PAGE - (end % CHUNK_PAGE == 0 ? CHUNK_PAGE : 0);
	}
}

static bool is_loose(const struct heap_part *part)
{
	return part->kind == HEAP_PART_UNRECORDED || part->kind == HEAP_PART_OTHER;
}

static void heap_layout_give(struct laying *y, const struct heap_part *part,
			     const struct heap_found *block)
{
	struct heap_layout *l = y->l;
	l->part_count++;
	if (is_loose(part) && l->loose_count++ < HEAP_LOOSE_MOST)
		vec_push(&l->loose, *part);
	if (y->fn != NULL)
		y->fn(y->ctx, part, block);
}

/* Passes the current part to `fn`, so that no later part is merged with it. */
static void end_part(struct laying *y)
{
	if (y->part.size != 0)
		heap_layout_give(y, &y->part, NULL);
	y->part.size = 0;
}

/* Adds [y->at, end) as a part. If the current part has the same kind, extends it. */
static void heap_layout_put(struct laying *y, uint64_t end, enum heap_part_kind kind)
{
	if (end <= y->at)
		return;
	const uint64_t size = end - y->at;
	y->l->bytes[kind] += size;
	count_pages(y, y->at, end, kind == HEAP_PART_FREE);
	if (y->part.size == 0 || y->part.kind != kind) {
		end_part(y);
		y->part = (struct heap_part){ y->at, 0, kind, UINT32_MAX };
	}
	y->part.size += size;
	y->at = end;
}

/* Adds memory until `end` that no chunk covers, as HEAP_PART_RECORDER or HEAP_PART_OTHER. */
static void put_other(struct laying *y, uint64_t end)
{
	for (; y->own < y->owns.count && y->owns.data[y->own].addr < end; y->own++) {
		const struct own *o = &y->owns.data[y->own];
		if (o->addr > y->at)
			heap_layout_put(y, o->addr, HEAP_PART_OTHER);
		heap_layout_put(y, min_u64(o->end, end), HEAP_PART_RECORDER);
		if (o->end > end)
			break;
	}
	heap_layout_put(y, end, HEAP_PART_OTHER);
}

static void heap_layout_add_piece(struct heap_part *ret, size_t *count,
				  const struct heap_part *whole, uint64_t start, uint64_t end,
				  enum heap_part_kind kind)
{
	if (start < end || kind == HEAP_PART_BLOCK)
		ret[(*count)++] = (struct heap_part){ start, end - start, kind, whole->block };
}

size_t heap_part_split(const struct heap_part *part, const struct heap_found *f,
		       struct heap_part ret[HEAP_SPLIT_MAX])
{
	size_t n = 0;
	if (part->kind != HEAP_PART_BLOCK) {
		ret[0] = *part;
		return 1;
	}
	const uint64_t header = heap_found_start(f), end = heap_found_end(f);
	heap_layout_add_piece(ret, &n, part, part->addr, header, HEAP_PART_OVERHEAD);
	heap_layout_add_piece(ret, &n, part, header, f->addr, HEAP_PART_HEADER);
	heap_layout_add_piece(ret, &n, part, f->addr, f->addr + f->size, HEAP_PART_BLOCK);
	heap_layout_add_piece(ret, &n, part, f->addr + f->size, end, HEAP_PART_HEADER);
	heap_layout_add_piece(ret, &n, part, end, part->addr + part->size, HEAP_PART_OVERHEAD);
	ASSERT(n <= HEAP_SPLIT_MAX);
	return n;
}

static void heap_layout_put_block(struct laying *y, const struct chunk *chunk, size_t block,
				  const struct heap_found *f)
{
	ASSERT(chunk->start <= f->addr && chunk->end >= f->addr + f->size);
	const struct heap_part part = { chunk->start, chunk->end - chunk->start, HEAP_PART_BLOCK,
					(uint32_t)block };
	struct heap_part split[HEAP_SPLIT_MAX];
	end_part(y);
	count_pages(y, chunk->start, chunk->end, false);
	y->at = chunk->end;
	heap_layout_give(y, &part, f);
	const size_t n = heap_part_split(&part, f, split);
	for (size_t i = 0; i < n; i++)
		y->l->bytes[split[i].kind] += split[i].size;
}

/* Sets *ret to the chunk at `at`, if the chunk has its own mapping. Otherwise returns false. Its
 * first word counts the bytes before it in the mapping. */
static bool mapped_chunk(struct laying *y, uint64_t at, uint64_t size, struct chunk *ret)
{
	uint64_t front;
	if (!chunk_word(&y->v, at, &front) || front > at - y->span.addr ||
	    (at - front) % CHUNK_PAGE != 0 || (size + front) % CHUNK_PAGE != 0)
		return false;
	*ret = (struct chunk){ at - front, at + size, 0, true };
	return true;
}

/* Returns the chunk of a live block. `known` is false if it has no chunk that ends by `limit`. */
static struct chunk heap_layout_find_chunk(struct laying *y, const struct heap_found *f,
					   uint64_t limit)
{
	const uint64_t raw = heap_found_raw(f), at = raw - 2 * y->word, end = heap_found_end(f);
	struct chunk c = { 0 };
	uint64_t size, flags;
	const bool fits = raw >= y->span.addr && raw - y->span.addr >= 2 * y->word;
	if (fits && chunk_size(&y->v, at, limit, &size, &flags)) {
		/* True if a chunk of `size` fits `used` bytes. malloc rounds sizes up, and splits
		 * off a remainder that is large enough for a chunk. */
		const uint64_t used = end - raw, least = align_up(used + y->word, HEAP_ALIGN);
		c.start = at + y->word;
		c.end = min_u64(at + size + y->word, heap_layout_span_end(y));
		c.next = at + size;
		c.known = size + y->word >= used && size <= add_sat(least, 4 * y->word);
		if ((flags & CHUNK_MAPPED) != 0)
			c.known = mapped_chunk(y, at, size, &c);
	}
	if (c.known && c.start >= y->at && c.end >= end)
		return c;
	return (struct chunk){ raw >= y->at && raw <= f->addr ? raw : heap_found_start(f), end, 0,
			       false };
}

/* True if a chunk begins with the header of a freed block. */
static bool is_freed(struct laying *y, uint64_t at, uint64_t size)
{
	const uint64_t user = at + 2 * y->word;
	const size_t i = heap_freed_below(y->b, user);
	if (i == heap_freed_below(y->b, at + size))
		return false;
	const struct heap_found freed = heap_freed(y->b, i);
	const uint64_t skip = freed.addr - user; /* Distance from the chunk's bytes to the block,
						  * if the block is aligned: a power of two */
	return heap_found_start(&freed) == user || (skip != 0 && (skip & (skip - 1)) == 0);
}

/* Adds the chunk at `at`. `next` is the chunk after it. If `next` is y->limit, the chunk is the
 * last of its heap. */
static void put_chunk(struct laying *y, uint64_t at, uint64_t next)
{
	ASSERT(at < next);
	const uint64_t size = next - at;
	enum heap_part_kind kind = HEAP_PART_FREE;
	const uint64_t *caches = y->b->caches.data; /* Chunks with a thread's lists of freed
						     * chunks */
	const size_t i = lower_bound(caches, y->b->caches.count, sizeof *caches, at);
	if (size < 4 * y->word || (i < y->b->caches.count && caches[i] == at))
		kind = HEAP_PART_OVERHEAD; /* A cache, or the end of a heap that could not grow */
	else if (next != y->limit && chunk_before_used(&y->v, next) && !is_freed(y, at, size) &&
		 !block_map_has(&y->b->kept, at))
		kind = HEAP_PART_UNRECORDED;
	heap_layout_put(y, min_u64(next + y->word, y->limit), kind);
}

static void put_chain(struct laying *y, uint64_t at, uint64_t end, uint64_t limit)
{
	uint64_t size, flags;
	y->limit = limit;
	while (at < end && chunk_size(&y->v, at, end, &size, &flags)) {
		put_chunk(y, at, at + size);
		at += size;
	}
}

/* Adds memory until `end` without a known chunk. `next` is the chunk at `end`, 0 if unknown. */
static void fill_head(struct laying *y, uint64_t next, uint64_t end)
{
	/* Finds the earliest address from which consecutive chunks reach `next`. A heap begins with
	 * a header, and perhaps a struct malloc_state (the arena). The chunks follow them. */
	uint64_t head = next != 0 ? chunk_find_head(&y->v, y->at, next) : 0;
	if (head == 0 && next != 0 && next - y->at <= 2 * y->word)
		head = next;
	if (head != 0) {
		heap_layout_put(y, head + y->word, HEAP_PART_OVERHEAD);
		put_chain(y, head, next, end);
		y->chained += head != next;
	}
	put_other(y, end);
}

static void add_break(struct laying *y, uint64_t chunk, size_t before, uint32_t after)
{
	uint64_t v;
	/* A size of zero is no damage if the dump has zeros instead of missing memory. */
	if (chunk_word(&y->v, chunk + y->word, &v) && (v != 0 || y->d->lacks == NULL))
		vec_push(&y->l->breaks,
			 (struct heap_break){ chunk + y->word, (uint32_t)before, after });
}

/* Adds the chunks up to `next`, the chunk of block number `block`. Up to `end` if `next` is 0. */
static void fill_chain(struct laying *y, uint64_t next, size_t block, uint64_t end)
{
	const uint64_t to = next != 0 ? next : end, chain = y->chain;
	uint64_t last;
	const uint64_t stop = chunk_follow(&y->v, chain, to, true, &last);
	if (stop == to && (next == 0 || chain != next || chunk_before_used(&y->v, next))) {
		put_chain(y, chain, to, end);
		y->chained++;
		put_other(y, end);
		return;
	}
	/* The last chunk of a heap is free and ends at a page boundary. No chunk follows. */
	if (stop != chain && (stop % CHUNK_PAGE == 0 || chunk_is_end(&y->v, last))) {
		put_chain(y, chain, stop, stop);
		fill_head(y, next, end);
		return;
	}
	add_break(y, stop, block - 1, stop == next ? (uint32_t)block : UINT32_MAX);
	put_other(y, end);
}

static void heap_layout_fill(struct laying *y, uint64_t next, size_t block, uint64_t end)
{
	if (y->chain != 0)
		fill_chain(y, next, block, end);
	else
		fill_head(y, next, end);
}

/* Returns the lowest address that may belong to the next block's chunk: its size word. */
static uint64_t limit_of_next(const struct laying *y)
{
	if (!next_is_in_span(y))
		return heap_layout_span_end(y);
	const uint64_t raw = heap_found_raw(&y->next);
	const uint64_t start = heap_found_start(&y->next);
	return raw >= y->span.addr + 2 * y->word && raw < start ? raw - 2 * y->word
								: start - 2 * y->word;
}

/* Adds the next block, and the chunks before it up to its own chunk, even if that is damaged. */
static void lay_block(struct laying *y)
{
	const struct heap_found f = y->next;
	const size_t i = y->walk.index;
	to_next(y);
	const struct chunk c = heap_layout_find_chunk(y, &f, limit_of_next(y));
	const bool mapped = c.known && c.next == 0;
	const uint64_t place = heap_found_raw(&f) - 2 * y->word;
	uint64_t next = !mapped && (c.known || y->chain != 0) ? place : 0;
	if (next + y->word < y->at || next + y->word > c.start)
		next = 0;
	const size_t breaks = y->l->breaks.count;
	heap_layout_fill(y, next, i, c.start);
	if (!c.known && y->chain != 0 && next != 0 && y->l->breaks.count == breaks)
		add_break(y, next, i - 1, (uint32_t)i);
	heap_layout_put_block(y, &c, i, &f);
	y->chain = c.next;
}

static void lay_span(struct laying *y)
{
	vec_push(&y->l->spans, y->span);
	y->at = y->span.addr;
	y->chain = 0;
	while (next_is_in_span(y))
		lay_block(y);
	heap_layout_fill(y, 0, y->walk.index, heap_layout_span_end(y));
	end_part(y);
	ASSERT(y->at == heap_layout_span_end(y) && y->part.size == 0);
}

/* Makes y->span from region i and adjacent later regions, if blocks cross their borders. Returns
 * the next region. The span is empty if it has no recorded block. */
static size_t find_span(struct laying *y, size_t i)
{
	const struct dump *d = y->d;
	const struct blocks_found *b = y->b;
	const struct region *g = &d->regions[i];
	y->span = (struct heap_span){ g->addr, 0 };
	const bool has_freed = heap_freed_below(b, g->addr) < heap_freed_below(b, region_end(g));
	const bool has_live = y->more && y->next.addr - g->addr < g->size;
	if (!has_freed && !has_live)
		return i + 1;
	y->span.size = g->size;
	while (++i < d->region_count) {
		/* If the dump omits unused pages, a mapping has several regions. */
		const struct region *a = &d->regions[i - 1], *r = a + 1;
		const bool goes_on = r->addr == region_end(a) && a->file == 0 && r->file == 0 &&
				     a->read == r->read && a->write == r->write &&
				     a->exec == r->exec;
		/* The last block may cross the border to the next region. */
		const size_t next = goes_on ? 0 : heap_live_below(b, heap_layout_span_end(y));
		const struct heap_found last = next > 0 ? heap_live(b, next - 1)
							: (struct heap_found){ 0 };
		if (!goes_on && heap_found_end(&last) <= heap_layout_span_end(y))
			break;
		y->span.size += d->regions[i].size;
	}
	return i;
}

/* Returns a pass over the dump of `l`. Facts about the parts go to `to`, which must be empty. */
static struct laying laying_of(const struct heap_layout *l, struct heap_layout *to)
{
	struct laying y = { .d = l->d, .b = l->b, .l = to, .word = memory_word_size(l->d) };
	y.v = (struct chunk_view){ l->d, y.word, NULL };
	vec_each(const struct record_place, p, &l->r->places)
		vec_push(&y.owns, (struct own){ p->addr, add_sat(p->addr, p->size) });
	vec_each(const struct heap_thread, t, &l->r->threads)
		if (t->own != 0)
			vec_push(&y.owns, (struct own){ t->own, add_sat(t->own, t->own_size) });
	vec_sort(&y.owns);
	return y;
}

static void heap_layout_verify(const struct heap_layout *l)
{
	uint64_t end = 0, size = 0, bytes = 0;
	vec_each(const struct heap_span, s, &l->spans) {
		ASSERT(s->addr >= end && s->size > 0);
		end = s->addr + s->size;
		size += s->size;
	}
	for (size_t i = 0; i < HEAP_PART_KINDS; i++)
		bytes += l->bytes[i];
	ASSERT(bytes == size);
	ASSERT(l->loose.count <= l->loose_count && l->loose_count <= l->part_count);
}

static void lay_all(struct laying *y)
{
	start_at(y, 0);
	for (size_t i = 0; i < y->d->region_count;) {
		i = find_span(y, i);
		if (y->span.size != 0)
			lay_span(y);
	}
	close_page(y);
	if (HEFT_CHECKS)
		heap_layout_verify(y->l);
	/* A break is a place where consecutive chunks end before the next block. If there are at
	 * least as many breaks as gaps that chunks fill exactly, another allocator made the blocks.
	 * Its words look like chunks by chance, so the breaks are no damage. */
	if (y->chained <= y->l->breaks.count)
		y->l->breaks.count = 0;
	vec_release(&y->owns);
}

void heap_layout_make(struct heap_layout *ret, const struct dump *d, const struct records *r,
		      const struct blocks_found *b)
{
	*ret = (struct heap_layout){ .d = d, .r = r, .b = b };
	struct laying y = laying_of(ret, ret);
	lay_all(&y);
}

void heap_parts_each(const struct heap_layout *l, heap_part_fn *fn, void *ctx)
{
	struct heap_layout known = { 0 };
	if (l->d == NULL)
		return;
	struct laying y = laying_of(l, &known);
	y.fn = fn;
	y.ctx = ctx;
	lay_all(&y);
	heap_layout_release(&known);
}

struct taker {
	heap_part_fn *fn;
	void *ctx;
};

static void give_loose(void *ctx, const struct heap_part *part, const struct heap_found *block)
{
	const struct taker *to = ctx;
	if (is_loose(part))
		to->fn(to->ctx, part, block);
}

void heap_loose_each(const struct heap_layout *l, heap_part_fn *fn, void *ctx)
{
	if (l->loose_count > l->loose.count) {
		heap_parts_each(l, give_loose, &(struct taker){ fn, ctx });
		return;
	}
	for (size_t i = 0; i < l->loose.count; i++)
		fn(ctx, &l->loose.data[i], NULL);
}

/* Starts a layout at a block: adds the block, without the memory before it. */
static void lay_first(struct laying *y, size_t block)
{
	ASSERT(block > 0 && block < y->b->live.count);
	const struct heap_found before = heap_live(y->b, block - 1);
	start_at(y, block);
	const struct heap_found f = y->next;
	to_next(y);
	y->at = max_u64(y->span.addr, heap_found_end(&before));
	const struct chunk c = heap_layout_find_chunk(y, &f, limit_of_next(y));
	heap_layout_put_block(y, &c, block, &f);
	y->chain = c.next;
}

void heap_parts_near(const struct heap_layout *l, uint64_t addr, heap_part_fn *fn, void *ctx)
{
	const struct heap_span *span = vec_before(&l->spans, addr);
	if (!span || addr - span->addr >= span->size)
		return;
	struct heap_layout unused = { 0 };
	struct laying y = laying_of(l, &unused);
	y.fn = fn;
	y.ctx = ctx;
	y.span = *span;
	/* Starts this many blocks before the address. They show where the next chunk must be. */
	enum { BEFORE = 2 };
	const size_t first = heap_live_below(y.b, y.span.addr);
	const size_t next = heap_live_below(y.b, addr);
	y.at = y.span.addr;
	if (next > first + BEFORE)
		lay_first(&y, next - BEFORE);
	else
		start_at(&y, first);
	while (y.at <= addr && next_is_in_span(&y))
		lay_block(&y);
	if (y.at <= addr)
		heap_layout_fill(&y, 0, y.walk.index, heap_layout_span_end(&y));
	end_part(&y);
	vec_release(&y.owns);
	heap_layout_release(&unused);
}

void heap_layout_release(struct heap_layout *l)
{
	vec_release_all(&l->spans, &l->loose, &l->breaks);
	*l = (struct heap_layout){ 0 };
}
