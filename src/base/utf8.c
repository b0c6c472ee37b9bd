/* Decodes, checks and encodes UTF-8. */
#include "base/utf8.h"

/* Returns the number of bytes of a character that begins with this byte. 0 if none does. */
static unsigned utf8_length_of(uint8_t first)
{
	if (first < 0x80)
		return 1;
	if (first >= 0xc2 && first < 0xe0)
		return 2;
	if (first >= 0xe0 && first < 0xf0)
		return 3;
	return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

unsigned utf8_decode(struct str s, size_t pos, uint32_t *ret)
{
	/* Per length: the smallest character */
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	ASSERT(pos < s.len);
	const uint8_t first = (uint8_t)s.p[pos];
	const unsigned n = utf8_length_of(first);
	if (n == 0 || n > s.len - pos)
		return 0;
	uint32_t c = n == 1 ? first : first & (0x7fU >> n);
	for (unsigned i = 1; i < n; i++) {
		const uint8_t b = (uint8_t)s.p[pos + i];
		if ((b & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (b & 0x3fU);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	*ret = c;
	return n;
}

bool utf8_valid(struct str s)
{
	uint32_t c;
	for (size_t pos = 0; pos < s.len;) {
		const unsigned n = (uint8_t)s.p[pos] < 0x80 ? 1 : utf8_decode(s, pos, &c);
		if (n == 0)
			return false;
		pos += n;
	}
	return true;
}

unsigned utf8_encode(uint32_t c, char out[4])
{
	ASSERT(c <= 0x10ffff);
	const unsigned n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	if (n == 1) {
		out[0] = (char)c;
		return 1;
	}
	for (unsigned i = n; i-- > 1; c >>= 6)
		out[i] = (char)(0x80 | (c & 0x3f));
	out[0] = (char)((0xf00U >> n & 0xf0) | c);
	return n;
}

struct str utf8_cut(struct str s, size_t most)
{
	if (s.len <= most)
		return s;
	while (most > 0 && ((unsigned char)s.p[most] & 0xc0) == 0x80)
		most--;
	return (struct str){ s.p, most };
}
