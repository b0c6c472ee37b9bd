/* symbolize.h - finds the source lines of an address: unit, function, and inlined calls.
 *
 * A unit is read when its first address is requested, and kept in a compact form. The first look-up
 * also reads the first DIE of every unit. Later look-ups are a few binary searches. Damage affects
 * only look-ups in its unit.
 *
 * One thread. While a symbolizer exists, no other code may use its debuginfo. */
#pragma once

#include "debug/line_table.h"
#include "debug/scopes.h"
#include "program/debuginfo.h"

/* A function that contains the address, or a call inlined there. Texts live as long as the
 * symbolizer. Unknown texts are "", unknown numbers 0 */
struct frame {
	struct scope_function *function; /* NULL if unknown */
	const char *file;                /* Absolute path (debug/path.h) */
	uint32_t line, column;
};

/* What is known of an address */
struct symbolized {
	const char *unit;           /* Name of the compile unit (unit_name()) */
	const struct frame *frames; /* Innermost first. Valid until the next look-up */
	size_t frame_count;
};

/* Where a variable is declared. "" and 0 if unknown */
struct declaration {
	const char *unit, *file;
	uint32_t line, column;
};

struct loaded_unit;

/* A variable with a fixed address */
struct variable_place {
	uint64_t addr; /* VM address */
	uint64_t die_off;
	uint32_t unit; /* Index of the unit that contains the DIE */
};

struct symbolizer {
	struct debuginfo *info;
	/* Another symbolizer, asked if this one does not know an address, or NULL. Borrowed. */
	struct symbolizer *besides;
	bool indexed; /* True after the address ranges of units were read */
	struct units units;
	struct abbrev_cache cache, split_cache;
	struct loaded_unit **loaded;    /* Per unit. NULL until requested */
	VEC(struct line_table *) lines; /* Sorted by offset of the line program */
	struct intern texts;
	VEC(struct frame) frames;
	VEC(struct debuginfo_window)
	windows;                              /* Copy of the debuginfo's windows, with `addr` and
					       * `vm` exchanged, sorted */
	VEC(struct variable_place) variables; /* Sorted by address */
	bool variables_read;
};

void symbolizer_init(struct symbolizer *s, struct debuginfo *info);
void symbolizer_release(struct symbolizer *s);
bool symbolizer_find(struct symbolizer *s, uint64_t vm_addr, struct symbolized *ret);
/* Finds the declaration of the variable whose bytes include a VM address. False if none is known.
 * The first call reads all units. */
bool symbolizer_variable(struct symbolizer *s, uint64_t vm_addr, struct declaration *ret);
