#include "base/digits.h"

void base64_text(char *out, const uint8_t *p, size_t size)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t i = 0; i < size; i += 3) {
		const size_t left = size - i;
		const uint32_t n = (uint32_t)p[i] << 16 | (left > 1 ? (uint32_t)p[i + 1] << 8 : 0) |
				   (left > 2 ? (uint32_t)p[i + 2] : 0);
		*out++ = digits[n >> 18];
		*out++ = digits[n >> 12 & 63];
		*out++ = left > 1 ? digits[n >> 6 & 63] : '=';
		*out++ = left > 2 ? digits[n & 63] : '=';
	}
	*out = '\0';
}
