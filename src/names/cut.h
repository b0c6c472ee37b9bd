/* cut.h - what the three cutters of signature_*.c share: a position in the full name, the
 * form written so far, and the finding of matching brackets.  Private to names/. */
#ifndef HEFT_NAMES_CUT_H
#define HEFT_NAMES_CUT_H

#include "base/base.h"
#include "names/signature.h"

struct cut {
	const char *base, *p, *end; /* base <= p <= end */
	char *out;                  /* SIGNATURE_ROOM(end - base) bytes */
	size_t len;                 /* bytes of out in use */
	unsigned keep;              /* enum sig_keep */
	unsigned closers;           /* C++: ")" still to come of declarators such as "(*f())()" */
	bool at_start;              /* p is where a component of the name starts */
};

/* Each writes its form of [p, end) to out; false where the brackets don't match. */
bool cut_cxx(struct cut *c);
bool cut_cxx_type(struct cut *c); /* a type, not a name: "char const*", "void (int)" */
bool cut_rust(struct cut *c);
bool cut_d(struct cut *c);

static inline void cut_emit(struct cut *c, const char *text, size_t len)
{
	memcpy(c->out + c->len, text, len);
	c->len += len;
}

/* Copies up to `to`. */
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

/* The byte behind the bracket that closes the one at p, counting only these two kinds;
 * NULL if there is none. */
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
