/* reader.h - reads bytes that heft did not write. All untrusted bytes are read with it.
 *
 * A reader is a cursor over [base, base+size) with a byte order and a sticky error. The first read
 * past the end marks the reader bad and moves it to the end. Later reads return zeros. So a parser
 * reads a whole record and calls reader_ok() once. Each read_* function costs one comparison. A
 * reader borrows its bytes. One thread per reader. Readers may share bytes. */
#pragma once

#include "base/base.h"

#define READER_GOOD UINT64_MAX

struct reader {
	const uint8_t *base; /* Borrowed */
	uint64_t size;       /* Number of bytes at `base` */
	uint64_t pos;        /* Offset of the next byte, at most `size` */
	uint64_t bad;        /* Offset of the first read that failed, or READER_GOOD */
	bool big_endian;
};

/* Bytes of a file, borrowed. `p` may be NULL if size is 0 */
struct bytes {
	const uint8_t *p;
	uint64_t size;
};

/* `base` may be NULL if size is 0. An empty string then replaces it, because C forbids arithmetic
 * on null pointers. */
static inline struct reader reader_make(const void *base, uint64_t size, bool big_endian)
{
	return (struct reader){ base ? base : "", size, 0, READER_GOOD, big_endian };
}

static inline struct reader reader_of(struct bytes b, bool big_endian)
{
	return reader_make(b.p, b.size, big_endian);
}

static inline bool reader_ok(const struct reader *r)
{
	return r->bad == READER_GOOD;
}

static inline uint64_t reader_left(const struct reader *r)
{
	return r->size - r->pos;
}

static inline void reader_fail(struct reader *r)
{
	if (r->bad == READER_GOOD)
		r->bad = r->pos;
	r->pos = r->size;
}

/* Moves to `pos`. If that is past the end, r is bad. */
static inline void reader_seek(struct reader *r, uint64_t pos)
{
	if (pos > r->size)
		reader_fail(r);
	else
		r->pos = pos;
}

/* Returns a reader that begins at `pos`. It is bad if that is past the end. */
static inline struct reader reader_at(struct bytes b, bool big_endian, uint64_t pos)
{
	struct reader r = reader_of(b, big_endian);
	reader_seek(&r, pos);
	return r;
}

/* Skips n bytes and returns their start. If there are fewer, r is bad, and the result NULL. */
static inline const uint8_t *read_take(struct reader *r, uint64_t n)
{
	if (UNLIKELY(n > r->size - r->pos)) {
		reader_fail(r);
		return NULL;
	}
	const uint8_t *p = r->base + r->pos;
	r->pos += n;
	return p;
}

static inline void read_skip(struct reader *r, uint64_t n)
{
	(void)read_take(r, n);
}

static inline uint8_t read_u8(struct reader *r)
{
	const uint8_t *p = read_take(r, 1);
	return p ? *p : 0;
}

static inline uint16_t read_u16(struct reader *r)
{
	const uint8_t *p = read_take(r, 2);
	if (!p)
		return 0;
	uint16_t v;
	memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return r->big_endian ? v : __builtin_bswap16(v);
#else
	return r->big_endian ? __builtin_bswap16(v) : v;
#endif
}

static inline uint32_t read_u32(struct reader *r)
{
	const uint8_t *p = read_take(r, 4);
	if (!p)
		return 0;
	uint32_t v;
	memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return r->big_endian ? v : __builtin_bswap32(v);
#else
	return r->big_endian ? __builtin_bswap32(v) : v;
#endif
}

static inline uint64_t read_u64(struct reader *r)
{
	const uint8_t *p = read_take(r, 8);
	if (!p)
		return 0;
	uint64_t v;
	memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return r->big_endian ? v : __builtin_bswap64(v);
#else
	return r->big_endian ? __builtin_bswap64(v) : v;
#endif
}

static inline int8_t read_i8(struct reader *r)
{
	return (int8_t)read_u8(r);
}

static inline int16_t read_i16(struct reader *r)
{
	return (int16_t)read_u16(r);
}

static inline int32_t read_i32(struct reader *r)
{
	return (int32_t)read_u32(r);
}

static inline int64_t read_i64(struct reader *r)
{
	return (int64_t)read_u64(r);
}

/* Reads a number of 1, 2, 4 or 8 bytes. Another width makes r bad. */
uint64_t read_uint(struct reader *r, unsigned width);

/* Reads a number of 1 to 8 bytes. */
static inline uint64_t read_wide(struct reader *r, unsigned width)
{
	const uint8_t *p = read_take(r, width);
	uint64_t v = 0;
	for (unsigned i = 0; p && i < width; i++)
		v = v << 8 | p[r->big_endian ? i : width - 1 - i];
	return v;
}

/* Reads a LEB128 number of at most 64 significant bits. If it has more, r is bad. Padding is
 * allowed. */
uint64_t read_uleb_slow(struct reader *r);
int64_t read_sleb(struct reader *r);

static inline uint64_t read_uleb(struct reader *r)
{
	if (LIKELY(r->pos < r->size && r->base[r->pos] < 0x80))
		return r->base[r->pos++];
	return read_uleb_slow(r);
}

/* Reads a string and its NUL. If there is no NUL, r is bad, and the result "". */
struct str read_cstr(struct reader *r);

/* Returns a reader of the next n bytes, which r skips. If there are fewer, it is bad and empty. */
struct reader read_sub(struct reader *r, uint64_t n);

/* Returns the NUL-terminated string at `off` of a string table. False if `off` is outside, or if
 * there is no NUL. Strings may overlap, so the sum of their sizes could be the square of the
 * table's size. So a string of 64 KiB or more must not begin inside another one. */
bool bytes_cstr(struct bytes table, uint64_t off, struct str *ret);

/* Like bytes_cstr(), for a table whose entries are read in order. A string of more than 255 bytes
 * takes its size from *left. False if *left is less. */
bool names_take(struct bytes table, uint64_t off, uint64_t *left, struct str *ret);
/* Returns the first value of `left` for a table with entries and strings of `bytes` bytes. Valid
 * files need less. */
static inline uint64_t names_left(uint64_t bytes)
{
	enum { RATIO = 8 };
	return bytes < UINT64_MAX / RATIO ? bytes * RATIO : UINT64_MAX;
}
/* True if a string may have more than 4 KiB. False if none has. O(table), but fast. */
bool has_long_string(struct bytes table);

bool bytes_are_zeros(struct bytes b);

/* Returns [off, off+size) of b. Empty unless all of it is inside b. */
static inline struct bytes bytes_sub(struct bytes b, uint64_t off, uint64_t size)
{
	if (off > b.size || size > b.size - off)
		return (struct bytes){ NULL, 0 };
	return (struct bytes){ b.p ? b.p + off : NULL, size };
}
