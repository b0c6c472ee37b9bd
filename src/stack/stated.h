/* stated.h - what compilers say of the frames of functions.
 *
 * clang -fstack-size-section: a section .stack_sizes, which has an address and a number (LEB128)
 * for each function without a dynamic frame (LLVM Extensions, "Emitting function stack size
 * information").  The return address is left out.
 *
 * gcc and clang -fstack-usage: a file beside each object, with lines
 *
 *	FILE:LINE[:COLUMN]:FUNCTION <tab> BYTES <tab> static | dynamic | dynamic,bounded
 *
 * On x86 the return address is in it, or is not (clang).  FUNCTION is the linkage name, or what gcc
 * calls it in messages about C++.  Where several functions have one name, the source file decides;
 * where that does not, nothing is said of them unless all have the same frame.
 *
 * O(bytes); 40 bytes a line.  One thread. */
#ifndef HEFT_STACK_STATED_H
#define HEFT_STACK_STATED_H

#include "base/arena.h"
#include "base/intern.h"
#include "base/reader.h"
#include "base/text.h"
#include "base/vec.h"

enum stated_kind {
	STATED_STATIC,
	STATED_DYNAMIC, /* the size is what is known of it */
	STATED_BOUNDED, /* dynamic, and the size is the most */
};

/* A line of a .su file. */
struct su_line {
	struct str file, name; /* borrowed */
	uint64_t size;
	enum stated_kind kind;
};

/* Takes the next line that is one off the text; *bad counts the others.  False at its end. */
bool su_next(struct str *text, struct su_line *ret, uint64_t *bad);

/* The name without parameters, template arguments and what stands in front of it: of "int
 * a::f<int>(long) [with ...]" that is "a::f".  Added to *to, which is emptied. */
struct str su_plain_name(struct text *to, struct str name);

struct stated_line {
	uint32_t file;
	uint32_t next; /* the next one of the name, + 1 */
	uint64_t size;
	uint8_t kind; /* enum stated_kind */
};

/* Zeroed: empty. */
struct stated {
	struct intern names, files;
	VEC(uint32_t) first; /* by name: a line, + 1 */
	VEC(struct stated_line) lines;
	struct text work;
};

/* Adds the lines of a .su file; the text is not needed afterwards.  Returns how many lines are
 * none. */
uint64_t stated_add(struct stated *s, struct str text);
void stated_release(struct stated *s);
/* What is said of a function; `file` as the symbol table has it, or NULL; `alone`: no other
 * function of the program has the name.  False where it is not known which line is of it. */
bool stated_find(const struct stated *s, struct str name, const char *file, bool alone,
		 struct su_line *ret);

/* An entry of .stack_sizes; false at its end, and where it is cut off. */
bool stack_sizes_next(struct reader *r, unsigned address_size, uint64_t *ret_addr,
		      uint64_t *ret_size);

#endif
