/* utf8.h - UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing above
 * U+10FFFF. */
#ifndef HEFT_BASE_UTF8_H
#define HEFT_BASE_UTF8_H

#include "base/base.h"

/* The length (1..4 bytes) of the character that starts at s.p[pos], pos < s.len, and the
 * character in *ret; 0 where no valid one starts there (*ret is then untouched). */
unsigned utf8_decode(struct str s, size_t pos, uint32_t *ret);

/* Whether all of `s` is valid. */
bool utf8_valid(struct str s);

/* Writes c (at most U+10FFFF) and returns its length, 1..4 bytes. */
unsigned utf8_encode(uint32_t c, char out[4]);

#endif
