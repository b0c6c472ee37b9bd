/* walk.h - one fast pass over all DIEs of a unit, for what they refer to.
 *
 * Only what a walker asks for is decoded: the rest is passed over by the steps that the
 * abbreviation table was turned into.  Cost: about 10 ns a DIE.  Callbacks may be NULL. */
#ifndef HEFT_DEBUG_WALK_H
#define HEFT_DEBUG_WALK_H

#include "debug/die.h"

struct walker {
	void *ctx;
	/* A reference to a string table: its section and the offset there. */
	void (*string)(void *ctx, enum dw_section table, uint64_t off);
	/* A reference to a location or range list. */
	void (*list)(void *ctx, enum dw_section in, uint64_t off);
	/* The DIE at die_off has its place at a fixed address (DW_OP_addr or by index). */
	void (*variable)(void *ctx, uint64_t die_off, uint64_t addr);
	/* A DIE whose tag is a subprogram or variable, before anything of it is told.  Where it
	 * returns true, nothing inside is asked, and leave() tells where it ends, children
	 * included. */
	bool (*enter)(void *ctx, const struct die *d, const struct reader *attrs);
	void (*leave)(void *ctx, uint64_t end_off);
};

/* Walks an opened unit.  False, with a note, where it is damaged; what was told stands. */
bool unit_walk(const struct unit *u, const struct walker *w);

/* The address an expression consists of: DW_OP_addr or an index into .debug_addr, alone or
 * followed by what makes it a thread's (then *ret_tls). */
bool expression_addr(const struct unit *u, struct bytes expr, uint64_t *ret, bool *ret_tls);

#endif
