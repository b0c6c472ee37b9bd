/* nearest.h - finds the known word that a mistyped word resembles. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Returns the name that begins with `word`, or the name that is nearest by insertions, deletions,
 * replacements and swaps of neighbours. NULL if none is near. Words and names of more than 63 bytes
 * are never near. Cost: O(count x the product of two lengths). */
const char *nearest_of(const char *word, const char *const *names, size_t count);

/* True if `plural` is the plural of a word of `size` bytes: "symbols", "libraries". False for a
 * word that ends in "s". */
bool is_plural_of(const char *plural, const char *word, size_t size);
