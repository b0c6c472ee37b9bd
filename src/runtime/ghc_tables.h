/* ghc_tables.h - finds the info tables of GHC's runtime, which are in the code of Haskell programs.
 *
 * A table is directly before the code that it describes ("tables next to code"). It gives the
 * runtime the layout of a heap object or of a stack frame. Source: the commentary on GHC, "Layout
 * of heap objects", and rts/include/rts/storage/{InfoTables,ClosureTypes}.h. Only tables of 64
 * bits, as GHC 8.2 and later have them:
 *
 *     functions: (entry for slow calls, arguments: 2 words, if no pattern fits), kind of arguments
 *                and arity: 4 bytes each
 *     constructors: distance from the code to a text, "package:Module.Constructor"
 *     all: layout: 8 bytes; type of the object: 4 bytes; distance to the static objects that the
 *          code refers to (SRT), or number of the constructor: 4 bytes
 *     code
 *
 * On machines other than x86-64, the last field says whether a distance to the SRT precedes the
 * layout (or the arity, if there is one).
 *
 * Nothing marks a table. So the form of each, its targets, and their number decide. */
#pragma once

#include "base/reader.h"
#include "base/vec.h"

/* Types of objects that are used here. The types of a group are consecutive. */
enum ghc_type {
	GHC_CONSTRUCTOR = 1,
	GHC_CONSTRUCTOR_LAST = 7,
	GHC_FUNCTION = 8,
	GHC_FUNCTION_LAST = 14,
	GHC_THUNK = 15,
	GHC_THUNK_STATIC = 21,
	GHC_SELECTOR = 22,
	GHC_RETURN = 30, /* A frame of the stack: the code is a part of the previous function */
	GHC_RETURN_BIG = 31,
	GHC_TYPES = 70 /* Greater than the number of types */
};

struct ghc_table {
	uint64_t entry; /* Address of the code after the table */
	uint64_t data;  /* Address of the SRT, or of the text of a constructor. 0 if none. */
	uint64_t slow;  /* Address of code that calls a function with any arguments. 0 if none. */
	uint64_t words; /* Number of words of the object: pointers and others */
	uint8_t size;   /* Number of bytes from the table's start to the code */
	uint8_t type;   /* An enum ghc_type */
};

struct ghc_tables {
	VEC(struct ghc_table)
	list; /* Sorted by `entry`. None overlaps the code of another. */
};

/* Mapped code or data. */
struct ghc_code {
	uint64_t addr;
	struct bytes bytes;
};

struct ghc_image {
	const struct ghc_code *code; /* Sorted by address, without overlap */
	size_t count;
	bool big_endian;
	bool inline_srt; /* x86-64: true if the distance to the SRT is the table's last field */
	/* Returns at most `size` bytes at an address, none if there is no data there. */
	struct bytes (*load)(void *ctx, uint64_t addr, uint64_t size);
	void *ctx;
};

/* Finds the tables. The list is empty if there are too few for GHC's code. O(code). */
void ghc_tables_find(struct ghc_tables *t, const struct ghc_image *im);
void ghc_tables_release(struct ghc_tables *t);

/* Returns the table whose code begins at `entry`, or NULL. */
const struct ghc_table *ghc_table_at(const struct ghc_tables *t, uint64_t entry);
/* True if the code is a part of the previous function. */
static inline bool ghc_table_continues(const struct ghc_table *t)
{
	return t->type == GHC_RETURN || t->type == GHC_RETURN_BIG;
}
static inline bool ghc_table_constructs(const struct ghc_table *t)
{
	return t->type >= GHC_CONSTRUCTOR && t->type <= GHC_CONSTRUCTOR_LAST;
}
