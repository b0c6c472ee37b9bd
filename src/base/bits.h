/* bits.h - keeps an array of bits of known length, such as one per offset of a section.
 *
 * A NULL array is all zeros. The first set bit allocates the array. mem_free() frees it. */
#pragma once

#include "base/base.h"

/* Returns the word of bit i, and allocates the array if needed. NULL if i is not below `count`. */
static inline uint64_t *bits_word(uint64_t **bits, uint64_t count, uint64_t i)
{
	if (i >= count)
		return NULL;
	if (UNLIKELY(!*bits))
		*bits = mem_zeroed((size_t)(count / 64 + 1), sizeof **bits);
	return &(*bits)[i / 64];
}

/* Sets bit i. True if it was 0. False if it was 1, or if i is not below `count`. */
static inline bool bits_first(uint64_t **bits, uint64_t count, uint64_t i)
{
	uint64_t *word = bits_word(bits, count, i);
	if (!word)
		return false;
	const uint64_t bit = UINT64_C(1) << i % 64, before = *word;
	*word |= bit;
	return !(before & bit);
}
