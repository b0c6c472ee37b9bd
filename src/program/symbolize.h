/* symbolize.h - finds the source lines of an address: unit, function, and inlined calls.
 *
 * A unit is read when its first address is requested, and kept in a compact form. The first look-up
 * also reads the first DIE of every unit. Later look-ups are a few binary searches. Damage affects
 * only look-ups in its unit.
 *
 * One thread per symbolizer. Meanwhile no other code may use the debuginfo. */
#ifndef HEFT_PROGRAM_SYMBOLIZE_H
#define HEFT_PROGRAM_SYMBOLIZE_H

#include "debug/line_table.h"
#include "debug/scopes.h"
#include "program/debuginfo.h"

/* A function around the address. Texts are NUL-terminated and live as long as the symbolizer.
 * Unknown texts are "", unknown numbers 0. */
struct frame {
	struct scope_function *function; /* NULL if unknown. Its texts are NUL-terminated too. */
	const char *file;                /* Absolute path, made by debug/path.h */
	uint32_t line, column;
};

/* Facts about an address. */
struct symbolized {
	const char *unit;           /* Name of the compile unit (unit_name). */
	const struct frame *frames; /* Innermost first. Valid until the next look-up */
	size_t frame_count;
};

/* Place of a variable's declaration. "" and 0 if unknown. */
struct declaration {
	const char *unit, *file;
	uint32_t line, column;
};

struct loaded_unit;

/* A variable that has an address of its own. */
struct variable_place {
	uint64_t addr; /* VM address of the image. */
	uint64_t die_off;
	uint32_t unit; /* Index of the unit. */
};

struct symbolizer {
	struct debuginfo *info; /* Borrowed. */
	/* Debug info to try after this, or NULL. Borrowed. */
	struct symbolizer *besides;
	bool indexed; /* The units' addresses are known. */
	/* Private fields. */
	struct units units;
	struct abbrev_cache cache, split_cache;
	struct loaded_unit **loaded;    /* Per unit: its data. NULL until requested */
	VEC(struct line_table *) lines; /* Sorted by their offset. */
	struct intern texts;
	VEC(struct frame) frames;
	VEC(struct debuginfo_window) windows; /* Windows with `addr` and `vm` exchanged, sorted */
	VEC(struct variable_place) variables; /* Sorted by addr. */
	bool variables_read;
};

void symbolizer_init(struct symbolizer *s, struct debuginfo *info);
void symbolizer_release(struct symbolizer *s);
/* Looks up a VM address of the image. False if no unit has code there. */
bool symbolizer_find(struct symbolizer *s, uint64_t vm_addr, struct symbolized *ret);
/* Finds the declaration of the variable whose bytes include a VM address. False if none is known.
 * The first call reads all units. */
bool symbolizer_variable(struct symbolizer *s, uint64_t vm_addr, struct declaration *ret);

#endif
