/* block_check.h - checks whether a map of basic blocks fits the code that it describes.
 *
 * Compares every block with the instructions, and every function with symbols and unwind tables. A
 * rule finds what is wrong (it contradicts the code) or odd (the linker kept an old entry, or the
 * compiler wrote none). Cannot check instructions of machines without a decoder, and in objects
 * targets that relocations change. O(bytes of code + functions log functions). */
#pragma once

#include "blocks/blockmap.h"

enum check_rule {
	CHECK_START,     /* BB01: a block begins or ends inside an instruction */
	CHECK_FLAGS,     /* BB02: flags and last instruction contradict each other */
	CHECK_OVERLAP,   /* BB03: two blocks claim the same byte */
	CHECK_GAP,       /* BB04: bytes between two blocks are not padding */
	CHECK_TARGET,    /* BB05: a jump goes into the middle of a block */
	CHECK_PLACE,     /* BB06: there is no code or function at the address. Code was moved, or
			  * the map is of another build */
	CHECK_REPEATED,  /* BB07, odd: a function has two entries */
	CHECK_TOMBSTONE, /* BB08, odd: an entry of a removed function */
	CHECK_MISSING,   /* BB09, odd: a function without an entry */
	CHECK_VERSIONS,  /* BB10, odd: entries of several versions */
	CHECK_SIZE,      /* BB11: blocks end before or after their function */
	CHECK_DAMAGE,    /* BB12: an entry cannot be read */
	CHECK_PAD,       /* BB13: flags and exception tables disagree about a landing pad */
	CHECK_RULES
};

struct check_finding {
	uint64_t addr;
	enum check_rule rule;
	const char *function; /* Linkage name, or NULL. Owned by the image */
	const char *text;     /* Owned by block_check.arena */
	size_t number;        /* Index of the function in the map. SIZE_MAX if none. */
};

struct block_check {
	struct arena arena;
	VEC(struct check_finding) findings; /* Sorted by addr */
	uint64_t decoded;                   /* Number of blocks whose instructions were checked */
	uint64_t known;                     /* Functions that symbols and unwind tables describe */
	uint64_t mapped;                    /* Number of `known` functions that are in the map */
};

const char *check_id(enum check_rule rule);
bool check_is_wrong(enum check_rule rule);

/* Checks the map `b`, whose functions must have names. `debug` may be NULL. */
void blockmap_check(const struct blockmap *b, const struct image *debug, struct block_check *ret);
void block_check_release(struct block_check *c);
