/* block_check_internal.h - declares what block_check.c and block_check_code.c share. */
#pragma once

#include "blocks/block_check.h"
#include "blocks/derive_map_internal.h"

/* A function that a symbol or an unwind table describes. */
struct known_function {
	uint64_t addr, size; /* `size` is 0 if unknown */
	const char *name;    /* NULL if no symbol names it */
};

struct checker {
	const struct blockmap *b;
	struct block_check *out;
	struct gathering facts;
	VEC(struct known_function) known; /* Sorted by address. Several may have the same address */
	VEC(uint64_t) pads;               /* Landing pads, ascending */
	struct bbindex index;
	bool has_indirect;    /* True if any block is flagged as ending with an indirect jump */
	VEC(uint64_t) labels; /* Labels in code that are not functions, sorted */
	bool stripped;        /* True if the symbol table may lack functions */
};

void PRINTF_LIKE(5, 6)
	check_find(struct checker *c, enum check_rule rule, const struct blockmap_function *f,
		   uint64_t addr, const char *fmt, ...);

/* Returns the first byte in [from, to) that is neither padding nor data. Returns at least `to` if
 * there is none. */
uint64_t check_skip_padding(const struct checker *c, uint64_t from, uint64_t to);

/* block_check_code.c: checks the blocks of one range against the instructions. */
void check_code(struct checker *c, const struct blockmap_function *f,
		const struct blockmap_range *r);
