/* walk.h - visits all DIEs of a unit in one fast pass, and reports their references.
 *
 * Decodes only the values that the callbacks need. The steps of abbrev.h skip other attributes.
 * Cost: about 10 ns per DIE. Callbacks may be NULL. */
#pragma once

#include "debug/die.h"

struct walker {
	void *ctx;
	/* Receives a reference to a string: the section, and the offset there. */
	void (*string)(void *ctx, enum dw_section table, uint64_t off);
	/* Receives a reference to a location list or range list. */
	void (*list)(void *ctx, enum dw_section in, uint64_t off);
	/* Receives a variable with a fixed address (DW_OP_addr, or by index). */
	void (*variable)(void *ctx, uint64_t die_off, uint64_t addr);
	/* Receives a DIE of a subprogram or variable, before its contents. If enter() returns true,
	 * it is not called for the DIEs inside. leave() then receives the end of the DIE's
	 * children. */
	bool (*enter)(void *ctx, const struct die *d, const struct reader *attrs);
	void (*leave)(void *ctx, uint64_t end_off);
	bool all; /* True if enter() receives DIEs of all kinds */
};

/* Walks an opened unit. False, with a note, if it is damaged. Earlier reports stay valid. */
bool unit_walk(const struct unit *u, const struct walker *w);

/* Finds the address in an expression that is only DW_OP_addr or an index into .debug_addr. Sets
 * *ret_tls if the next operations make it thread-local. False for other expressions. */
bool expression_addr(const struct unit *u, struct bytes expr, uint64_t *ret, bool *ret_tls);
