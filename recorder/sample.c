/* sample.c - selects the blocks to record, if not all are recorded.
 *
 * A sample starts at each requested byte with the same small probability, 1 / mean. A block is
 * recorded if a sample starts in it, with the probability 1 - exp(-size / mean). It represents the
 * inverse of this probability in blocks. libm is not used, because the recorder needs only libc. */
#include "recorder.h"

/* Computes exp(-x) for x >= 0, error about 1e-13: a series for x / 4096, then 12 squarings. */
static double exp_minus(double x)
{
	if (x > 40)
		return 0;
	const double y = x / 4096;
	double v = 1 - y + y * y / 2 - y * y * y / 6 + y * y * y * y / 24;
	for (int i = 0; i < 12; i++)
		v *= v;
	return v;
}

/* Computes -ln(u) for 0 < u <= 1: counts halvings of u, then uses the series of atanh. */
static double minus_log(double u)
{
	double sum = 0;
	while (u < 0.5) {
		u *= 2;
		sum += 0.693147180559945309;
	}
	const double t = (1 - u) / (1 + u), q = t * t;
	return sum +
	       2 * t * (1 + q * (1.0 / 3 + q * (1.0 / 5 + q * (1.0 / 7 + q * (1.0 / 9 + q / 11)))));
}

/* Returns the bytes to the next sample, by xorshift64*: Marsaglia, "Xorshift RNGs" (2003). */
static int64_t next_distance(struct slot *s)
{
	uint64_t x = s->random;
	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	s->random = x;
	const uint64_t bits = (x * UINT64_C(0x2545f4914f6cdd1d)) >> 11;
	const double u = ((double)bits + 1) / 9007199254740992.0;
	return (int64_t)(minus_log(u) * (double)recorder.opt.sample) + 1;
}

bool sample_take(struct slot *s, size_t size)
{
	if (UNLIKELY(s->random == 0)) {
		s->random = (uintptr_t)s ^ clock_now() * UINT64_C(0x9e3779b97f4a7c15);
		s->random |= 1;
		s->until_sample = next_distance(s);
	}
	s->until_sample -= (int64_t)size;
	if (LIKELY(s->until_sample > 0))
		return false;
	s->until_sample = next_distance(
		s); /* the distribution has no memory, so the rest of the block does not matter */
	return true;
}

/* Rounds a weight up or down, by the address as a random number. So a free subtracts exactly the
 * number that the allocation added. */
static uint64_t round_by(const void *p, double v)
{
	const uint64_t whole = (uint64_t)v;
	const uint64_t h = (uintptr_t)p * UINT64_C(0x9e3779b97f4a7c15);
	return whole + (v - (double)whole > (double)(h >> 11) / 9007199254740992.0);
}

void sample_weight(const void *p, uint64_t size, uint64_t *ret_blocks, uint64_t *ret_bytes)
{
	const double x = (double)size / (double)recorder.opt.sample;
	/* For a small x, 1 - exp(-x) would lose all digits. */
	const double chance = x < 1e-4 ? x - x * x / 2 : 1 - exp_minus(x);
	if (size == 0)
		return;
	*ret_blocks = round_by(p, 1 / chance);
	*ret_bytes = round_by(p, (double)size / chance);
}
