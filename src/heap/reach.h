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

/* One byte (enum reach) a live block; malloc'ed, the caller frees.  False, with a reason in
 * *ret_why (static text), where the dump cannot tell: no threads, or writable memory is missing.
 * Cost: linear in memory, about 6 bytes a block. */
bool heap_reach(uint8_t **ret, const char **ret_why, const struct dump *d, const struct records *r,
		const struct blocks_found *b, const struct heap_layout *l);

#endif
