#include "base/sort.h"

#include <stdlib.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, SMALL = 64 };

static inline uint64_t key_at(const unsigned char *p)
{
	uint64_t k;
	memcpy(&k, p, sizeof k);
	return k;
}

static void insertion_sort(unsigned char *p, size_t count, size_t size)
{
	unsigned char held[64];
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

/* Constant sizes let the compiler turn the copies into moves. */
#define SCATTER(bytes)                                                                             \
	for (size_t i = 0; i < count; i++) {                                                       \
		const unsigned char *p = from + i * (bytes);                                       \
		const size_t digit = (key_at(p) >> shift) & (DIGITS - 1);                          \
		memcpy(to + start[digit]++ * (bytes), p, (bytes));                                 \
	}

static void scatter(const unsigned char *from, unsigned char *to, size_t count, size_t size,
		    unsigned shift, size_t *start)
{
	switch (size) {
	case 16: SCATTER(16) break;
	case 24: SCATTER(24) break;
	default: SCATTER(size) break;
	}
}

/* Turns the counts of one digit into start positions. */
static void count_digits(const unsigned char *p, size_t count, size_t size, unsigned shift,
			 size_t *start)
{
	memset(start, 0, DIGITS * sizeof *start);
	for (size_t i = 0; i < count; i++)
		start[(key_at(p + i * size) >> shift) & (DIGITS - 1)]++;
	size_t sum = 0;
	for (size_t d = 0; d < DIGITS; d++) {
		const size_t n = start[d];
		start[d] = sum;
		sum += n;
	}
}

void sort_by_key(void *records, size_t count, size_t size)
{
	ASSERT(size % 8 == 0 && size >= 8 && size <= 64);
	if (count <= SMALL) {
		insertion_sort(records, count, size);
		return;
	}
	unsigned char *from = records;
	uint64_t varies = 0;
	bool sorted = true;
	for (size_t i = 1; i < count; i++) {
		const uint64_t key = key_at(from + i * size);
		varies |= key ^ key_at(from);
		sorted &= key_at(from + (i - 1) * size) <= key;
	}
	if (sorted)
		return;
	unsigned char *scratch = mem_alloc(count * size), *to = scratch;
	size_t start[DIGITS];
	for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
		if (((varies >> shift) & (DIGITS - 1)) == 0)
			continue;
		count_digits(from, count, size, shift, start);
		scatter(from, to, count, size, shift, start);
		unsigned char *t = from;
		from = to;
		to = t;
	}
	if (from != (unsigned char *)records)
		memcpy(records, from, count * size);
	mem_free(scratch);
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
