/* stated.h - reads the frame sizes of functions that compilers state.
 *
 * clang -fstack-size-section: a section .stack_sizes. The section has an address and a number
 * (LEB128) for each function without a dynamic frame (LLVM Extensions, "Emitting function stack
 * size information"). The return address is not included.
 *
 * gcc and clang -fstack-usage: a file beside each object, with lines
 *
 * 	FILE:LINE[:COLUMN]:FUNCTION <tab> BYTES <tab> static | dynamic | dynamic,bounded
 *
 * On x86 the return address is included by gcc but not by clang. FUNCTION is the linkage name, or
 * the name in gcc's messages about C++. If several functions have the same name, the source file
 * decides. If it does not, their frames are unknown unless all are equal.
 *
 * O(bytes). 40 bytes per line. One thread. */
#ifndef HEFT_STACK_STATED_H
#define HEFT_STACK_STATED_H

#include "base/arena.h"
#include "base/intern.h"
#include "base/reader.h"
#include "base/text.h"
#include "base/vec.h"

enum stated_kind {
	STATED_STATIC,
	STATED_DYNAMIC, /* The size is only the constant part */
	STATED_BOUNDED, /* The stack is dynamic; the size is the maximum */
};

/* A line of a .su file. */
struct su_line {
	struct str file, name; /* Borrowed */
	uint64_t size;
	enum stated_kind kind;
};

/* Parses a decimal number of at most about 2^35. */
bool stated_number(struct str s, uint64_t *ret);
/* Returns the next line, without its end, and removes it from the text. */
struct str stated_line_take(struct str *text);
/* Parses the next valid line and removes it from the text. False at the end. *bad counts invalid
 * lines. */
bool su_next(struct str *text, struct su_line *ret, uint64_t *bad);

/* Returns the name without parameters, template arguments and return type: "a::f" for "int
 * a::f<int>(long) [with ...]". Replaces the contents of *to by the result. */
struct str su_plain_name(struct text *to, struct str name);

struct stated_line {
	uint32_t file;
	uint32_t next; /* Next line with the same name, plus 1. 0 at the end */
	uint64_t size;
	uint8_t kind; /* An enum stated_kind */
};

/* Lines of .su files. A zeroed struct has none. */
struct stated {
	struct intern names, files;
	VEC(uint32_t) first; /* Per name: index of a line plus 1 */
	VEC(struct stated_line) lines;
	struct text work;
};

/* Adds the lines of a .su file. `text` may be freed afterwards. Returns the number of invalid
 * lines. */
uint64_t stated_add(struct stated *s, struct str text);
void stated_release(struct stated *s);
/* Finds the frame stated for a function. `file` is from the symbol table, or NULL. `alone`: no
 * other function of the program has the name. False if it is unclear which line belongs to the
 * function. */
bool stated_find(const struct stated *s, struct str name, const char *file, bool alone,
		 struct su_line *ret);

/* Reads an entry of .stack_sizes. False at the end, or if cut off. */
bool stack_sizes_next(struct reader *r, unsigned address_size, uint64_t *ret_addr,
		      uint64_t *ret_size);

#endif
