/* digits.h - writes numbers and bytes as text: decimal, hexadecimal and base64. */
#pragma once

#include "base/base.h"

enum { DECIMAL_MOST = 20 }; /* Digits of 2^64 - 1 */

/* Writes the decimal digits of v so that the last one is before `end`. Returns the first digit. */
static inline char *decimal_before(char *end, uint64_t v)
{
	do {
		*--end = (char)('0' + v % 10);
		v /= 10;
	} while (v > 0);
	return end;
}

/* Writes 2 * size lower-case hexadecimal digits and a NUL to `out`. */
static inline void hex_text(char *out, const uint8_t *p, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	for (size_t i = 0; i < size; i++) {
		out[2 * i] = digits[p[i] >> 4];
		out[2 * i + 1] = digits[p[i] & 15];
	}
	out[2 * size] = '\0';
}

/* Returns the size of the text of base64_text() for `size` bytes, with its NUL. */
static inline size_t base64_size(size_t size)
{
	return size / 3 * 4 + (size % 3 > 0 ? 4 : 0) + 1;
}

/* Writes base64 (RFC 4648 section 4) and a NUL. `out` has room for base64_size(size). */
void base64_text(char *out, const uint8_t *p, size_t size);
