/* bits.h - keeps one bit for each of a known number of things, such as the offsets of a section.
 *
 * A NULL array is all zeros. An array is allocated when first used, and freed with mem_free(). */
#ifndef HEFT_BASE_BITS_H
#define HEFT_BASE_BITS_H

#include "base/base.h"

/* Returns the word that holds bit i. NULL if i is not below `count`. */
static inline uint64_t *bits_word(uint64_t **bits, uint64_t count, uint64_t i)
{
	if (i >= count)
		return NULL;
	if (UNLIKELY(!*bits))
		*bits = mem_zeroed((size_t)(count / 64 + 1), sizeof **bits);
	return &(*bits)[i / 64];
}

/* Sets bit i. True if it was not set before. False if i is not below `count`. */
static inline bool bits_first(uint64_t **bits, uint64_t count, uint64_t i)
{
	uint64_t *word = bits_word(bits, count, i);
	if (!word)
		return false;
	const uint64_t bit = UINT64_C(1) << i % 64, before = *word;
	*word |= bit;
	return !(before & bit);
}

#endif
