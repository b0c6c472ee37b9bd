/* microsoft_node.h - stores a name of Microsoft's scheme as a tree. Private to names/.
 *
 * By back references, the tree is a graph without cycles, and its text can be much longer than the
 * number of nodes. */
#pragma once

#include "names/out.h"

enum ms_kind {
	MS_NONE,
	/* Parts of names. */
	MS_NAME,
	MS_ANONYMOUS, /* An anonymous namespace */
	MS_TEMPLATE,  /* a: name; b: list of arguments */
	MS_LOCAL,     /* a: symbol; n: number of the scope in the symbol */
	MS_CTOR,
	MS_DTOR,
	MS_CONVERSION, /* a: type, or 0 until known */
	MS_DYNAMIC,    /* text: kind of function; a: the variable, a symbol or qualified name */
	MS_QUALIFIED,  /* a: name; b: list of scopes, the innermost first */
	/* Types. */
	MS_PLAIN,    /* text: the name */
	MS_TAG,      /* text: "class"; a: qualified name */
	MS_POINTER,  /* text: "*"; a: target type; b: qualified name of a class, or 0 */
	MS_ARRAY,    /* a: type; n: number of elements */
	MS_FUNCTION, /* a: result type, or 0; b: list of parameters; text: calling convention */
	/* Template arguments. */
	MS_NUMBER,
	MS_TUPLE,   /* a: list of values */
	MS_ADDRESS, /* a: symbol */
	/* Symbols; a: qualified name. */
	MS_CODE,     /* text: prefix; b: type; c: list of numbers; n: enum ms_thunk */
	MS_DATA,     /* text: prefix; b: type */
	MS_TABLE,    /* text: kind of table; b: list of qualified names after "for" */
	MS_DESCRIBE, /* text: kind of description; a: qualified name; b: list of numbers; c: type */
	MS_STRING,   /* text: the encoded bytes; n: size of the string in bytes; wide */
	MS_LIST,     /* a: item; b: rest of the list */
};

enum ms_qualifier {
	MS_CONST = 1,
	MS_VOLATILE = 2,
	MS_UNALIGNED = 4,
	MS_RESTRICT = 8,
	MS_LVALUE = 16, /* The qualifier & of a member function */
	MS_RVALUE = 32,
};

enum ms_thunk { MS_NO_THUNK, MS_ADJUSTOR, MS_VTORDISP, MS_VTORDISPEX, MS_VCALL };

typedef uint16_t ms_id; /* Index of a node. 0 if none */

struct ms_node {
	struct str text;
	int64_t n;
	ms_id a, b, c;
	uint8_t kind, quals;
	bool variadic, is_noexcept, wide, cut; /* `cut`: true if bytes of the string are missing */
};

/* Return the text for a letter of a code, or NULL. ms_operator() is for codes after "?", with
 * `lines` (at most two) "_" before the letter. ms_type() is for types, with or without "_". */
const char *ms_operator(unsigned lines, char c);
const char *ms_type(bool line, char c);

void ms_print(const struct ms_node *nodes, ms_id symbol, bool brief, struct out *o);
