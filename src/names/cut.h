/* cut.h - declares the functions of signature_*.c that shorten a name. They share struct cut: the
 * position in the full name, and the short text so far. Also finds matching brackets. Private to
 * names/. */
#pragma once

#include "base/base.h"
#include "names/signature.h"

struct cut {
	const char *base, *p, *end; /* base <= p <= end */
	char *out;                  /* Has SIGNATURE_ROOM(end - base) bytes */
	size_t len;                 /* Number of bytes in `out` */
	unsigned keep;              /* Bits of enum sig_keep */
	unsigned closers;           /* C++: number of ")" that still close declarators like
				     * "(*f())()" */
	bool at_start;              /* True if p is at the start of a component */
};

/* Write the short form of the name [p, end) to `out`, one function per language. False if the
 * brackets do not match. */
bool cut_cxx(struct cut *c);
bool cut_cxx_type(struct cut *c); /* Reads a type instead of a name: "char const*", "void (int)" */
bool cut_rust(struct cut *c);
bool cut_d(struct cut *c);

static inline void cut_emit(struct cut *c, const char *text, size_t len)
{
	memcpy(c->out + c->len, text, len);
	c->len += len;
}

/* Copies the text from p to `to`, and moves there. */
static inline void cut_copy(struct cut *c, const char *to)
{
	cut_emit(c, c->p, (size_t)(to - c->p));
	c->p = to;
}

static inline bool cut_at(const struct cut *c, const char *p, const char *text, size_t len)
{
	return (size_t)(c->end - p) >= len && memcmp(p, text, len) == 0;
}

#define CUT_AT(c, p, literal) cut_at((c), (p), (literal), sizeof(literal) - 1)

/* Returns the byte after the bracket that closes the one at p, or NULL. Counts only the brackets
 * `open` and `close`. */
static inline const char *cut_match(const struct cut *c, const char *p, char open, char close)
{
	size_t depth = 0;
	for (; p < c->end; p++) {
		if (*p == open)
			depth++;
		else if (*p == close && --depth == 0)
			return p + 1;
	}
	return NULL;
}
