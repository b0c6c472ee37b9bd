/* symbolize.h - from an address to source lines: the unit, the function and what was inlined.
 *
 * What a unit says is read when its first address is asked for, and kept in a compact form; the
 * first answer of all costs a look at the first DIE of every unit.  Then a look-up is a few
 * binary searches.  Damage costs a unit its own answers.
 *
 * One thread a symbolizer; the debuginfo belongs to it meanwhile. */
#ifndef HEFT_PROGRAM_SYMBOLIZE_H
#define HEFT_PROGRAM_SYMBOLIZE_H

#include "debug/line_table.h"
#include "debug/scopes.h"
#include "program/debuginfo.h"

/* A function around the address.  Texts are NUL-terminated, "" where the DWARF does not say (then
 * numbers are 0); they live as long as the symbolizer. */
struct frame {
	struct scope_function *function; /* NULL if not known; its texts are NUL-terminated too */
	const char *file;                /* absolute by the rule of debug/path.h */
	uint32_t line, column;
};

/* What is known of an address. */
struct symbolized {
	const char *unit;           /* name of the compile unit (unit_name) */
	const struct frame *frames; /* innermost first; until the next look-up */
	size_t frame_count;
};

/* Where a variable was declared; "" and 0 as above. */
struct declaration {
	const char *unit, *file;
	uint32_t line, column;
};

struct loaded_unit;

/* A variable that has an address of its own. */
struct variable_place {
	uint64_t addr; /* VM, as the image has it */
	uint64_t die_off;
	uint32_t unit; /* index */
};

struct symbolizer {
	struct debuginfo *info; /* borrowed */
	/* Borrowed, or NULL: other debug info of the program, for what this one does not tell. */
	struct symbolizer *besides;
	/* private */
	struct units units;
	struct abbrev_cache cache, split_cache;
	struct loaded_unit **loaded;    /* by index of the unit; NULL = not asked for yet */
	VEC(struct line_table *) lines; /* by their offset */
	struct intern texts;
	VEC(struct frame) frames;
	VEC(struct debuginfo_window) windows; /* `addr` and `vm` exchanged, sorted */
	VEC(struct variable_place) variables; /* by addr */
	bool variables_read;
};

void symbolizer_init(struct symbolizer *s, struct debuginfo *info);
void symbolizer_release(struct symbolizer *s);
/* Looks up a VM address as the image has it.  False where no unit has code there. */
bool symbolizer_find(struct symbolizer *s, uint64_t vm_addr, struct symbolized *ret);
/* The declaration of the variable at or around a VM address; false where none is known.  The first
 * call reads all units. */
bool symbolizer_variable(struct symbolizer *s, uint64_t vm_addr, struct declaration *ret);

#endif
