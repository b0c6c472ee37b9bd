/* block_check_internal.h - declares what block_check.c and block_check_code.c share. */
#ifndef HEFT_BLOCKS_BLOCK_CHECK_INTERNAL_H
#define HEFT_BLOCKS_BLOCK_CHECK_INTERNAL_H

#include "blocks/block_check.h"
#include "blocks/derive_map_internal.h"

/* A function that a symbol or an unwind table describes. */
struct known_function {
	uint64_t addr, size; /* `size` is 0 if unknown */
	const char *name;    /* NULL if only an unwind table describes it */
};

struct checker {
	const struct blockmap *b;
	struct block_check *out;
	struct gathering facts;           /* Code and landing pads */
	VEC(struct known_function) known; /* Sorted by addr. Several may have one address. */
	VEC(uint64_t) pads;               /* Landing pads, ascending */
	struct bbindex index;
	bool has_indirect;    /* True if the compiler flags indirect jumps */
	VEC(uint64_t) labels; /* Sorted labels in code that are not functions */
	bool stripped;        /* True if the symbol table does not list all functions */
};

void PRINTF_LIKE(5, 6)
	check_find(struct checker *c, enum check_rule rule, const struct blockmap_function *f,
		   uint64_t addr, const char *fmt, ...);

/* Skips padding and data inside code. Returns the first other byte in [from, to), or at least `to`
 * without one. */
uint64_t check_skip_padding(const struct checker *c, uint64_t from, uint64_t to);

/* block_check_code.c: checks the blocks of one range against the instructions. */
void check_code(struct checker *c, const struct blockmap_function *f,
		const struct blockmap_range *r);

#endif
