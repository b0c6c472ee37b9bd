/* cut.h - declares the state of signature_*.c, which shorten a name: a position in the full name,
 * and the text written up to now. Also finds matching brackets. Private to names/. */
#ifndef HEFT_NAMES_CUT_H
#define HEFT_NAMES_CUT_H

#include "base/base.h"
#include "names/signature.h"

struct cut {
	const char *base, *p, *end; /* Invariant: base <= p <= end */
	char *out;                  /* room for SIGNATURE_ROOM(end - base) bytes */
	size_t len;                 /* number of bytes used in out */
	unsigned keep;              /* Bits of enum sig_keep */
	unsigned closers;           /* C++: ")" that still close declarators like "(*f())()". */
	bool at_start;              /* True if p is at the start of a component of the name. */
};

/* Each function writes its form of [p, end) to out. False if the brackets do not match. */
bool cut_cxx(struct cut *c);
bool cut_cxx_type(struct cut *c); /* Reads a type instead of a name: "char const*", "void (int)" */
bool cut_rust(struct cut *c);
bool cut_d(struct cut *c);

static inline void cut_emit(struct cut *c, const char *text, size_t len)
{
	memcpy(c->out + c->len, text, len);
	c->len += len;
}

/* Copies the text from p until `to`, and moves p to `to`. */
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

/* Returns the byte after the bracket that closes the bracket at p. Counts only the brackets `open`
 * and `close`. NULL if there is none. */
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

#endif
