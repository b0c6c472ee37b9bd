#include "heap/glibc.h"

enum {
	CACHED_MOST = 1088, /* size of chunks that freed blocks may be kept in as if in use */
	SPECK = 4,          /* words of the least chunk that is handed out */
};

/* ---- one chunk ------------------------------------------------------------------------------- */

bool chunk_before_used(struct chunk_view *v, uint64_t at)
{
	uint64_t x;
	return chunk_word(v, at + v->word, &x) && (x & CHUNK_BEFORE_USED) != 0;
}

static bool is_size_of(struct chunk_view *v, uint64_t at, uint64_t size)
{
	uint64_t x;
	return chunk_word(v, at, &x) && x - (x & CHUNK_FLAGS) == size;
}

/* Since 2.32 the first word of these is the next one's address ^ their own / 4096: of the user's
 * bytes in thread caches, of the chunk in fast bins.  The second word is 0 in a block that a thread
 * cache gave out, and not in one that it has. */
bool chunk_is_cached(struct chunk_view *v, uint64_t at, uint64_t size)
{
	const uint64_t user = at + 2 * v->word;
	uint64_t x, key;
	if (size > CACHED_MOST || !chunk_word(v, user, &x) || !chunk_word(v, user + v->word, &key))
		return false;
	const uint64_t next = x ^ user >> 12;
	if (next != 0 && (next % (2 * v->word) != 0 || next < v->word))
		return false;
	return (key != 0 && (next == 0 || is_size_of(v, next - v->word, size))) ||
	       (next != 0 && is_size_of(v, next + v->word, size));
}

/* ---- chains ---------------------------------------------------------------------------------- */

uint64_t chunk_follow(struct chunk_view *v, uint64_t at, uint64_t end, bool in_use,
		      uint64_t *ret_last)
{
	uint64_t size = 0, next_size, flags;
	*ret_last = at;
	while (at < end && chunk_size(v, at, end, &next_size, &flags)) {
		const bool before = (flags & CHUNK_BEFORE_USED) != 0;
		uint64_t stated;
		if ((flags & CHUNK_MAPPED) != 0 || (in_use && !before))
			break;
		/* A free chunk says its size at both ends. */
		if (!before && size != 0 && (!chunk_word(v, at, &stated) || stated != size))
			break;
		in_use = false;
		*ret_last = at;
		size = next_size;
		at += size;
	}
	return at;
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

/* ---- the chunks of a chain ------------------------------------------------------------------- */

struct heaps {
	struct chunk_view v;
	struct glibc_heaps *to;
	struct blocks_found *b;
	struct calls *c;
};

static void add_block(struct heaps *x, uint64_t user, uint64_t size)
{
	struct call_stack *none = &x->c->stacks.data[0];
	block_map_set(&x->b->live, user - 2 * x->v.word);
	x->b->live_bytes = add_sat(x->b->live_bytes, size);
	none->blocks++;
	none->block_bytes = add_sat(none->block_bytes, size);
	x->to->chunks++;
	x->to->bytes = add_sat(x->to->bytes, size);
}

/* The chunk at `at`, which the one at `next` follows, or nothing where that is the end.  What is
 * too small to be handed out marks the end of a heap that was left. */
static void take_chunk(struct heaps *x, uint64_t at, uint64_t next, uint64_t end)
{
	const uint64_t word = x->v.word, size = next - at;
	if (size < SPECK * word)
		return;
	if (next == end) {
		x->to->top_bytes += size;
	} else if (!chunk_before_used(&x->v, next)) {
		x->to->free_chunks++;
		x->to->free_bytes += size;
	} else if (chunk_is_cached(&x->v, at, size)) {
		x->to->cached++;
		x->to->cached_bytes += size;
	} else {
		add_block(x, at + 2 * word, size - word);
	}
}

/* What is in front of a break is in use: who wrote over the chunk behind it did so from there. */
static void take_chunks(struct heaps *x, uint64_t at, uint64_t stop, uint64_t end)
{
	uint64_t size, flags;
	while (at < stop && chunk_size(&x->v, at, end, &size, &flags)) {
		if (at + size == stop && stop != end)
			add_block(x, at + 2 * x->v.word, size - x->v.word);
		else
			take_chunk(x, at, at + size, end);
		at += size;
	}
}

/* The chain from `at` to `end`; where it breaks it is looked for again behind that. */
static void take_chain(struct heaps *x, uint64_t at, uint64_t end)
{
	enum { BROKEN_MOST = 64 }; /* of one chain: what looks like more is none */
	x->to->arenas++;
	for (unsigned broken = 0; at != 0 && at < end && broken < BROKEN_MOST; broken++) {
		uint64_t last;
		const uint64_t stop = chunk_follow(&x->v, at, end, false, &last);
		take_chunks(x, at, stop, end);
		if (stop == end)
			return;
		x->to->broken++;
		at = chunk_find_head(&x->v, stop + 2 * x->v.word, end);
	}
}

/* ---- heaps ----------------------------------------------------------------------------------- */

/* Memory that programs write, without a file behind it, in one piece. */
struct stretch {
	uint64_t addr, end;
};

static bool is_plain(const struct dump *d, const struct region *g)
{
	return g->file == 0 && g->read && g->write && (!g->exec || d->kind == DUMP_RAW);
}

static size_t find_stretch(const struct dump *d, size_t i, struct stretch *ret)
{
	*ret = (struct stretch){ d->regions[i].addr, d->regions[i].addr };
	while (i < d->region_count && d->regions[i].addr == ret->end && is_plain(d, &d->regions[i]))
		ret->end += d->regions[i++].size;
	return i;
}

/* A break is believed behind many chunks that fit. */
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

/* A heap of another arena (arena.c, "heap_info"): it begins at a multiple of the most that it may
 * grow to, with the address of its arena, the heap before it, its size, and how much of it may be
 * written.  The arena's own data is in the first of its heaps. */
static bool is_other_heap(struct heaps *x, uint64_t at, const struct stretch *s, uint64_t most,
			  uint64_t *ret_end)
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

/* The first chunk of a heap, or of a mapping: its bytes are aligned to 16 (malloc-alignment.h). */
static uint64_t first_chunk(const struct heaps *x, uint64_t addr)
{
	return addr + 16 - 2 * x->v.word;
}

/* The first multiple of `step` behind `at` that the dump may have bytes of, UINT64_MAX where there
 * is none.  What the dump lacks may be of any size. */
static uint64_t next_place(const struct heaps *x, uint64_t at, uint64_t step)
{
	uint64_t next = align_up(add_sat(at, 1), step);
	const struct region *const g = dump_region(x->v.d, next);
	if (g != NULL && next - g->addr >= g->bytes.size)
		next = align_up(add_sat(g->addr, g->size), step);
	return next > at ? next : UINT64_MAX;
}

/* Chunks mapped by themselves begin a page, and have as many; none is smaller than what glibc maps
 * unless the program asked for that. */
static void take_mapped(struct heaps *x, uint64_t at, uint64_t end)
{
	enum { LEAST = 128 << 10 };
	const uint64_t word = x->v.word, front = first_chunk(x, 0);
	uint64_t stated, size, flags;
	at = align_up(at, CHUNK_PAGE);
	while (at < end) {
		if (!chunk_size(&x->v, at + front, end, &size, &flags) || flags != CHUNK_MAPPED ||
		    (size + front) % CHUNK_PAGE != 0 || size < LEAST ||
		    !chunk_word(&x->v, at + front, &stated) || stated != front) {
			at = next_place(x, at, CHUNK_PAGE);
			continue;
		}
		add_block(x, at + front + 2 * word, size - 2 * word);
		x->to->mapped++;
		x->to->mapped_bytes += size - 2 * word;
		at += size + front;
	}
}

/* All of them in a stretch, and what is mapped in front of each; where the rest begins. */
static uint64_t take_other_heaps(struct heaps *x, const struct stretch *s)
{
	const uint64_t most = x->v.word == 8 ? UINT64_C(64) << 20 : UINT64_C(1) << 20;
	uint64_t rest = s->addr, at = align_up(s->addr, most), end, size, flags;
	for (; at >= s->addr && at < s->end; at = next_place(x, at, most)) {
		if (!is_other_heap(x, at, s, most, &end))
			continue;
		const uint64_t head = chunk_find_head(&x->v, at + 4 * x->v.word, end);
		if (head == 0 || !chunk_size(&x->v, head, end, &size, &flags) ||
		    (flags & CHUNK_OTHER_ARENA) == 0)
			continue;
		take_mapped(x, rest, at);
		take_chain(x, head, end);
		rest = end;
	}
	return rest;
}

/* The first heap's first chunk: behind the program's data where these are one mapping, else at the
 * start.  0: there is none. */
static uint64_t find_first(struct heaps *x, const struct stretch *s)
{
	enum { TRIES = 64 };
	unsigned tried = 0;
	for (uint64_t at = align_up(s->addr, CHUNK_PAGE); at < s->end && tried < TRIES;
	     at = next_place(x, at, CHUNK_PAGE)) {
		const uint64_t first = first_chunk(x, at);
		uint64_t size, flags;
		if (!chunk_size(&x->v, first, s->end, &size, &flags) || flags != CHUNK_BEFORE_USED)
			continue;
		if (is_chain(x, first, s->end))
			return first;
		tried++;
	}
	return 0;
}

static void take_stretch(struct heaps *x, const struct stretch *s)
{
	uint64_t rest = take_other_heaps(x, s);
	const uint64_t first = rest == s->addr ? find_first(x, s) : 0;
	if (first != 0) {
		take_chain(x, first, s->end);
		rest = s->end;
	}
	take_mapped(x, rest, s->end);
}

/* No live block; chunks begin where two words are aligned. */
static void begin(struct blocks_found *b, struct calls *c, const struct dump *d)
{
	block_map_release(&b->live);
	block_map_init(&b->live, d, memory_word_size(d) == 8 ? 4 : 3);
	b->d = d;
	b->c = c;
	b->chunks = true;
	b->live_bytes = 0;
}

void glibc_heaps_find(struct glibc_heaps *ret, struct blocks_found *b, struct calls *c,
		      const struct dump *d)
{
	struct heaps x = { { d, memory_word_size(d), NULL }, ret, b, c };
	*ret = (struct glibc_heaps){ 0 };
	begin(b, c, d);
	for (size_t i = 0; i < d->region_count;) {
		struct stretch s;
		const size_t next = find_stretch(d, i, &s);
		if (next > i)
			take_stretch(&x, &s);
		i = next > i ? next : i + 1;
	}
	if (ret->arenas == 0 && ret->chunks > 0) {
		/* What looks like one mapped by itself is none without a heap. */
		begin(b, c, d);
		c->stacks.data[0].blocks = 0;
		c->stacks.data[0].block_bytes = 0;
		*ret = (struct glibc_heaps){ 0 };
	}
	block_map_count(&b->live);
}
