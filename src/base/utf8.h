/* utf8.h - decodes UTF-8 as RFC 3629 defines it: rejects overlong forms, surrogates and values
 * above U+10FFFF. */
#pragma once

#include "base/base.h"

/* Decodes the character at s.p[pos], pos < s.len, into *ret, and returns its length (1 to 4 bytes).
 * Returns 0 if no valid character starts there (*ret is then not set). */
unsigned utf8_decode(struct str s, size_t pos, uint32_t *ret);
/* Returns at most the first `most` bytes of s. Omits the last character if only a part of it
 * fits. */
struct str utf8_cut(struct str s, size_t most);

bool utf8_valid(struct str s);

/* Writes c (at most U+10FFFF) as UTF-8. Returns its length, 1 to 4 bytes. */
unsigned utf8_encode(uint32_t c, char out[4]);
