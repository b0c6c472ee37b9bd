/* Reads LEB128 numbers and strings from untrusted bytes. */
#include "base/reader.h"

uint64_t read_uint(struct reader *r, unsigned width)
{
	switch (width) {
	case 1: return read_u8(r);
	case 2: return read_u16(r);
	case 4: return read_u32(r);
	case 8: return read_u64(r);
	default: reader_fail(r); return 0;
	}
}

uint64_t read_uleb_slow(struct reader *r)
{
	uint64_t v = 0;
	for (unsigned shift = 0;; shift += 7) {
		const uint8_t *p = read_take(r, 1);
		if (!p)
			return 0;
		const uint64_t part = *p & 0x7f;
		if (shift < 64)
			v |= part << shift;
		if (part != 0 && (shift > 63 || (part << shift) >> shift != part)) {
			reader_fail(r);
			return 0;
		}
		if (!(*p & 0x80))
			return v;
		if (shift > 1u << 20) {
			reader_fail(r);
			return 0;
		}
	}
}

int64_t read_sleb(struct reader *r)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t byte;
	do {
		const uint8_t *p = read_take(r, 1);
		if (!p)
			return 0;
		byte = *p;
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += shift < 128 ? 7 : 0;
	} while (byte & 0x80);
	if (shift < 64 && (byte & 0x40))
		v |= ~UINT64_C(0) << shift;
	return (int64_t)v;
}

struct str read_cstr(struct reader *r)
{
	const uint64_t left = reader_left(r);
	const uint8_t *start = left ? r->base + r->pos : NULL;
	const uint8_t *nul = left ? memchr(start, 0, left) : NULL;
	if (!nul) {
		reader_fail(r);
		return (struct str){ "", 0 };
	}
	const size_t len = (size_t)(nul - start);
	r->pos += len + 1;
	return (struct str){ (const char *)start, len };
}

struct reader read_sub(struct reader *r, uint64_t n)
{
	const uint8_t *p = read_take(r, n);
	struct reader sub = reader_make(p, p ? n : 0, r->big_endian);
	if (!p)
		reader_fail(&sub);
	return sub;
}

enum { STRING_LONG = 4 << 10, STRING_MOST = 64 << 10, STRING_FREE = 255 };

/* Returns the number of bytes before the NUL, or before the table's end, at most `most`. */
static size_t length_below(struct bytes table, uint64_t off, uint64_t most)
{
	return strnlen((const char *)table.p + off, (size_t)min_u64(table.size - off, most));
}

/* Sets *ret to the string at `off`. False if the table ends before its NUL. */
static bool give_string(struct bytes table, uint64_t off, size_t length, struct str *ret)
{
	if (length == table.size - off)
		return false;
	*ret = (struct str){ (const char *)table.p + off, length };
	return true;
}

bool bytes_cstr(struct bytes table, uint64_t off, struct str *ret)
{
	if (off >= table.size)
		return false;
	size_t length = length_below(table, off, STRING_MOST);
	if (length == STRING_MOST) {
		if (off > 0 && table.p[off - 1] != 0)
			return false;
		length = length_below(table, off, UINT64_MAX);
	}
	return give_string(table, off, length, ret);
}

bool names_take(struct bytes table, uint64_t off, uint64_t *left, struct str *ret)
{
	if (off >= table.size)
		return false;
	const size_t length = length_below(table, off, max_u64(*left, STRING_FREE + 1));
	if (length > STRING_FREE)
		*left -= min_u64(*left, length);
	if (length > STRING_FREE && *left == 0)
		return false;
	return give_string(table, off, length, ret);
}

/* Tests blocks of half the length: every long string contains a whole block without NUL. */
bool has_long_string(struct bytes table)
{
	enum { BLOCK = STRING_LONG / 2 };
	for (uint64_t at = 0; table.size - at >= BLOCK; at += BLOCK)
		if (!memchr(table.p + at, 0, BLOCK))
			return true;
	return false;
}

bool bytes_are_zeros(struct bytes b)
{
	return b.size == 0 || (b.p[0] == 0 && memcmp(b.p, b.p + 1, b.size - 1) == 0);
}
