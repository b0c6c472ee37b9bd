/* tally.h - how often pairs of numbers were seen.
 *
 * 32 bytes a pair and what base/map.h takes; about 10 ns an addition while that fits the caches.
 * A zeroed struct is empty.  One thread. */
#ifndef HEFT_BLOCKS_TALLY_H
#define HEFT_BLOCKS_TALLY_H

#include "base/map.h"
#include "base/vec.h"

struct tally_pair {
	uint64_t a, b;
	uint64_t count; /* not 0 */
	uint64_t extra; /* of a second kind, such as the mispredicted ones among them */
};

struct tally {
	VEC(struct tally_pair) pairs; /* in the order of their first addition, until tally_sort */
	struct map map;               /* pairs; empty after tally_sort */
};

void tally_add(struct tally *t, uint64_t a, uint64_t b, uint64_t count, uint64_t extra);
/* NULL where the pair was never added.  Not after tally_sort. */
const struct tally_pair *tally_find(const struct tally *t, uint64_t a, uint64_t b);
/* Sorts the pairs by a, then b.  Nothing can be added any more. */
void tally_sort(struct tally *t);
void tally_release(struct tally *t);

#endif
