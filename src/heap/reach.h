/* reach.h - which blocks can still be reached: leaks by a conservative scan.
 *
 * Roots are the registers and stacks of all threads (from sp on, less what a function may use below
 * it), what the heap holds besides blocks and free memory, and all other memory that programs
 * write, the recorder's own apart.  A word that lies in a live block, its end included only for
 * empty ones, reaches it; blocks that are reached are scanned in turn.  Words are looked at where
 * they are aligned. */
#ifndef HEFT_HEAP_REACH_H
#define HEFT_HEAP_REACH_H

#include "heap/heap_layout.h"

enum reach {
	REACH_LOST, /* nothing points to it; of blocks that only point to each other, the first */
	REACH_INDIRECT, /* only lost blocks point to it */
	REACH_INSIDE,   /* reached, but only by pointers past its start */
	REACH_YES,
};

/* Half a byte a live block, for reach_of; the caller frees (mem_free).  A block has 32 bytes with
 * its header at least, so that is no more than a sixty-fourth of the heap.  False, with a reason in
 * *ret_why (static text), where the dump cannot tell: no threads, or writable memory is missing.
 * Cost: linear in memory; the list of blocks that are still to be scanned has a fixed length, and
 * where it does not do, blocks that had no place in it are looked for again. */
bool heap_reach(uint8_t **ret, const char **ret_why, const struct dump *d, const struct records *r,
		const struct blocks_found *b, const struct heap_layout *l);

/* How live block i is reached. */
static inline enum reach reach_of(const uint8_t *reach, size_t i)
{
	return (enum reach)(reach[i / 2] >> 4 * (i % 2) & 7);
}

#endif
