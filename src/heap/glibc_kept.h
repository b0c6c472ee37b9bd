/* glibc_kept.h - freed chunks that stay marked as in use: glibc's fast bins and caches of threads.
 *
 * Only the lists themselves tell such a chunk from one in use.  Fast bins are in the arenas.  A
 * thread's cache ("tcache_perthread_struct", since 2.26) is a chunk in use: first how many chunks
 * each list has, or since 2.42 may still take, then where each list begins.  A chunk is a cache if
 * all its lists begin with a chunk of the list's size. */
#ifndef HEFT_HEAP_GLIBC_KEPT_H
#define HEFT_HEAP_GLIBC_KEPT_H

#include "heap/block_map.h"
#include "heap/glibc.h"
#include "heap/glibc_state.h"

struct kept_lists {
	struct chunk_view v;
	const struct block_map *chunks; /* all that are marked as in use; NULL: not known */
	struct block_map *kept;         /* those of them that are in a list */
	bool plain;                     /* links are addresses; since 2.32 they are stored ^
	                                 * (where they are stored / 4096) */
	uint64_t count, bytes;          /* of these */
	uint64_t broken;                /* lists that do not lead to their end */
	VEC(uint64_t) written;          /* the last good chunks of these: the users' bytes */
};

/* Could a chunk of this size be a thread's cache? */
bool kept_is_cache_size(const struct chunk_view *v, uint64_t size);
/* Is it one that has a chunk? */
bool kept_is_cache(const struct kept_lists *k, uint64_t at, uint64_t size);
/* If it is one, all in its lists are kept. */
bool kept_take_cache(struct kept_lists *k, uint64_t at, uint64_t size);
void kept_take_fast(struct kept_lists *k, const struct glibc_arena *a);

#endif
