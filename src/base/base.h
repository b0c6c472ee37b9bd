/* base.h - defines what every file may use: integer types, assertions, small helpers. */
#pragma once

#include "base/assert.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define COUNT_OF(array)        (sizeof(array) / sizeof((array)[0]))
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
/* 1 if slow checks run: those that cost as much as what they check. They run in debug builds
 * (meson's option debug), which include tests and fuzz targets. */
#ifndef HEFT_CHECKS
#define HEFT_CHECKS 0
#endif

/* Borrowed text. It may contain any bytes, and need not end with NUL */
struct str {
	const char *p;
	size_t len;
};

#define STR(literal) ((struct str){ (literal), sizeof(literal) - 1 })
#define STR_FMT      "%.*s"
#define STR_ARG(s)   (int)(s).len, (s).p

static inline struct str str_of(const char *text)
{
	return (struct str){ text, strlen(text) };
}

static inline bool str_eq(struct str a, struct str b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.p, b.p, a.len) == 0);
}

/* Returns s without its first `at` bytes. */
static inline struct str str_from(struct str s, size_t at)
{
	ASSERT(at <= s.len);
	return (struct str){ s.p + at, s.len - at };
}

static inline struct str str_upto(struct str s, size_t len)
{
	ASSERT(len <= s.len);
	return (struct str){ s.p, len };
}

static inline bool str_starts(struct str s, struct str prefix)
{
	return prefix.len == 0 || (s.len >= prefix.len && memcmp(s.p, prefix.p, prefix.len) == 0);
}

static inline bool str_ends(struct str s, struct str suffix)
{
	return suffix.len == 0 || (s.len >= suffix.len &&
				   memcmp(s.p + (s.len - suffix.len), suffix.p, suffix.len) == 0);
}

/* Returns the offset of the first `word` in s. s.len if there is none. */
size_t str_find(struct str s, struct str word);

/* Compares bytes. Returns a negative number, 0 or a positive number. A prefix is less. */
static inline int str_cmp(struct str a, struct str b)
{
	const size_t n = a.len < b.len ? a.len : b.len;
	const int c = n ? memcmp(a.p, b.p, n) : 0;
	if (c != 0)
		return c;
	return a.len < b.len ? -1 : a.len > b.len;
}

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline uint64_t add_sat(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Returns the number in the lowest `bits` bits of v, whose highest bit is the sign. */
static inline uint64_t sign_extend(uint64_t v, unsigned bits)
{
	return (uint64_t)((int64_t)(v << (64 - bits)) >> (64 - bits));
}

/* Rounds v up to a multiple of `align`, a power of two or 0 for none. UINT64_MAX on overflow. */
static inline uint64_t align_up(uint64_t v, uint64_t align)
{
	return align < 2 ? v : add_sat(v, align - 1) & ~(align - 1);
}
