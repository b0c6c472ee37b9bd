/* lookalike.h - recognizes numbers and text that look like addresses, in programs at a fixed
 * address.
 *
 * O(1). Thread-safe. */
#pragma once

#include "image/image.h"

/* Addresses below this are as small as usual numbers in programs. */
enum { LOOKALIKE_SMALL = 1 << 20 };

/* True if the bytes of a word or an immediate could be text ("exp"). */
bool lookalike_may_be_text(uint64_t value);
/* True if the bytes of a value are text and it is no likely address. An address is aligned, or
 * follows a zero byte: the end of a string, or the high byte of a number. */
bool lookalike_is_text(const struct image *im, uint64_t value);
/* True if a value is a small number, and not the address of a word or string. Needed if flash
 * begins at 0, where small numbers are valid addresses. */
bool lookalike_is_number(const struct image *im, uint64_t value);
/* True if a byte of text is at an address. */
bool lookalike_text_at(const struct image *im, uint64_t addr);
/* Like lookalike_text_at(), but also accepts line breaks and tabs. */
bool lookalike_printed_at(const struct image *im, uint64_t addr);
/* True if both bytes at an address are text, line breaks or tabs. */
bool lookalike_is_printed(const struct image *im, uint64_t addr);
