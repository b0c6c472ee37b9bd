#include "code/addr_mask.h"

void addr_mask_open(struct addr_mask *m, uint64_t low, uint64_t high)
{
	enum { GRANULES_MOST = 1 << 23 };
	ASSERT(low <= high && !m->bits);
	*m = (struct addr_mask){ .low = low, .size = high - low };
	while (UINT64_C(1) << m->shift < ADDR_MASK_GRANULE || m->size >> m->shift >= GRANULES_MOST)
		m->shift++;
	m->bits = mem_zeroed((m->size >> m->shift) / 64 + 1, sizeof *m->bits);
}

void addr_mask_add(struct addr_mask *m, uint64_t start, uint64_t end)
{
	start = max_u64(start, m->low);
	end = min_u64(end, m->low + m->size);
	if (start >= end)
		return;
	uint64_t g = (start - m->low) >> m->shift;
	const uint64_t last = (end - 1 - m->low) >> m->shift;
	while (g <= last) {
		const bool whole = g % 64 == 0 && last - g >= 63;
		m->bits[g / 64] |= whole ? UINT64_MAX : UINT64_C(1) << g % 64;
		g += whole ? 64 : 1;
	}
}

void addr_mask_release(struct addr_mask *m)
{
	mem_free(m->bits);
	*m = (struct addr_mask){ 0 };
}
