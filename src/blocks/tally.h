/* tally.h - counts pairs of numbers.
 *
 * Memory: 32 bytes per pair, and the table of base/map.h. An addition takes about 10 ns while the
 * tally fits the caches. A zeroed struct is an empty tally. One thread. */
#pragma once

#include "base/map.h"
#include "base/vec.h"

struct tally_pair {
	uint64_t a, b;
	uint64_t count; /* Never 0 */
	uint64_t extra; /* Number of a special kind among `count`, such as mispredicted branches */
};

struct tally {
	VEC(struct tally_pair) pairs; /* In the order of their first addition, until tally_sort() */
	struct map map;               /* Empty after tally_sort() */
};

void tally_add(struct tally *t, uint64_t a, uint64_t b, uint64_t count, uint64_t extra);
/* Returns the pair, or NULL if it was never added. Not allowed after tally_sort(). */
const struct tally_pair *tally_find(const struct tally *t, uint64_t a, uint64_t b);
/* Sorts the pairs by a, then b. No pair can be added afterwards. */
void tally_sort(struct tally *t);
void tally_release(struct tally *t);
