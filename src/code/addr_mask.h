/* addr_mask.h - a set of addresses in at most 1 MiB, to reject other addresses quickly.
 *
 * One bit stands for 16 bytes, or for more if the range of the addresses is large. An address near
 * a member may be accepted too. A member is never rejected. Look-ups are O(1), on any number of
 * threads. */
#ifndef HEFT_CODE_ADDR_MASK_H
#define HEFT_CODE_ADDR_MASK_H

#include "base/base.h"

enum { ADDR_MASK_GRANULE = 16 };

/* A zeroed set is empty */
struct addr_mask {
	uint64_t low, size;
	unsigned shift; /* log2 of the number of bytes that a bit stands for */
	uint64_t *bits;
	uint64_t far_low, far_size; /* A second range, all of which is accepted */
};

/* Makes an empty set for addresses of [low, high). */
void addr_mask_open(struct addr_mask *m, uint64_t low, uint64_t high);
/* Adds the part of [start, end) in the range. O(end - start). */
void addr_mask_add(struct addr_mask *m, uint64_t start, uint64_t end);
void addr_mask_release(struct addr_mask *m);

static inline bool addr_mask_may_have(const struct addr_mask *m, uint64_t addr)
{
	const uint64_t off = addr - m->low, granule = off >> m->shift;
	return off < m->size ? (m->bits[granule / 64] >> granule % 64 & 1) != 0
			     : addr - m->far_low < m->far_size;
}

#endif
