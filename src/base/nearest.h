/* nearest.h - finds the word that a mistyped one was meant to be. */
#ifndef HEFT_BASE_NEAREST_H
#define HEFT_BASE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the name that begins with `word`, or that is nearest by insertions, deletions,
 * replacements and swaps of neighbours. NULL if none is near. Words and names of more than 63 bytes
 * are never near. Cost: O(count x the product of two lengths). */
const char *nearest_of(const char *word, const char *const *names, size_t count);

/* True if `plural` is the plural of a word of `size` bytes: "symbols", "libraries". A word that
 * ends in "s" has none. */
bool is_plural_of(const char *plural, const char *word, size_t size);

#endif
