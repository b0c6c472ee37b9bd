/* microsoft_node.h - a name of Microsoft's scheme as a tree.  Private to names/.
 *
 * Back references make it a graph without cycles, which stands for more text than it has nodes. */
#ifndef HEFT_NAMES_MICROSOFT_NODE_H
#define HEFT_NAMES_MICROSOFT_NODE_H

#include "names/rust_out.h"

enum ms_kind {
	MS_NONE,
	/* parts of names */
	MS_NAME,      /* text */
	MS_ANONYMOUS, /* a namespace */
	MS_TEMPLATE,  /* a: name, b: list of arguments */
	MS_LOCAL,     /* a: symbol, n: number of the scope in it */
	MS_CTOR,
	MS_DTOR,
	MS_CONVERSION, /* a: type, 0 until it is known */
	MS_DYNAMIC,    /* text: what for; a: symbol or qualified name */
	MS_QUALIFIED,  /* a: name, b: list of scopes, the innermost first */
	/* types */
	MS_PLAIN,    /* text */
	MS_TAG,      /* text: "class", a: qualified name */
	MS_POINTER,  /* text: "*", a: what it points to, b: qualified name of a class or 0 */
	MS_ARRAY,    /* a: type, n: elements */
	MS_FUNCTION, /* a: result or 0, b: list of parameters, text: convention */
	/* arguments of templates */
	MS_NUMBER,  /* n */
	MS_TUPLE,   /* a: list */
	MS_ADDRESS, /* a: symbol */
	/* symbols; a: qualified name */
	MS_CODE,     /* text: what stands in front, b: type, c: numbers, n: enum ms_thunk */
	MS_DATA,     /* text: what stands in front, b: type */
	MS_TABLE,    /* text: what it is, b: list of qualified names "for" */
	MS_DESCRIBE, /* text: what it is, a: qualified name, b: list of numbers, c: type */
	MS_STRING,   /* text, n: bytes of it in all, wide */
	MS_LIST,     /* a: item, b: next */
};

enum ms_qualifier {
	MS_CONST = 1,
	MS_VOLATILE = 2,
	MS_UNALIGNED = 4,
	MS_RESTRICT = 8,
	MS_LVALUE = 16, /* of a member function */
	MS_RVALUE = 32,
};

enum ms_thunk { MS_NO_THUNK, MS_ADJUSTOR, MS_VTORDISP, MS_VTORDISPEX, MS_VCALL };

typedef uint16_t ms_id; /* 0: none */

struct ms_node {
	struct str text;
	int64_t n;
	ms_id a, b, c;
	uint8_t kind, quals;
	bool variadic, is_noexcept, wide, cut; /* cut: a string that goes on */
};

/* What a code's letter says: of an operator, behind "?" and up to two lines "_"; of a type, with or
 * without one.  NULL where it says nothing. */
const char *ms_operator(unsigned lines, char c);
const char *ms_type(bool line, char c);

/* Writes a symbol. */
void ms_print(const struct ms_node *nodes, ms_id symbol, bool brief, struct out *o);

#endif
