/* supersize.h - the three forms of a symbol's name as SuperSize has them: full, template, plain.
 *
 *   full      std::vector<int>::push_back(int const&)      no return type
 *   template  std::vector<int>::push_back                  no parameters
 *   plain     std::vector<>::push_back                     no template arguments
 *
 * and what goes in all of them: clone suffixes, anonymous namespaces; "vtable for X" becomes "X
 * [vtable]". SUPERSIZE_EXACT reproduces the original tool, its weaknesses included; without it
 * operators, decltype(auto), functions that return function pointers, literal operators, code
 * inside functions and Rust's impls get names of their own.
 *
 * About 0.1 us and 2 ns a byte.  Works on text already demangled, below 4 GiB; done twice, the full
 * form stays. */
#ifndef HEFT_NAMES_SUPERSIZE_H
#define HEFT_NAMES_SUPERSIZE_H

#include "base/text.h"
#include "base/vec.h"

enum {
	SUPERSIZE_TEXT = 1, /* a symbol of .text: numeric suffixes are those of clones */
	SUPERSIZE_EXACT = 2,
};

enum {
	SUPERSIZE_ANONYMOUS = 1, /* the plain name lost an anonymous namespace */
	SUPERSIZE_CLONE = 64,
};

/* A bracket or a blank.  Private. */
struct supersize_mark {
	uint32_t place;
	char kind;
};

/* Used again from name to name; zeroed at first.  The forms are parts of the text that was split or
 * of the buffers: they hold as long as it does, and until the next one. */
struct supersize_name {
	struct str full, template_name, plain;
	unsigned flags; /* SUPERSIZE_ANONYMOUS, SUPERSIZE_CLONE */
	/* private */
	struct text buffers[6]; /* 0, 1: turned; 2: parts of the template form; 3 to 5: the forms */
	VEC(struct supersize_mark) marks;
};

/* Splits a native symbol's name. */
void supersize_split(struct supersize_name *n, struct str demangled, unsigned how);
/* The template form and the plain one of a full form that stays as it is. */
void supersize_derive(struct supersize_name *n, struct str full, unsigned how);
void supersize_name_release(struct supersize_name *n);

#endif
