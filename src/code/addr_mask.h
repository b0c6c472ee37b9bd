/* addr_mask.h - a set of addresses in little memory, to reject other addresses quickly.
 *
 * The members are in up to two ranges, because sections may be far from each other. One bit stands
 * for 16 bytes, or for more if the range is large. An address near a member may be accepted too. A
 * member is never rejected. Look-ups are O(1), on any number of threads. */
#pragma once

#include "base/base.h"
#include "base/mem.h"

enum { ADDR_MASK_GRANULE = 16 };

struct addr_range {
	uint64_t low, size;
	unsigned shift; /* log2 of the number of bytes that a bit stands for */
	uint64_t *bits;
};

/* A zeroed set is empty */
struct addr_mask {
	struct addr_range near, far; /* `far` is mostly empty */
};

enum { ADDR_MASK_NEAR = 1 << 23, ADDR_MASK_FAR = 1 << 16 };

/* Makes one of the ranges of a zeroed set: [low, high), without members. It gets at most `bits`
 * bits: ADDR_MASK_NEAR (1 MiB) or ADDR_MASK_FAR (8 KiB). */
void addr_range_open(struct addr_range *r, uint64_t low, uint64_t high, uint64_t bits);
/* Adds the addresses in [start, end) that lie in the set's two ranges. O(end - start). */
void addr_mask_add(struct addr_mask *m, uint64_t start, uint64_t end);
static inline void addr_mask_release(struct addr_mask *m)
{
	mem_free_all(m->near.bits, m->far.bits);
	*m = (struct addr_mask){ 0 };
}

static inline bool addr_range_may_have(const struct addr_range *r, uint64_t addr)
{
	const uint64_t off = addr - r->low, granule = off >> r->shift;
	return off < r->size && (r->bits[granule / 64] >> granule % 64 & 1) != 0;
}

static inline bool addr_mask_may_have(const struct addr_mask *m, uint64_t addr)
{
	return addr_range_may_have(&m->near, addr) || addr_range_may_have(&m->far, addr);
}
