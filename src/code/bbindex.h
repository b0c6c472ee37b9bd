/* bbindex.h - from an address to the block that starts there or before, among millions.
 *
 * A bit for each place where a block may start, and counts of the bits before (rank): about
 * 1/8 byte and 1/128 a place, 2.5 bytes a block of x86-64.  Places are as far apart as the code is
 * aligned.  Where no block starts for long, a new region begins.
 *
 * Blocks are numbered in the order of their starts, those that start together in the order given.
 * Never changes once built; any thread may look up. */
#ifndef HEFT_CODE_BBINDEX_H
#define HEFT_CODE_BBINDEX_H

#include "code/bbmap.h"

#define BBINDEX_NONE UINT32_MAX

/* Blocks one behind the other in an array, by rising offset. */
struct bbindex_run {
	uint64_t addr; /* what their offsets count from */
	uint64_t first, count;
};

struct bbindex_region {
	uint64_t base; /* where its first block starts */
	uint64_t last; /* the place of its last block's start, counted from base */
	uint64_t word; /* its first word of bits */
};

struct bbindex {
	VEC(struct bbindex_region) regions; /* by base */
	uint64_t *bits;
	uint32_t *
		ranks; /* blocks before 8 words of bits; the highest bit: some of them start together */
	uint64_t word_count;
	VEC(uint32_t) extra; /* numbers of blocks that start where the one before does, rising */
	uint32_t *order;     /* numbers to places in the array; NULL: they are the same */
	uint64_t count;
	unsigned shift; /* places are 2^shift bytes apart */
	bool popcnt;    /* the processor counts bits */
};

/* `runs` by rising address.  At most 2^31 - 1 blocks count, the first ones.  O(n); where runs overlap,
 * O(n log n). */
void bbindex_build(struct bbindex *x, const struct bbindex_run *runs, size_t run_count,
		   const struct bbmap_block *blocks);
void bbindex_release(struct bbindex *x);

/* The place in the array of the last block that starts at addr or before; of several that start together,
 * the last one, which is the one with bytes.  BBINDEX_NONE if none does.  Whether the block reaches as
 * far as addr is the caller's to see. */
uint32_t bbindex_find(const struct bbindex *x, uint64_t addr);
/* The same for many: 5 to 10 ns each, in any order. */
void bbindex_find_all(const struct bbindex *x, const uint64_t *addrs, size_t count, uint32_t *ret);
/* The same for very many, in any order: sorts them by where in the index they fall, so that it is read from
 * front to back.  3 to 5 ns each where there are more of them than blocks; meanwhile 2 MiB of memory, and
 * 4 bytes for each 2^17 places. */
void bbindex_find_batch(const struct bbindex *x, const uint64_t *addrs, size_t count,
			uint32_t *ret);
/* Bytes held. */
uint64_t bbindex_size(const struct bbindex *x);

#endif
