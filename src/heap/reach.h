/* reach.h - finds which blocks can still be reached: leaks, by a conservative scan.
 *
 * Roots are the registers and stacks of all threads. A stack counts from sp on, with the red zone
 * below sp. Other roots are heap memory that is neither a block nor free, and all other writable
 * memory except the recorder's. An aligned word with an address in a live block reaches that block.
 * The address of a block's end counts only if the block is empty. Reached blocks are scanned in
 * turn. */
#pragma once

#include "heap/heap_layout.h"

enum reach {
	REACH_LOST, /* No block points to it, or it is the first block of a cycle of lost blocks */
	REACH_INDIRECT,
	REACH_INSIDE, /* Pointers lead only to addresses inside the block, not to its start */
	REACH_YES,
};

/* Computes for each live block how it is reached. The caller reads the result by reach_of(), half a
 * byte per block, and frees it with mem_free(). The result is at most 1/64 of the heap, because a
 * block has at least 32 bytes with its header. False, with a reason in *ret_why (static text), if
 * the dump lacks threads or writable memory. Cost: linear in memory. The list of blocks to scan has
 * a fixed length. A second search finds blocks that did not fit. */
bool heap_reach(uint8_t **ret, const char **ret_why, const struct dump *d, const struct records *r,
		const struct blocks_found *b, const struct heap_layout *l);

static inline enum reach reach_of(const uint8_t *reach, size_t i)
{
	return (enum reach)(reach[i / 2] >> 4 * (i % 2) & 7);
}
