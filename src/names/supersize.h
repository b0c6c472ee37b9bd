/* supersize.h - splits a symbol's name into the three forms of SuperSize: full, template, plain.
 *
 * - full, without return type: std::vector<int>::push_back(int const&)
 * - template, also without parameters: std::vector<int>::push_back
 * - plain, also without template arguments: std::vector<>::push_back
 *
 * All forms lose clone suffixes and anonymous namespaces. "vtable for X" becomes "X [vtable]".
 * SUPERSIZE_EXACT reproduces the original tool, including its weaknesses: it gives some different
 * symbols one name. Without it, these get distinct names: operators, decltype(auto), functions that
 * return function pointers, literal operators, code inside functions, and Rust's impls.
 *
 * Costs about 0.1 us, plus 2 ns per byte. Reads demangled text below 4 GiB. Splitting a full form
 * again does not change it. */
#pragma once

#include "base/text.h"
#include "base/vec.h"

enum {
	SUPERSIZE_TEXT = 1, /* The name is from .text. There, a number at the end marks a clone */
	SUPERSIZE_EXACT = 2,
};

enum {
	SUPERSIZE_ANONYMOUS = 1, /* The plain form has lost an anonymous namespace */
	SUPERSIZE_CLONE = 64,
};

struct supersize_mark {
	uint32_t place;
	char kind;
};

/* Splits names. All zero at first, can be used again. The forms point into the text or into the
 * buffers, and are valid until the next call */
struct supersize_name {
	struct str full, template_name, plain;
	unsigned flags;         /* SUPERSIZE_ANONYMOUS and SUPERSIZE_CLONE */
	struct text buffers[6]; /* 0, 1: texts of turn(). 2: parts of the template form. 3 to 5:
				 * the three forms */
	VEC(struct supersize_mark) marks;
};

/* Splits a demangled name into the three forms. */
void supersize_split(struct supersize_name *n, struct str demangled, unsigned how);
/* Makes the template form and the plain form of a full form, which stays as it is. */
void supersize_derive(struct supersize_name *n, struct str full, unsigned how);
void supersize_name_release(struct supersize_name *n);
