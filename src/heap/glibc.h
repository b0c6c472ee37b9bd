/* glibc.h - the chunks of glibc's malloc, as they lie in memory.
 *
 * malloc.c ("malloc_chunk"): at c the size of the chunk before, if that is free; at c + word the
 * own size, whose low bits say: 1 the chunk before is in use, 2 mapped by itself, 4 of another
 * arena than the first.  The user's bytes begin at c + 2 words and may reach into the first word of
 * the next chunk.  So a chunk owns [c + word, c + size + word).
 *
 * Chunks of a heap follow one another; the last, `top`, ends with a page.  A heap that could not
 * grow any more ends with chunks that are too small to be handed out ("fencepost"); the first
 * arena's then goes on behind what somebody else got from the system.
 *
 * Freed chunks are told from those in use by the lists that they are in (glibc_kept.h). */
#ifndef HEFT_HEAP_GLIBC_H
#define HEFT_HEAP_GLIBC_H

#include "heap/block_scan.h"
#include "heap/memory.h"

enum {
	CHUNK_BEFORE_USED = 1,
	CHUNK_MAPPED = 2,
	CHUNK_OTHER_ARENA = 4,
	CHUNK_FLAGS = 7,
	CHUNK_PAGE = 4096,
	CHUNK_HEAD_MOST = CHUNK_PAGE, /* where a chain may begin behind the start: its arena */
};

/* Reads words of a dump, mostly near one another. */
struct chunk_view {
	const struct dump *d;
	uint64_t word;             /* bytes of one */
	const struct region *last; /* that was read */
};

static inline bool chunk_word(struct chunk_view *v, uint64_t addr, uint64_t *ret)
{
	const struct region *g = v->last;
	if (g == NULL || addr - g->addr >= g->bytes.size ||
	    g->bytes.size - (addr - g->addr) < v->word) {
		v->last = dump_region(v->d, addr);
		return memory_word(v->d, addr, ret);
	}
	struct reader r = reader_of(g->bytes, v->d->big_endian);
	reader_seek(&r, addr - g->addr);
	*ret = v->word == 4 ? read_u32(&r) : read_u64(&r);
	return true;
}

/* The size at a chunk that ends by `end`; false where that is none. */
static inline bool chunk_size(struct chunk_view *v, uint64_t at, uint64_t end, uint64_t *ret_size,
			      uint64_t *ret_flags)
{
	uint64_t x;
	if (at % (2 * v->word) != 0 || at >= end || !chunk_word(v, at + v->word, &x))
		return false;
	*ret_flags = x & CHUNK_FLAGS;
	*ret_size = x - *ret_flags;
	return *ret_size >= 2 * v->word && *ret_size % (2 * v->word) == 0 && *ret_size <= end - at;
}

/* Is the chunk in front of `at` in use? */
bool chunk_before_used(struct chunk_view *v, uint64_t at);
/* Follows the chain from `at` on; returns `end` where it leads there, else what follows the end of
 * a heap (chunk_is_end), else the chunk that is wrong.  `in_use`: what is in front of the first
 * chunk is.  ret_last: the last good chunk. */
uint64_t chunk_follow(struct chunk_view *v, uint64_t at, uint64_t end, bool in_use,
		      uint64_t *ret_last);
/* Does a heap end with the good chunk at `at`? */
bool chunk_is_end(struct chunk_view *v, uint64_t at);
/* The first place from `at` on, within CHUNK_HEAD_MOST, whose chain leads to `end`; 0: none. */
uint64_t chunk_find_head(struct chunk_view *v, uint64_t at, uint64_t end);

/* The heaps of glibc in a dump of a process that was not recorded. */
struct glibc_heaps {
	uint64_t arenas;        /* heaps: the first, and one for each part of another arena */
	uint64_t chunks, bytes; /* in use, those mapped by themselves included */
	uint64_t mapped, mapped_bytes;    /* of these */
	uint64_t cached, cached_bytes;    /* kept for the next malloc of their size */
	uint64_t free_chunks, free_bytes; /* given back, top left out */
	uint64_t top_bytes;               /* never handed out, or given back at the end */
	uint64_t broken;                  /* places where a chain or a list does not go on */
	/* Why chunks may be missing, or some of those in use are freed (static text); NULL: what
	 * the allocator says of itself agrees with what was found. */
	const char *doubt;
};

/* Finds all chunks in use and adds them to `b`, which has no live block, and to stack 0 of `c`:
 * live blocks without a stack or a header, whose size is what the program could use.  Memory of
 * other allocators has none.  Cost: a few words a chunk and a page. */
void glibc_heaps_find(struct glibc_heaps *ret, struct blocks_found *b, struct calls *c,
		      const struct dump *d);
/* Finds, of a process that was recorded, what b->kept and b->caches have. */
void glibc_kept_find(struct blocks_found *b, const struct dump *d);

#endif
