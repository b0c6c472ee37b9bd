/* digits.h - numbers and bytes as text: decimal, hexadecimal and base64. */
#ifndef HEFT_BASE_DIGITS_H
#define HEFT_BASE_DIGITS_H

#include "base/base.h"

enum { DECIMAL_MOST = 20 }; /* digits of 2^64 - 1 */

/* Writes the decimal digits of v so that they end before `end`; returns where they start. */
static inline char *decimal_before(char *end, uint64_t v)
{
	do {
		*--end = (char)('0' + v % 10);
		v /= 10;
	} while (v > 0);
	return end;
}

/* Writes 2 * size digits of lower-case hexadecimal and a NUL, which `out` has room for. */
void hex_text(char *out, const uint8_t *p, size_t size);

/* Bytes of the text that base64_text makes of so many, with its NUL. */
static inline size_t base64_size(size_t size)
{
	return size / 3 * 4 + (size % 3 > 0 ? 4 : 0) + 1;
}

/* RFC 4648 section 4, and a NUL.  `out` has room for base64_size(size). */
void base64_text(char *out, const uint8_t *p, size_t size);

#endif
