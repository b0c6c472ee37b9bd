/* flat.h - ranges that overlap, laid flat: who owns each address.
 *
 * Where several ranges cover an address, the one with the highest `who` owns it.  With the
 * numbers given in the order of a tree, parents first, that is the innermost one.
 * O(n log n) for n ranges; at most 2 n spans come of them. */
#ifndef HEFT_DEBUG_FLAT_H
#define HEFT_DEBUG_FLAT_H

#include "base/vec.h"

#define FLAT_NONE UINT32_MAX

struct flat_range {
	uint64_t addr, end; /* half-open; an empty one owns nothing */
	uint32_t who;       /* not FLAT_NONE */
};

struct flat_span {
	uint64_t addr;
	uint32_t size; /* not 0; spans of 4 GiB and more are cut to UINT32_MAX */
	uint32_t who;
};

struct flat {
	VEC(struct flat_span) spans; /* by addr, without overlap */
};

/* Fills *ret (zeroed, or of an earlier call); sorts the ranges. */
void flat_lay(struct flat *ret, struct flat_range *ranges, size_t count);
/* The span around addr, NULL if none.  O(log n). */
const struct flat_span *flat_find(const struct flat *f, uint64_t addr);
/* The same where the span before was found near the one after; *near is the place of the last
 * one found, 0 at first.  O(log of the distance) upwards. */
const struct flat_span *flat_find_near(const struct flat *f, uint64_t addr, size_t *near);
void flat_release(struct flat *f);

#endif
