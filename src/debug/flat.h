/* flat.h - gives each address of overlapping ranges one owner.
 *
 * If several ranges contain an address, the range with the highest `who` owns it. If `who` numbers
 * functions and what is inlined into them, parents first, the innermost range wins. O(n log n) for
 * n ranges, which give at most 2 n spans. */
#pragma once

#include "base/vec.h"

#define FLAT_NONE UINT32_MAX

struct flat_range {
	uint64_t addr, end;
	uint32_t who; /* Number of the range's owner. Not FLAT_NONE */
};

struct flat_span {
	uint64_t addr;
	uint32_t size; /* Never 0, at most UINT32_MAX */
	uint32_t who;
};

struct flat {
	VEC(struct flat_span) spans; /* Sorted by address, without overlap */
};

/* Fills *ret, which is zeroed or was filled before. Sorts the ranges. */
void flat_lay(struct flat *ret, struct flat_range *ranges, size_t count);
/* Returns the span that contains addr. NULL if there is none. O(log n). */
const struct flat_span *flat_find(const struct flat *f, uint64_t addr);
/* Like flat_find(), but fast for an address near the last one. *near remembers the last span, 0 at
 * first. O(log of the distance) for rising addresses. */
const struct flat_span *flat_find_near(const struct flat *f, uint64_t addr, size_t *near);
void flat_release(struct flat *f);
