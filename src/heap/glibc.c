/* Finds the chunks of glibc's malloc in a dump of a process that was not recorded: through the
 * arenas, or else by the form of chunks. */
#include "heap/glibc.h"

#include "base/sort.h"
#include "heap/glibc_kept.h"
#include "heap/glibc_state.h"

enum {
	SPECK = 4,       /* Words of the smallest chunk that malloc returns */
	STACK_ALIGN = 16 /* Alignment of the user's bytes on most machines (malloc-alignment.h). */
};

bool chunk_before_used(struct chunk_view *v, uint64_t at)
{
	uint64_t x;
	return chunk_word(v, at + v->word, &x) && (x & CHUNK_BEFORE_USED) != 0;
}

bool chunk_is_end(struct chunk_view *v, uint64_t at)
{
	uint64_t x;
	return chunk_word(v, at + v->word, &x) && (x & ~(uint64_t)CHUNK_FLAGS) < SPECK * v->word;
}

/* Follows at most *left chunks, and subtracts their number from it. Returns the address after
 * them. */
static uint64_t follow_some(struct chunk_view *v, uint64_t at, uint64_t end, bool in_use,
			    uint64_t *ret_last, uint64_t *left)
{
	uint64_t size = 0, next_size, flags;
	*ret_last = at;
	for (; *left > 0 && at < end && chunk_size(v, at, end, &next_size, &flags); --*left) {
		const bool before = (flags & CHUNK_BEFORE_USED) != 0;
		uint64_t stated;
		if ((flags & CHUNK_MAPPED) != 0 || (in_use && !before))
			break;
		/* A free chunk has its size at both ends. */
		if (!before && size != 0 && (!chunk_word(v, at, &stated) || stated != size))
			break;
		in_use = false;
		*ret_last = at;
		const bool over = size == next_size && size < SPECK * v->word && size != 0;
		size = next_size;
		at += size;
		if (over)
			break;
	}
	return at;
}

uint64_t chunk_follow(struct chunk_view *v, uint64_t at, uint64_t end, bool in_use,
		      uint64_t *ret_last)
{
	uint64_t left = UINT64_MAX;
	return follow_some(v, at, end, in_use, ret_last, &left);
}

uint64_t chunk_find_head(struct chunk_view *v, uint64_t at, uint64_t end)
{
	uint64_t last;
	at = align_up(at, 2 * v->word);
	for (const uint64_t most = at + CHUNK_HEAD_MOST; at < end && at < most; at += 2 * v->word)
		if (chunk_follow(v, at, end, false, &last) == end)
			return at;
	return 0;
}

struct glibc_stretch {
	uint64_t addr, end;
};

struct heaps {
	struct chunk_view v;
	struct glibc_heaps *to;
	const struct dump *d;
	struct glibc_state state;
	struct block_map *chunks; /* Chunks marked as in use. NULL if only caches are wanted */
	struct kept_lists light;  /* If only caches are wanted: the lists in the caches found so
				   * far. The search ends when each thread has a cache */
	size_t piece;             /* Index of the piece of `chunks` that was last used */
	VEC(struct glibc_stretch) plain, pieces;
	VEC(struct glibc_stretch) mapped; /* Ranges that may be one chunk with its own mapping */
	VEC(uint64_t) caches;             /* Chunks that may be a thread's cache. */
	uint64_t budget; /* Bytes that searches may still cross. Bounds the time, because wrong
			  * chains may overlap */
};

static const struct glibc_stretch *plain_at(const struct heaps *x, uint64_t addr)
{
	const struct glibc_stretch *s = vec_before(&x->plain, addr);
	return s && addr < s->end ? s : NULL;
}

static void doubt(struct heaps *x, const char *why)
{
	if (x->to->doubt == NULL)
		x->to->doubt = why;
}

/* True if consecutive chunks reach `end`, or the end of a heap. False if the budget is used up. */
static bool leads(struct heaps *x, uint64_t at, uint64_t end, uint64_t *ret_stop)
{
	uint64_t last;
	if (x->budget == 0) {
		doubt(x, "memory looks like too many heaps");
		return false;
	}
	*ret_stop = chunk_follow(&x->v, at, end, false, &last);
	x->budget -= min_u64(x->budget, *ret_stop - at);
	return *ret_stop != at && (*ret_stop == end || chunk_is_end(&x->v, last));
}

static void glibc_add_block(struct heaps *x, uint64_t chunk, uint64_t size)
{
	ASSERT(x->chunks != NULL);
	block_map_set_near(x->chunks, chunk, &x->piece);
	x->to->chunks++;
	x->to->bytes = add_sat(x->to->bytes, size);
}

/* Adds the chunk at `at`. `next` is the chunk after it, or `end`. A chunk below malloc's smallest
 * size marks the end of a heap. */
static void take_chunk(struct heaps *x, uint64_t at, uint64_t next, uint64_t end)
{
	ASSERT(at < next && next <= end);
	const uint64_t size = next - at;
	if (size < SPECK * x->v.word)
		return;
	if (next == end) {
		x->to->top_bytes += size;
	} else if (!chunk_before_used(&x->v, next)) {
		x->to->free_chunks++;
		x->to->free_bytes += size;
	} else {
		glibc_add_block(x, at, size - x->v.word);
		if (kept_is_cache_size(&x->v, size))
			vec_push(&x->caches, at);
	}
}

/* Adds the chunks from `at` to `stop`. If the chain breaks at `stop`, the chunk before counts as in
 * use: its overflow probably caused the break. */
static void take_chunks(struct heaps *x, uint64_t at, uint64_t stop, uint64_t end, bool broken)
{
	uint64_t size, flags;
	while (at < stop && chunk_size(&x->v, at, end, &size, &flags)) {
		if (broken && at + size == stop)
			glibc_add_block(x, at, size - x->v.word);
		else
			take_chunk(x, at, at + size, end);
		at += size;
	}
}

/* Finds the address at which valid chunks continue after a gap of any length. The chunk before that
 * address counts as in use. 0 if there is no such address. */
static uint64_t find_next(struct heaps *x, uint64_t at, uint64_t end)
{
	uint64_t size, flags, stop;
	at = align_up(at, 2 * x->v.word);
	for (; at < end && x->budget > 0; at += 2 * x->v.word) {
		if (!chunk_size(&x->v, at, end, &size, &flags) || size < SPECK * x->v.word ||
		    flags != CHUNK_BEFORE_USED)
			continue;
		if (leads(x, at, end, &stop))
			return at;
	}
	return 0;
}

/* Like chunk_follow(), but only looks for threads' caches. Stops early, because most caches are
 * among the first chunks of an arena. */
static uint64_t find_caches(struct heaps *x, uint64_t at, uint64_t end, bool *ret_ended)
{
	uint64_t last = 0, size = 0, next, flags;
	while (at < end && chunk_size(&x->v, at, end, &next, &flags)) {
		last = size;
		size = next;
		if (kept_is_cache_size(&x->v, size) && kept_is_cache(&x->light, at, size))
			vec_push(&x->caches, at);
		if (x->caches.count >= x->d->thread_count)
			break;
		at += size;
		if (size < SPECK * x->v.word && size == last)
			break;
	}
	if (x->caches.count >= x->d->thread_count)
		at = end;
	*ret_ended = at == end || (size != 0 && size < SPECK * x->v.word);
	return at;
}

/* Follows a chain from `at`, returns its end, and adds its chunks in batches of a few thousand,
 * which stay in the processor's cache. A batch begins with the last chunk of the previous one,
 * whose size only its successor confirms. */
static uint64_t take_good(struct heaps *x, uint64_t at, uint64_t end, bool *ret_ended)
{
	enum { NEAR = 4096 };
	const uint64_t first = at;
	uint64_t last = at, stop = at, left = 0;
	if (x->chunks == NULL)
		return find_caches(x, at, end, ret_ended);
	while (left == 0) {
		take_chunks(x, at, last, end, false);
		at = last;
		left = NEAR;
		stop = follow_some(&x->v, at, end, false, &last, &left);
	}
	*ret_ended = stop == end || (stop != first && chunk_is_end(&x->v, last));
	take_chunks(x, at, stop, end, !*ret_ended);
	return stop;
}

/* Adds the chunks of the chain from `at` to `end`. If the chain breaks, continues at the next valid
 * chunk. Returns the end of the chain. */
static uint64_t take_chain(struct heaps *x, uint64_t at, uint64_t end)
{
	ASSERT(at <= end);
	enum { BROKEN_MOST = 64 }; /* After more breaks, the memory is probably not a chain */
	uint64_t stop = at;
	x->to->arenas++;
	for (unsigned broken = 0; at != 0 && at < end && broken < BROKEN_MOST;) {
		bool ended;
		stop = take_good(x, at, end, &ended);
		if (stop == end)
			break;
		if (!ended) {
			x->to->broken++;
			broken++;
		}
		at = ended ? find_next(x, stop, end)
			   : chunk_find_head(&x->v, stop + 2 * x->v.word, end);
	}
	return stop;
}

/* Returns the index of the first entry of `pieces` that ends above an address. */
static size_t piece_behind(const struct heaps *x, uint64_t addr)
{
	size_t i;
	BISECT(i, 0, x->pieces.count, k, x->pieces.data[k].end <= addr);
	return i;
}

/* Adds [start, end) as a part of a heap, with the chunks from `at` on. Parts are sorted by address.
 * False if another heap overlaps. Sets *ret_stop to the end of the chunks. */
static bool glibc_take_piece(struct heaps *x, struct glibc_stretch s, uint64_t at,
			     uint64_t *ret_stop)
{
	enum { PIECES_MOST = 1 << 16 };
	const size_t i = piece_behind(x, s.addr);
	if (x->pieces.count == PIECES_MOST || s.addr >= s.end ||
	    (i < x->pieces.count && x->pieces.data[i].addr < s.end)) {
		doubt(x, "heaps lie over one another");
		return false;
	}
	*ret_stop = take_chain(x, at, s.end);
	vec_push(&x->pieces, s);
	struct glibc_stretch *p = x->pieces.data;
	memmove(&p[i + 1], &p[i], (x->pieces.count - 1 - i) * sizeof *p);
	p[i] = s;
	ASSERT(i + 1 == x->pieces.count || x->pieces.data[i + 1].addr >= s.end);
	return true;
}

/* Returns the first chunk of memory that malloc got from the system at `addr`. malloc aligns the
 * user's bytes of this chunk. 0 if there is none. */
static uint64_t first_chunk(struct heaps *x, uint64_t addr, uint64_t end)
{
	const uint64_t head = 2 * x->v.word;
	for (uint64_t step = head; step <= STACK_ALIGN; step += step) {
		const uint64_t at = align_up(addr + head, step) - head;
		uint64_t size, flags;
		if (chunk_size(&x->v, at, end, &size, &flags) && flags == CHUNK_BEFORE_USED)
			return at;
	}
	return 0;
}

/* Adds the parts of the first arena that lie between two heaps, in `s`. Returns the bytes added. */
static uint64_t take_extra_in(struct heaps *x, struct glibc_stretch s)
{
	uint64_t had = 0, first, stop;
	for (uint64_t at = align_up(s.addr, CHUNK_PAGE), end; at < s.end; at = end) {
		first = first_chunk(x, at, s.end);
		const bool heap = first != 0 && leads(x, first, s.end, &stop) &&
				  (stop != s.end || chunk_is_end(&x->v, s.end - 2 * x->v.word));
		end = heap ? align_up(stop, CHUNK_PAGE) : at + CHUNK_PAGE;
		if (heap && end <= s.end &&
		    glibc_take_piece(x, (struct glibc_stretch){ at, end }, first, &stop))
			had += end - at;
		else
			end = at + CHUNK_PAGE;
	}
	return had;
}

/* Adds the parts that the first arena mapped when its heap could not grow. Stops when the bytes of
 * all parts match the arena's count. `had`: bytes added before. */
static void take_extra(struct heaps *x, const struct glibc_arena *a, uint64_t had)
{
	for (size_t i = 0; i < x->plain.count && had < a->system; i++) {
		struct glibc_stretch s = x->plain.data[i];
		while (s.addr < s.end && had < a->system) {
			const size_t k = piece_behind(x, s.addr);
			const bool any = k < x->pieces.count && x->pieces.data[k].addr < s.end;
			const struct glibc_stretch taken =
				any ? x->pieces.data[k] : (struct glibc_stretch){ s.end, s.end };
			if (taken.addr > s.addr)
				had += take_extra_in(x,
						     (struct glibc_stretch){ s.addr, taken.addr });
			s.addr = taken.end;
		}
	}
	if (had != a->system)
		doubt(x, "the heap's size is not what the allocator says");
}

/* Adds the part of the first heap that has the heap's last chunk. Returns the bytes of that
 * part. */
static uint64_t take_top_piece(struct heaps *x, const struct glibc_arena *a,
			       const struct glibc_stretch *s)
{
	const bool whole = a->base >= s->addr && a->base <= a->top;
	uint64_t end = s->end, size, flags;
	if (chunk_size(&x->v, a->top, s->end, &size, &flags))
		end = a->top + size;
	else if (whole && a->system - (a->top - a->base) <= s->end - a->top)
		end = a->base + a->system;
	uint64_t at = whole ? first_chunk(x, a->base, end) : 0, stop;
	at = at != 0 ? at : find_next(x, s->addr, end);
	if (at == 0 || !glibc_take_piece(x, (struct glibc_stretch){ at, end }, at, &stop))
		return 0;
	if (stop != end)
		doubt(x, "the heap does not lead to its last chunk");
	return end - (whole ? a->base : at & ~(uint64_t)(CHUNK_PAGE - 1));
}

/* Adds the first part of the first heap, if the heap ends in another part. Memory after its chunks,
 * up to the end of the range, is added too. Returns the bytes up to the end of the chunks. */
static uint64_t take_base_piece(struct heaps *x, const struct glibc_arena *a)
{
	const struct glibc_stretch *s = plain_at(x, a->base);
	uint64_t stop;
	const uint64_t at = s != NULL ? first_chunk(x, a->base, s->end) : 0;
	if (at == 0)
		return 0;
	if (!glibc_take_piece(x, (struct glibc_stretch){ at, s->end }, at, &stop))
		return 0;
	return align_up(stop, CHUNK_PAGE) - a->base;
}

static void take_first_arena(struct heaps *x, const struct glibc_arena *a)
{
	const struct glibc_stretch *s = plain_at(x, a->top);
	if (s == NULL) {
		if (a->top != 0)
			doubt(x, "the heap is not in the dump");
		return;
	}
	uint64_t had = take_top_piece(x, a, s);
	if (a->base != 0 && !(a->base >= s->addr && a->base <= a->top))
		had += take_base_piece(x, a);
	if (had != a->system)
		take_extra(x, a, had);
}

/* Returns the first chunk of a heap: after the heap's header, or after the arena if the arena lies
 * in the heap. If no chain starts there, returns the first chunk with the flag NON_MAIN_ARENA. 0 if
 * there is none. */
static uint64_t head_of_heap(struct heaps *x, uint64_t at, uint64_t end)
{
	uint64_t size, flags, stop, found = 0;
	at = align_up(at, 2 * x->v.word);
	for (const uint64_t most = at + CHUNK_HEAD_MOST; at < end && at < most;
	     at += 2 * x->v.word) {
		if (!chunk_size(&x->v, at, end, &size, &flags) || size < SPECK * x->v.word ||
		    (flags & CHUNK_BEFORE_USED) == 0)
			continue;
		const bool other = (flags & CHUNK_OTHER_ARENA) != 0;
		if ((other && x->chunks == NULL) || leads(x, at, end, &stop))
			return at;
		found = found == 0 && other ? at : found;
	}
	return found;
}

static void take_heap(struct heaps *x, const struct glibc_arena *a, uint64_t heap, uint64_t size)
{
	const uint64_t end = heap + size, word = x->v.word;
	const uint64_t from = heap == a->heap ? a->end - word : heap + 3 * word;
	const uint64_t head = head_of_heap(x, from, end);
	uint64_t stop;
	if (head == 0)
		doubt(x, "a heap of another arena has no chunk");
	else
		glibc_take_piece(x, (struct glibc_stretch){ heap, end }, head, &stop);
}

/* Adds all heaps of an arena that is not the first. Starts at the heap with `top`, and goes back to
 * the heap with the arena (arena.c, "heap_info"). A heap begins with its arena's address, the
 * previous heap's address, and its size. */
static void take_other_arena(struct heaps *x, const struct glibc_arena *a)
{
	const uint64_t word = x->v.word;
	uint64_t heap = a->top != 0 ? glibc_heap_of(x->d, a, a->top) : a->heap, left = x->d->size;
	for (;;) {
		uint64_t arena, size, before;
		const struct glibc_stretch *s = plain_at(x, heap);
		if (s == NULL || !chunk_word(&x->v, heap, &arena) || arena != a->addr ||
		    !chunk_word(&x->v, heap + word, &before) ||
		    !chunk_word(&x->v, heap + 2 * word, &size) || size == 0 ||
		    size > min_u64(s->end - heap, left)) {
			doubt(x, "the heaps of an arena are not all in the dump");
			return;
		}
		take_heap(x, a, heap, size);
		left -= size;
		if (before == 0)
			return;
		heap = before;
	}
}

/* Returns the size of the chunk at `at`, if it has a mapping of its own. 0 if not. `front`: the
 * number of bytes before it, which the chunk itself states. Chunk and front fill whole pages. */
static uint64_t glibc_mapped_size(struct heaps *x, uint64_t at, uint64_t front, uint64_t end)
{
	uint64_t stated, size, flags;
	return chunk_size(&x->v, at, end, &size, &flags) && flags == CHUNK_MAPPED &&
			       chunk_word(&x->v, at, &stated) && stated == front &&
			       (size + front) % CHUNK_PAGE == 0
		       ? size
		       : 0;
}

/* Finds a chunk that begins later in its mapping, because the program asked for an alignment. An
 * old header remains at the start of the mapping. Returns the moved chunk, otherwise the chunk at
 * the start. */
static uint64_t moved_chunk(struct heaps *x, uint64_t page, uint64_t start, uint64_t end,
			    uint64_t *size)
{
	const uint64_t head = 2 * x->v.word;
	for (uint64_t align = 2 * head; align < *size; align += align)
		for (unsigned i = 0; i < 2; i++) {
			const uint64_t user = align_up(start + head + 1, align) + i * align;
			const uint64_t at = user - head;
			const uint64_t moved = at < end ? glibc_mapped_size(x, at, at - page, end)
							: 0;
			if (moved == 0)
				continue;
			*size = moved;
			return at;
		}
	return start;
}

/* Returns the chunk whose own mapping begins at a page. The program's bytes in it must be aligned.
 * *ret_size is its size. 0 if there is none. */
static uint64_t glibc_mapped_at(struct heaps *x, uint64_t page, uint64_t end, uint64_t *ret_size)
{
	for (uint64_t front = 0; front + 2 * x->v.word <= STACK_ALIGN; front += 2 * x->v.word) {
		*ret_size = glibc_mapped_size(x, page + front, front, end);
		if (*ret_size != 0)
			return moved_chunk(x, page, page + front, end, ret_size);
	}
	return 0;
}

/* Returns the first multiple of `step` above `at` at which the dump may have bytes. UINT64_MAX if
 * there is none. Skips ranges without bytes at once, because they may be large. */
static uint64_t glibc_next_place(const struct heaps *x, uint64_t at, uint64_t step)
{
	uint64_t next = align_up(add_sat(at, 1), step);
	const struct region *const g = dump_region(x->d, next);
	if (g != NULL && next - g->addr >= g->bytes.size)
		next = align_up(add_sat(g->addr, g->size), step);
	return next > at ? next : UINT64_MAX;
}

static void find_mapped(struct heaps *x, struct glibc_stretch s)
{
	uint64_t at = align_up(s.addr, CHUNK_PAGE), size;
	while (at < s.end) {
		const uint64_t chunk = glibc_mapped_at(x, at, s.end, &size);
		if (chunk != 0)
			vec_push(&x->mapped, (struct glibc_stretch){ chunk, chunk + size });
		at = chunk != 0 ? chunk + size : glibc_next_place(x, at, CHUNK_PAGE);
	}
}

/* Finds chunks with their own mappings in all memory outside of heaps. */
static void find_all_mapped(struct heaps *x)
{
	const struct glibc_stretch *taken = x->pieces.data;
	for (size_t i = 0, k = 0; i < x->plain.count; i++) {
		struct glibc_stretch s = x->plain.data[i];
		for (; k < x->pieces.count && taken[k].addr < s.end; k++) {
			if (taken[k].addr > s.addr)
				find_mapped(x, (struct glibc_stretch){ s.addr, taken[k].addr });
			s.addr = max_u64(s.addr, taken[k].end);
		}
		find_mapped(x, s);
	}
}

/* Number of mappings with one chunk each, and their bytes from the mapping's start on */
struct mapped_sum {
	uint64_t count, bytes;
};

static struct mapped_sum sum_mapped(struct heaps *x, uint64_t least)
{
	struct mapped_sum sum = { 0, 0 };
	vec_each(const struct glibc_stretch, s, &x->mapped) {
		uint64_t front = 0;
		chunk_word(&x->v, s->addr, &front);
		if (s->end - s->addr + front < least)
			continue;
		sum.count++;
		sum.bytes += s->end - s->addr + front;
	}
	return sum;
}

/* Adds up the mapped chunks that the parameters of the first arenas count. False if unknown. */
static bool stated_mapped(const struct heaps *x, struct mapped_sum *ret)
{
	bool known = x->state.arenas.count > 0;
	*ret = (struct mapped_sum){ 0, 0 };
	vec_each(const struct glibc_arena, a, &x->state.arenas) {
		known = known && (a->heap != 0 || a->known);
		ret->count += a->mapped;
		ret->bytes += a->mapped_bytes;
	}
	return known;
}

/* Adds the chunks with their own mapping. If the candidates are as many as the allocator counted,
 * adds all. Otherwise adds only those above the usual threshold for mapping. */
static void take_mapped(struct heaps *x)
{
	enum { USUAL = 128 << 10 };
	struct mapped_sum stated;
	const bool known = stated_mapped(x, &stated);
	const struct mapped_sum all = sum_mapped(x, 0), large = sum_mapped(x, USUAL);
	const bool is_all = known && all.count == stated.count && all.bytes == stated.bytes;
	if (!known)
		doubt(x, "the allocator's parameters are not found");
	else if (!is_all && (large.count != stated.count || large.bytes != stated.bytes))
		doubt(x, "there are not as many mapped blocks as the allocator says");
	for (size_t i = 0; i < x->mapped.count; i++) {
		const struct glibc_stretch *s = &x->mapped.data[i];
		const uint64_t size = s->end - s->addr - 2 * x->v.word;
		if (!is_all && s->end - s->addr < USUAL - CHUNK_PAGE)
			continue;
		glibc_add_block(x, s->addr, size);
		x->to->mapped++;
		x->to->mapped_bytes += size;
	}
}

/* True if a heap is plausible at `at`: at least 2 chunks, or 32 if their chain breaks before
 * `end`. */
static bool is_chain(struct heaps *x, uint64_t at, uint64_t end)
{
	enum { LEAST = 2, LEAST_BROKEN = 32 };
	uint64_t last, size, flags, count = 0;
	const uint64_t stop = chunk_follow(&x->v, at, end, false, &last);
	while (at < stop && count < LEAST_BROKEN && chunk_size(&x->v, at, end, &size, &flags)) {
		at += size;
		count++;
	}
	return count >= (stop == end ? LEAST : LEAST_BROKEN);
}

/* True if a heap of another arena begins at `at`. The heap's header states its size, then its
 * writable size. The first heap of an arena contains the arena. */
static bool is_other_heap(struct heaps *x, uint64_t at, const struct glibc_stretch *s,
			  uint64_t most, uint64_t *ret_end)
{
	const uint64_t word = x->v.word;
	uint64_t arena, before, size, writable;
	if (!chunk_word(&x->v, at, &arena) || !chunk_word(&x->v, at + word, &before) ||
	    !chunk_word(&x->v, at + 2 * word, &size) ||
	    !chunk_word(&x->v, at + 3 * word, &writable))
		return false;
	*ret_end = at + size;
	return size >= CHUNK_PAGE && size % CHUNK_PAGE == 0 && size <= writable &&
	       writable <= most && size <= s->end - at && before % most == 0 &&
	       (before == 0) == (arena > at && arena - at < CHUNK_PAGE) && arena % most != 0;
}

/* Adds all heaps of other arenas in a range. Returns the start of what remains of the range. */
static uint64_t guess_other_heaps(struct heaps *x, const struct glibc_stretch *s)
{
	const uint64_t most = x->v.word == 8 ? UINT64_C(64) << 20 : UINT64_C(1) << 20;
	uint64_t rest = s->addr, at = align_up(s->addr, most), end, size, flags, stop;
	for (; at >= s->addr && at < s->end; at = glibc_next_place(x, at, most)) {
		if (!is_other_heap(x, at, s, most, &end))
			continue;
		const uint64_t head = chunk_find_head(&x->v, at + 4 * x->v.word, end);
		if (head == 0 || !chunk_size(&x->v, head, end, &size, &flags) ||
		    (flags & CHUNK_OTHER_ARENA) == 0)
			continue;
		glibc_take_piece(x, (struct glibc_stretch){ at, end }, head, &stop);
		rest = end;
	}
	return rest;
}

/* Guesses the first chunk of the first heap. If the program's data is in the same mapping, the
 * chunk is after the data, otherwise at the start. 0 if there is none. */
static uint64_t guess_first(struct heaps *x, const struct glibc_stretch *s)
{
	enum { TRIES = 64 };
	unsigned tried = 0;
	for (uint64_t at = align_up(s->addr, CHUNK_PAGE); at < s->end && tried < TRIES;
	     at = glibc_next_place(x, at, CHUNK_PAGE)) {
		const uint64_t first = first_chunk(x, at, s->end);
		if (first == 0)
			continue;
		if (is_chain(x, first, s->end))
			return first;
		tried++;
	}
	return 0;
}

static void take_arenas(struct heaps *x, struct blocks_found *b)
{
	for (size_t i = 0; i < x->state.arenas.count; i++) {
		const struct glibc_arena *a = &x->state.arenas.data[i];
		if (a->heap != 0) {
			take_other_arena(x, a);
			continue;
		}
		take_first_arena(x, a);
		vec_push(&b->arenas, (struct heap_arena){ a->fast, a->end - a->fast });
	}
	if (x->state.arenas.count > 0 && !x->state.ring)
		doubt(x, "the allocator's arenas are not all found");
}

static unsigned chunk_shift(const struct dump *d)
{
	return memory_word_size(d) == 8 ? 4 : 3;
}

/* Returns the chunks in all lists of freed chunks. Fills b->caches. `plain`: the form of links, see
 * kept_lists.plain. */
static struct kept_lists take_lists(struct heaps *x, struct blocks_found *b, struct block_map *kept,
				    bool plain)
{
	struct kept_lists k = { x->v, x->chunks, kept, .plain = plain };
	block_map_init(kept, x->d, chunk_shift(x->d));
	b->caches.count = 0;
	for (size_t i = 0; i < x->state.arenas.count; i++)
		kept_take_fast(&k, &x->state.arenas.data[i]);
	for (size_t i = 0; i < x->caches.count; i++) {
		uint64_t size, flags;
		const uint64_t at = x->caches.data[i];
		if (chunk_size(&x->v, at, UINT64_MAX, &size, &flags) &&
		    kept_take_cache(&k, at, size))
			vec_push(&b->caches, at);
	}
	return k;
}

/* Follows the lists with both forms of links, because the version of glibc is unknown. Returns the
 * result in which more lists reach their end. */
static struct kept_lists best_lists(struct heaps *x, struct blocks_found *b)
{
	struct block_map plain;
	struct kept_lists k = take_lists(x, b, &b->kept, false);
	if (k.broken == 0)
		return k;
	struct kept_lists other = take_lists(x, b, &plain, true);
	const bool better = other.broken < k.broken;
	vec_release(better ? &k.written : &other.written);
	block_map_release(better ? &b->kept : &plain);
	b->kept = better ? plain : b->kept;
	return better ? other : k;
}

/* Records the chunks in lists as freed, and the caches as the allocator's own memory. */
static void take_kept(struct heaps *x, struct blocks_found *b)
{
	struct kept_lists k = best_lists(x, b);
	vec_copy(&b->written, &k.written);
	vec_release(&k.written);
	vec_sort(&b->caches);
	x->to->cached = k.count;
	x->to->cached_bytes = k.bytes;
	x->to->broken += k.broken;
	block_map_count(&b->kept);
}

static void remove_block(struct heaps *x, uint64_t at)
{
	uint64_t size, flags;
	if (!chunk_size(&x->v, at, UINT64_MAX, &size, &flags))
		return;
	block_map_clear(x->chunks, at, at + 1);
	x->to->chunks--;
	x->to->bytes -= size - x->v.word;
}

static struct heaps heaps_begin(struct glibc_heaps *to, struct blocks_found *b,
				struct block_map *chunks, const struct dump *d)
{
	struct heaps x = { .v = { d, memory_word_size(d), NULL }, .to = to, .d = d };
	*to = (struct glibc_heaps){ 0 };
	x.chunks = chunks;
	if (chunks != NULL)
		block_map_init(chunks, d, chunk_shift(d));
	block_map_release(&b->kept);
	glibc_state_find(&x.state, d);
	enum {
		CROSSED = 64
	}; /* heaps.budget is this many times the size of writable memory.
				* Searches end when it is used up */
	const bool raw = x.d->kind == DUMP_RAW || x.state.arenas.count > 0;
	for (size_t i = 0; i < x.d->region_count; i++) {
		const struct region *g = &x.d->regions[i];
		const size_t n = x.plain.count;
		/* True if a region may contain heaps. Executable memory may contain them only in
		 * raw dumps, or if the arenas were found. */

		if (g->file != 0 || !g->read || !g->write || (g->exec && !raw))
			continue;
		x.budget = add_sat(x.budget, g->bytes.size * CROSSED);
		if (n > 0 && x.plain.data[n - 1].end == g->addr)
			x.plain.data[n - 1].end += g->size;
		else
			vec_push(&x.plain, (struct glibc_stretch){ g->addr, g->addr + g->size });
	}
	return x;
}

static void heaps_end(struct heaps *x)
{
	ASSERT(x->to != NULL);
	vec_release_all(&x->plain, &x->pieces, &x->mapped, &x->caches);
	glibc_state_release(&x->state);
}

void glibc_kept_find(struct blocks_found *b, const struct dump *d)
{
	struct glibc_heaps unused;
	struct heaps x = heaps_begin(&unused, b, NULL, d);
	struct block_map places;
	block_map_init(&places, d, chunk_shift(d));
	x.light = (struct kept_lists){ .v = x.v, .kept = &places };
	take_arenas(&x, b);
	block_map_release(&places);
	take_kept(&x, b);
	heaps_end(&x);
}

/* Finds all chunks. Chunks begin at multiples of two words. */
static void find_chunks(struct heaps *x, struct blocks_found *b)
{
	take_arenas(x, b);
	if (x->state.arenas.count == 0) {
		doubt(x, "the allocator's arenas are not found");
		for (size_t i = 0; i < x->plain.count; i++) {
			const struct glibc_stretch s = x->plain.data[i];
			const uint64_t rest = guess_other_heaps(x, &s);
			const uint64_t first = rest == s.addr ? guess_first(x, &s) : 0;
			uint64_t stop;
			if (first != 0)
				glibc_take_piece(x, (struct glibc_stretch){ first, s.end }, first,
						 &stop);
		}
	}
	find_all_mapped(x);
	/* Without any heap, a chunk that seems to have its own mapping is a coincidence. */
	if (x->to->arenas > 0 || x->state.arenas.count > 0)
		take_mapped(x);
	take_kept(x, b);
	for (struct block_walk w = block_walk_from(&b->kept, 0); block_walk_next(&w);)
		remove_block(x, block_map_addr(&b->kept, w.at));
	for (size_t i = 0; i < b->caches.count; i++)
		remove_block(x, b->caches.data[i]);
	if (x->to->broken > 0)
		doubt(x, "a chain of its chunks, or a list of freed ones, does not go on");
}

void glibc_heaps_find(struct glibc_heaps *ret, struct blocks_found *b, struct calls *c,
		      const struct dump *d)
{
	block_map_release(&b->live);
	struct heaps x = heaps_begin(ret, b, &b->live, d);
	b->d = d;
	b->c = c;
	b->chunks = true;
	find_chunks(&x, b);
	block_map_count(&b->live);
	b->live_bytes = ret->bytes;
	b->doubt = ret->doubt;
	c->stacks.data[0].blocks = (uint32_t)min_u64(ret->chunks, UINT32_MAX);
	c->stacks.data[0].block_bytes = ret->bytes;
	if (ret->arenas == 0 && ret->chunks == 0)
		b->doubt = ret->doubt = NULL;
	heaps_end(&x);
}
