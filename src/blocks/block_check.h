/* block_check.h - whether a map of basic blocks is true to the code it describes.
 *
 * Holds every block against the instructions, and every function against symbols and unwind
 * tables.  What makes a map wrong, and what is merely odd (linkers leave it behind, or nobody wrote
 * it), is told apart.  Without a decoder for the machine, and in objects for what relocations will
 * change, the instructions are not asked.  O(bytes of code + functions log functions). */
#ifndef HEFT_BLOCKS_BLOCK_CHECK_H
#define HEFT_BLOCKS_BLOCK_CHECK_H

#include "blocks/blockmap.h"

enum check_rule {
	CHECK_START,   /* BB01 a block begins or ends inside an instruction */
	CHECK_FLAGS,   /* BB02 flags and last instruction contradict each other */
	CHECK_OVERLAP, /* BB03 two blocks claim a byte */
	CHECK_GAP,     /* BB04 what is between two blocks is no padding */
	CHECK_TARGET,  /* BB05 a jump leads into a block */
	CHECK_PLACE, /* BB06 no code or no function there: the code was moved, or the map is old */
	CHECK_REPEATED,  /* BB07 odd: a function has two entries */
	CHECK_TOMBSTONE, /* BB08 odd: the entry of a function that the linker threw away */
	CHECK_MISSING,   /* BB09 odd: a function without an entry */
	CHECK_VERSIONS,  /* BB10 odd: entries of several versions */
	CHECK_SIZE,      /* BB11 blocks end before or behind their function */
	CHECK_DAMAGE,    /* BB12 an entry cannot be read */
	CHECK_PAD,       /* BB13 flags and exception tables disagree on a landing pad */
	CHECK_RULES
};

struct check_finding {
	uint64_t addr;
	enum check_rule rule;
	const char *function; /* linkage name, or NULL; the image's */
	const char *text;     /* in the arena */
	size_t number;        /* of the function in the map, SIZE_MAX: of none */
};

struct block_check {
	struct arena arena;
	VEC(struct check_finding) findings; /* by addr */
	uint64_t decoded;                   /* blocks whose instructions were looked at */
	uint64_t known;                     /* functions that symbols and unwind tables know */
	uint64_t mapped;                    /* of these, those in the map */
};

/* "BB01" ... */
const char *check_id(enum check_rule rule);
bool check_is_wrong(enum check_rule rule);

/* Fills *ret.  The map has names; `debug` may be NULL. */
void blockmap_check(const struct blockmap *b, const struct image *debug, struct block_check *ret);
void block_check_release(struct block_check *c);

#endif
