/* glibc.h - finds the chunks of glibc's malloc in memory (malloc.c, "malloc_chunk").
 *
 * A chunk at c has two words. The word at c is the size of the chunk before it, if that chunk is
 * free. The word at c + word is its own size. The low bits of the size are flags: 1 the chunk
 * before is in use, 2 the chunk has a mapping of its own, 4 it belongs to an arena other than the
 * first. The user's bytes begin at c + 2 words and may extend into the first word of the next
 * chunk. So a chunk owns [c + word, c + size + word).
 *
 * Chunks of a heap are consecutive. The last, `top`, ends at a page boundary. A heap that could not
 * grow ends with chunks too small to be used ("fencepost"). The first arena then continues
 * elsewhere, after memory that others got from the system. Freed chunks are recognized by the lists
 * that contain them (glibc_kept.h). */
#pragma once

#include "heap/block_scan.h"
#include "heap/memory.h"

enum {
	CHUNK_BEFORE_USED = 1,
	CHUNK_MAPPED = 2,
	CHUNK_OTHER_ARENA = 4,
	CHUNK_FLAGS = 7,
	CHUNK_PAGE = 4096,
	CHUNK_HEAD_MOST = CHUNK_PAGE, /* Limit in bytes from the start of a heap to its first chunk.
				       * The arena may lie between them. */
};

/* Reads words of a dump. Fast if the words are close together. */
struct chunk_view {
	const struct dump *d;
	uint64_t word;
	const struct region *last;
};

static inline bool chunk_word(struct chunk_view *v, uint64_t addr, uint64_t *ret)
{
	const struct region *g = v->last;
	if (g == NULL || addr - g->addr >= g->bytes.size ||
	    g->bytes.size - (addr - g->addr) < v->word) {
		v->last = dump_region(v->d, addr);
		return memory_word(v->d, addr, ret);
	}
	struct reader r = reader_at(g->bytes, v->d->big_endian, addr - g->addr);
	*ret = v->word == 4 ? read_u32(&r) : read_u64(&r);
	return true;
}

/* Reads the size and flags of the chunk at `at`. The chunk must end by `end`. False if invalid. */
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

bool chunk_before_used(struct chunk_view *v, uint64_t at);
/* Follows consecutive chunks from `at`. Returns `end` if a chunk begins there, the address after
 * the end of a heap (chunk_is_end), or the first invalid chunk. `in_use`: whether the chunk before
 * `at` is in use. *ret_last is the last valid chunk. */
uint64_t chunk_follow(struct chunk_view *v, uint64_t at, uint64_t end, bool in_use,
		      uint64_t *ret_last);
/* True if the valid chunk at `at` is the last of a heap. */
bool chunk_is_end(struct chunk_view *v, uint64_t at);
/* Returns the first address from which consecutive chunks reach `end`. It is at most
 * CHUNK_HEAD_MOST after `at`. 0 if there is none. */
uint64_t chunk_find_head(struct chunk_view *v, uint64_t at, uint64_t end);

/* Facts about glibc's heaps in a dump of a process that was not recorded. */
struct glibc_heaps {
	uint64_t arenas;               /* Number of heaps. The first arena counts as one heap */
	uint64_t chunks, bytes;        /* Number and bytes of chunks in use */
	uint64_t mapped, mapped_bytes; /* Chunks in use that have a mapping of their own, and their
				        * bytes */
	uint64_t cached, cached_bytes; /* Freed chunks kept for the next malloc of their size. */
	uint64_t free_chunks, free_bytes; /* Freed chunks, without those at the tops of heaps */
	uint64_t top_bytes;               /* Bytes of the `top` chunks: unused ends of the heaps. */
	uint64_t broken;
	/* Reason (static text) why chunks may be missing, or freed chunks may count as in use. NULL
	 * if the allocator's own numbers agree with the result. */
	const char *doubt;
};

/* Finds all chunks in use, which become live blocks without stack or header. Adds them to `b`,
 * which must have no live block, and to stack 0 of `c`. A block's size is what the program could
 * use. Memory of other allocators has no chunks. Cost: a few words per chunk and page. */
void glibc_heaps_find(struct glibc_heaps *ret, struct blocks_found *b, struct calls *c,
		      const struct dump *d);
/* Finds b->kept and b->caches of a process that was recorded. */
void glibc_kept_find(struct blocks_found *b, const struct dump *d);
