/* wide.h - multiplies 64-bit numbers to 128 bits, also on machines without a 128-bit type. */
#pragma once

#include "base/base.h"

struct wide {
	uint64_t low, high;
};

static inline struct wide wide_product(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
	const unsigned __int128 p = (unsigned __int128)a * b;
	return (struct wide){ (uint64_t)p, (uint64_t)(p >> 64) };
#else
	const uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
	const uint64_t mid = a1 * b0 + (a0 * b0 >> 32), cross = a0 * b1 + (mid & UINT32_MAX);
	return (struct wide){ a * b, a1 * b1 + (mid >> 32) + (cross >> 32) };
#endif
}

/* Returns x * part / whole, rounded down, which is at most `part`. x is at most `whole`, and
 * `whole` is not 0. */
static inline uint64_t wide_scaled(uint64_t x, uint64_t part, uint64_t whole)
{
	ASSERT(whole > 0 && x <= whole);
	struct wide rest = wide_product(x, part);
#ifdef __SIZEOF_INT128__
	return (uint64_t)((((unsigned __int128)rest.high << 64) | rest.low) / whole);
#else
	uint64_t ret = 0;
	for (int i = 0; i < 64; i++) {
		const bool carry = rest.high >> 63;
		rest.high = rest.high << 1 | rest.low >> 63;
		rest.low <<= 1;
		ret <<= 1;
		if (carry || rest.high >= whole) {
			rest.high -= whole;
			ret |= 1;
		}
	}
	return ret;
#endif
}
