/* nearest.h - the word that a mistyped one was meant to be. */
#ifndef HEFT_BASE_NEAREST_H
#define HEFT_BASE_NEAREST_H

#include <stddef.h>

/* The one of `names` that begins with `word` or is nearest to it by insertions, deletions,
 * replacements and swaps of neighbours; NULL where none is near.  Words and names of more than 63
 * bytes are near to nothing.  Cost: O(count x the product of two lengths). */
const char *nearest_of(const char *word, const char *const *names, size_t count);

#endif
