/* Sorts records by a 64-bit key (radix sort). */
#include "base/sort.h"

#include <stdlib.h>

/* Bits of a digit, for FEW records, for MANY, and between. Longer digits need fewer passes. For few
 * records, shorter digits are faster, because the table (radix.start) is then short and fits the
 * fastest cache. */
enum { BITS_OF_FEW = 8, BITS = 11, BITS_OF_MANY = 13 };
enum { SMALL = 64, FEW = 1 << 11, MANY = 1 << 16, SIZE_MOST = 128 };

static inline uint64_t key_at(const unsigned char *p)
{
	uint64_t k;
	memcpy(&k, p, sizeof k);
	return k;
}

static void insertion_sort(unsigned char *p, size_t count, size_t size)
{
	unsigned char held[SIZE_MOST];
	for (size_t i = 1; i < count; i++) {
		const uint64_t key = key_at(p + i * size);
		size_t j = i;
		while (j > 0 && key_at(p + (j - 1) * size) > key)
			j--;
		if (j == i)
			continue;
		memcpy(held, p + i * size, size);
		memmove(p + (j + 1) * size, p + j * size, (i - j) * size);
		memcpy(p + j * size, held, size);
	}
}

struct radix {
	size_t count, size;
	unsigned bits; /* Number of bits of a digit */
	size_t *start; /* Per value of the digit: index at which its next record goes */
};

/* Moves all records to the places of their digits. A macro, because the compiler turns memcpy() of
 * a constant size into a few moves. */
#define SCATTER(bytes)                                                                             \
	for (size_t i = 0; i < r->count; i++) {                                                    \
		const unsigned char *p = from + i * (bytes);                                       \
		const size_t digit = (key_at(p) >> shift) & mask;                                  \
		memcpy(to + r->start[digit]++ * (bytes), p, (bytes));                              \
	}

static void scatter(const struct radix *r, const unsigned char *from, unsigned char *to,
		    unsigned shift)
{
	const size_t mask = ((size_t)1 << r->bits) - 1;
	switch (r->size) {
	case 16: SCATTER(16) break;
	case 24: SCATTER(24) break;
	case 32: SCATTER(32) break;
	default: SCATTER(r->size) break;
	}
}

/* Turns the numbers of records per value of a digit into their first positions. */
static void count_digits(const struct radix *r, const unsigned char *p, unsigned shift)
{
	const size_t digits = (size_t)1 << r->bits;
	memset(r->start, 0, digits * sizeof *r->start);
	for (size_t i = 0; i < r->count; i++)
		r->start[(key_at(p + i * r->size) >> shift) & (digits - 1)]++;
	size_t sum = 0;
	for (size_t d = 0; d < digits; d++) {
		const size_t n = r->start[d];
		r->start[d] = sum;
		sum += n;
	}
}

/* Returns how many records at the start are already in place. *ret_varies: bits in which the keys
 * of the other records differ. */
static size_t count_sorted(const unsigned char *p, size_t count, size_t size, uint64_t *ret_varies)
{
	size_t sorted = 1, stay;
	while (sorted < count && key_at(p + (sorted - 1) * size) <= key_at(p + sorted * size))
		sorted++;
	if (sorted == count)
		return count;
	const uint64_t one = key_at(p + sorted * size);
	uint64_t least = one, varies = 0;
	for (size_t i = sorted; i < count; i++) {
		const uint64_t key = key_at(p + i * size);
		varies |= key ^ one;
		least = min_u64(least, key);
	}
	stay = upper_bound(p, sorted, size, least);
	for (size_t i = stay; i < sorted; i++)
		varies |= key_at(p + i * size) ^ one;
	*ret_varies = varies;
	return stay;
}

static void radix_sort(unsigned char *records, size_t count, size_t size, uint64_t varies)
{
	ASSERT(varies != 0 && count > 1); /* Equal keys have no bits that vary */
	const unsigned low = (unsigned)__builtin_ctzll(varies);
	const unsigned span = 64 - (unsigned)__builtin_clzll(varies) - low;
	const unsigned most = count < FEW ? BITS_OF_FEW : count < MANY ? BITS : BITS_OF_MANY;
	const unsigned passes = (span + most - 1) / most;
	struct radix r = { count, size, (span + passes - 1) / passes, NULL };
	unsigned char *from = records, *scratch = mem_alloc(count * size), *to = scratch;
	r.start = mem_alloc(sizeof *r.start << r.bits);
	for (unsigned i = 0; i < passes; i++) {
		const unsigned shift = low + i * r.bits;
		if (((varies >> shift) & (((uint64_t)1 << r.bits) - 1)) == 0)
			continue;
		count_digits(&r, from, shift);
		scatter(&r, from, to, shift);
		unsigned char *t = from;
		from = to;
		to = t;
	}
	if (from != records)
		memcpy(records, from, count * size);
	mem_free_all(r.start, scratch);
}

void sort_by_key(void *records, size_t count, size_t size)
{
	uint64_t varies = 0;
	ASSERT(size % 4 == 0 && size >= 8 && size <= SIZE_MOST);
	if (count <= SMALL) {
		insertion_sort(records, count, size);
		return;
	}
	const size_t stay = count_sorted(records, count, size, &varies);
	if (stay == count)
		return;
	if (count - stay <= SMALL)
		insertion_sort((unsigned char *)records + stay * size, count - stay, size);
	else
		radix_sort((unsigned char *)records + stay * size, count - stay, size, varies);
}

void sort_by_key_then(void *records, size_t count, size_t size,
		      int (*compare)(const void *a, const void *b))
{
	sort_by_key(records, count, size);
	for (size_t i = 0; i < count;) {
		size_t j = i + 1;
		while (j < count && record_key(records, j, size) == record_key(records, i, size))
			j++;
		if (j - i > 1)
			qsort((char *)records + i * size, j - i, size, compare);
		i = j;
	}
}

int compare_numbers(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return ORDER(*x, *y);
}
