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
#pragma once

#include "base/arena.h"
#include "base/intern.h"
#include "base/reader.h"
#include "base/text.h"
#include "base/vec.h"

enum stated_kind {
	STATED_STATIC,
	STATED_DYNAMIC, /* The size is the constant part */
	STATED_BOUNDED, /* Dynamic, and the size is the maximum */
};

struct su_line {
	struct str file, name; /* Borrowed */
	uint64_t size;
	enum stated_kind kind;
};

/* Parses a decimal number below about 2^35. False for other texts. */
bool stated_number(struct str s, uint64_t *ret);
/* Returns the next line of *text without its end, and removes it from *text. */
struct str stated_line_take(struct str *text);
/* Takes the next valid line off *text and parses it. False at the end. *bad counts invalid ones. */
bool su_next(struct str *text, struct su_line *ret, uint64_t *bad);

/* Sets *to to the name without parameters, template arguments and return type, and returns it:
 * "a::f" for "int a::f<int>(long) [with ...]". */
struct str su_plain_name(struct text *to, struct str name);

struct stated_line {
	uint32_t file;
	uint32_t next; /* 1 + index of the next line with this name, or 0 */
	uint64_t size;
	uint8_t kind; /* Value of enum stated_kind */
};

/* Lines of .su files. All zero: none */
struct stated {
	struct intern names, files;
	VEC(uint32_t) first; /* Per name: 1 + index of its first line */
	VEC(struct stated_line) lines;
	struct text work;
};

/* Adds the lines of a .su file, which may be freed then. Returns the number of invalid lines. */
uint64_t stated_add(struct stated *s, struct str text);
void stated_release(struct stated *s);
/* Finds the frame that is stated for a function. `file`: its source file by the symbol table, or
 * NULL. `alone`: no other function has its name. False if it is unclear which line is the
 * function's. */
bool stated_find(const struct stated *s, struct str name, const char *file, bool alone,
		 struct su_line *ret);

/* Reads an entry of .stack_sizes. False at the end, or if it is cut off. */
bool stack_sizes_next(struct reader *r, unsigned address_size, uint64_t *ret_addr,
		      uint64_t *ret_size);
