/* rng.h - repeatable random numbers for tests: the same seed, the same numbers everywhere. */
#ifndef HEFT_TESTS_RNG_H
#define HEFT_TESTS_RNG_H

#include "base/base.h"

struct rng {
	uint64_t state;
};

/* SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators). */
static inline uint64_t rng_next(struct rng *r)
{
	uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* In [0, n); 0 for n 0. */
static inline uint64_t rng_below(struct rng *r, uint64_t n)
{
	return n ? rng_next(r) % n : 0;
}

/* True once in n times. */
static inline bool rng_once_in(struct rng *r, uint64_t n)
{
	return rng_below(r, n) == 0;
}

/* A number of any magnitude: small ones, round ones and ends of ranges are likely. */
static inline uint64_t rng_odd_number(struct rng *r)
{
	const unsigned bits = (unsigned)rng_below(r, 64);
	const uint64_t v = UINT64_C(1) << bits;
	switch (rng_below(r, 6)) {
	case 0: return v;
	case 1: return v - 1;
	case 2: return UINT64_MAX - rng_below(r, 64);
	case 3: return rng_below(r, 256);
	case 4: return UINT64_C(0) - v;
	default: return rng_next(r) >> bits;
	}
}

#endif
