/* bbindex.h - from an address to the block that starts there or before, among millions.
 *
 * Code is cut into pages of at most 128 places where a block may start; places are as far apart as
 * the code is aligned.  The index has, for each page, how many blocks start before it, and for each
 * block, a byte: its place in its page.  A page has about 7 blocks, so a look-up compares 16 bytes
 * at once; those with more are searched.  1.6 bytes a block of x86-64.  Where no block starts for
 * long, a new region begins.
 *
 * Blocks are numbered in the order of their starts, those that start together in the order given.
 * Never changes once built; any thread may look up. */
#ifndef HEFT_CODE_BBINDEX_H
#define HEFT_CODE_BBINDEX_H

#include "blocks/bbmap.h"

#define BBINDEX_NONE UINT32_MAX

/* Blocks one behind the other in an array, by rising offset. */
struct bbindex_run {
	uint64_t addr; /* what their offsets count from */
	uint64_t first, count;
};

struct bbindex_region {
	uint64_t base; /* where its first block starts */
	uint64_t last; /* its last block's start, counted from base */
	uint64_t page; /* its first page */
};

struct bbindex {
	VEC(struct bbindex_region) regions; /* by base */
	uint32_t *pages; /* blocks before each page; one more than there are pages */
	uint8_t *places; /* of each block in its page */
	uint32_t *order; /* numbers to places in the array; NULL: they are the same */
	uint64_t page_count;
	uint64_t count;      /* of blocks */
	unsigned shift;      /* places are 2^shift bytes apart */
	unsigned page_shift; /* a page has 2^page_shift bytes */
};

/* `runs` by rising address.  At most 2^32 - 1 blocks count, the first ones.  O(n); where runs
 * overlap, O(n log n). */
void bbindex_build(struct bbindex *x, const struct bbindex_run *runs, size_t run_count,
		   const struct bbmap_block *blocks);
void bbindex_release(struct bbindex *x);

/* The place in the array of the last block that starts at addr or before; of several that start
 * together, the last one, which is the one with bytes.  BBINDEX_NONE if none does.  Whether the
 * block reaches as far as addr is the caller's to see.  O(1) for code; O(log n) for any blocks, or
 * in many regions. */
uint32_t bbindex_find(const struct bbindex *x, uint64_t addr);
/* The same for many, in any order, without memory of its own.  About 3 ns each where they rise; 5
 * to 10 ns where they do not and the index fills the second cache, as that of a million blocks
 * does. */
void bbindex_find_batch(const struct bbindex *x, const uint64_t *addrs, size_t count,
			uint32_t *ret);
/* Bytes held. */
uint64_t bbindex_size(const struct bbindex *x);

#endif
