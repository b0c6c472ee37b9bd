/* block_check_internal.h - what block_check.c and block_check_code.c share. */
#ifndef HEFT_BLOCKS_BLOCK_CHECK_INTERNAL_H
#define HEFT_BLOCKS_BLOCK_CHECK_INTERNAL_H

#include "blocks/block_check.h"
#include "blocks/derive_map_internal.h"

/* A function that a symbol or an unwind table tells of. */
struct known_function {
	uint64_t addr, size; /* size 0: not stated */
	const char *name;    /* NULL: unwind table */
};

struct checker {
	const struct blockmap *b;
	struct block_check *out;
	struct gathering facts;           /* code, landing pads */
	VEC(struct known_function) known; /* by addr; several at one are possible */
	VEC(uint64_t) pads;               /* landing pads, sorted */
	struct bbindex index;
	bool has_indirect;    /* the compiler tells of indirect jumps */
	VEC(uint64_t) labels; /* of code, that are no functions; sorted */
	bool stripped;        /* no symbol table lists every function */
};

void PRINTF_LIKE(5, 6)
	check_find(struct checker *c, enum check_rule rule, const struct blockmap_function *f,
		   uint64_t addr, const char *fmt, ...);

/* block_check_code.c: the blocks of one range against the instructions. */
void check_code(struct checker *c, const struct blockmap_function *f,
		const struct blockmap_range *r);

#endif
