/* bbindex.h - finds the last block that starts at or before an address, among millions.
 *
 * A place is an address at which a block may start. Places are as far apart as the code's
 * alignment. Code is cut into pages of at most 128 places. The index has, per page, the number of
 * blocks before it, and per block one byte: its place in the page. A page has about 7 blocks, so a
 * look-up compares 16 bytes at once. Pages with more blocks are searched by bisection. Memory: 1.6
 * bytes per block of x86-64. After a long gap without blocks, a new region begins.
 *
 * Blocks are numbered in the order of their starts. Blocks with the same start keep the given
 * order. Immutable once built. Any thread may look up. */
#pragma once

#include "blocks/bbmap.h"

#define BBINDEX_NONE UINT32_MAX

/* Consecutive blocks of an array, by rising offset. */
struct bbindex_run {
	uint64_t addr; /* Offsets of the blocks count from this address */
	uint64_t first, count;
};

struct bbindex_region {
	uint64_t base; /* Start of its first block */
	uint64_t last; /* Start of its last block, relative to `base` */
	uint64_t page; /* Index of its first page */
};

struct bbindex {
	VEC(struct bbindex_region) regions; /* Sorted by base */
	uint32_t *pages; /* Per page: number of blocks before it. Then the number of all blocks */
	uint8_t *places; /* Per block: its start in its page, in units of 2^shift bytes */
	uint32_t *order; /* Per block: its index in the caller's array. NULL: the same index */
	uint64_t page_count;
	uint64_t count;
	unsigned shift;      /* Places are 2^shift bytes apart */
	unsigned page_shift; /* A page has 2^page_shift bytes */
};

/* Builds the index. `runs` ascend by address. Uses only the first 2^32 - 1 blocks. O(n), or O(n log
 * n) if runs overlap. */
void bbindex_build(struct bbindex *x, const struct bbindex_run *runs, size_t run_count,
		   const struct bbmap_block *blocks);
void bbindex_release(struct bbindex *x);

/* Returns the array index of the last block that starts at or before addr. BBINDEX_NONE if there is
 * none. Of blocks with the same start, the last one is returned, because only it has bytes. The
 * caller must check that the block contains addr. O(1) for code. O(log n) for arbitrary blocks or
 * many regions. */
uint32_t bbindex_find(const struct bbindex *x, uint64_t addr);
/* Looks up many addresses in any order, like bbindex_find(). Allocates nothing. About 3 ns per
 * ascending address. Unordered addresses take 5 to 10 ns if the index fills the second-level cache,
 * as for a million blocks. */
void bbindex_find_batch(const struct bbindex *x, const uint64_t *addrs, size_t count,
			uint32_t *ret);
uint64_t bbindex_size(const struct bbindex *x);
