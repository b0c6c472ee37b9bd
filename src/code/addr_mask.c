#include "code/addr_mask.h"

void addr_range_open(struct addr_range *r, uint64_t low, uint64_t high, uint64_t bits)
{
	ASSERT(low <= high && !r->bits);
	*r = (struct addr_range){ .low = low, .size = high - low };
	while (UINT64_C(1) << r->shift < ADDR_MASK_GRANULE || r->size >> r->shift >= bits)
		r->shift++;
	r->bits = mem_zeroed((r->size >> r->shift) / 64 + 1, sizeof *r->bits);
}

static void addr_range_add(struct addr_range *r, uint64_t start, uint64_t end)
{
	start = max_u64(start, r->low);
	end = min_u64(end, r->low + r->size);
	if (start >= end)
		return;
	uint64_t g = (start - r->low) >> r->shift;
	const uint64_t last = (end - 1 - r->low) >> r->shift;
	while (g <= last) {
		const bool whole = g % 64 == 0 && last - g >= 63;
		r->bits[g / 64] |= whole ? UINT64_MAX : UINT64_C(1) << g % 64;
		g += whole ? 64 : 1;
	}
}

void addr_mask_add(struct addr_mask *m, uint64_t start, uint64_t end)
{
	addr_range_add(&m->near, start, end);
	addr_range_add(&m->far, start, end);
}
