/* lookalike.h - numbers and text that look like addresses of a program at a fixed place.
 *
 * O(1).  Thread-safe. */
#ifndef HEFT_SOURCE_ATTR_LOOKALIKE_H
#define HEFT_SOURCE_ATTR_LOOKALIKE_H

#include "image/image.h"

/* Addresses below are as small as numbers of programs are. */
enum { LOOKALIKE_SMALL = 1 << 20 };

/* Whether the bytes of a word or an immediate could be text ("exp"). */
bool lookalike_may_be_text(uint64_t value);
/* Whether they are: what is really an address is aligned, or follows the end of a string or the
 * high byte of a number, which are mostly zero. */
bool lookalike_is_text(const struct image *im, uint64_t value);
/* Where flash begins at 0, numbers are addresses too: whether it is a small one that is neither
 * that of a word nor that of a string. */
bool lookalike_is_number(const struct image *im, uint64_t value);
/* Whether a byte of text is at an address. */
bool lookalike_text_at(const struct image *im, uint64_t addr);
/* The same, or one that lays text out. */
bool lookalike_printed_at(const struct image *im, uint64_t addr);

#endif
