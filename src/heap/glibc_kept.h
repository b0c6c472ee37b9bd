/* glibc_kept.h - finds freed chunks that stay marked as in use: glibc's fast bins and thread
 * caches. Only the lists distinguish them from chunks in use.
 *
 * Fast bins are in the arenas. A thread's cache ("tcache_perthread_struct", since 2.26) is itself a
 * chunk in use. The cache begins with a count per list. The count is the number of chunks in the
 * list. Since 2.42, it is the number of chunks that the list can still accept. Then come the starts
 * of the lists. A chunk counts as a cache if each of its lists begins with a chunk of the list's
 * size. */
#pragma once

#include "heap/block_map.h"
#include "heap/glibc.h"
#include "heap/glibc_state.h"

struct kept_lists {
	struct chunk_view v;
	const struct block_map *chunks; /* All chunks that are marked as in use. NULL if unknown */
	struct block_map *kept;         /* Chunks in a list, although they are marked as in use */
	bool plain;                     /* True for glibc before 2.32: a link is an address. Later,
					 * it is address ^ (place of the link / 4096) */
	uint64_t count, bytes;
	uint64_t broken; /* Number of lists that are damaged before their end */
	VEC(uint64_t)
	written; /* User addresses of the last valid chunks of damaged lists */
};

/* True if a chunk of this size can be a thread's cache. */
bool kept_is_cache_size(const struct chunk_view *v, uint64_t size);
/* True if the chunk is a thread's cache with at least one chunk in its lists. */
bool kept_is_cache(const struct kept_lists *k, uint64_t at, uint64_t size);
/* If the chunk is a cache, adds all chunks of its lists to `kept`, and returns true. */
bool kept_take_cache(struct kept_lists *k, uint64_t at, uint64_t size);
void kept_take_fast(struct kept_lists *k, const struct glibc_arena *a);
