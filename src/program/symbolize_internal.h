/* symbolize_internal.h - declares what the files symbolize*.c share. */
#ifndef HEFT_PROGRAM_SYMBOLIZE_INTERNAL_H
#define HEFT_PROGRAM_SYMBOLIZE_INTERNAL_H

#include "program/symbolize.h"

struct loaded_unit {
	const char *name;
	struct line_table *lines; /* NULL if there is none. Units with the same line program
				   * share it. */
	struct scopes scopes;
	bool made_by_linker; /* Result of unit_is_made_by_linker() */
	size_t near;         /* Hint for flat_find_near() */
};

/* Returns the unit at an index. Reads it at the first call. */
struct loaded_unit *symbolizer_unit(struct symbolizer *s, size_t index);
/* Moves from a DIE in a unit that link-time optimization made to its origin in the source's unit.
 * False without an origin. Both arguments are then undefined. */
bool symbolizer_origin(struct symbolizer *s, size_t *index, uint64_t *die_off);
/* Opens the split unit of a skeleton. False without one. */
bool symbolizer_split(struct symbolizer *s, const struct unit *u, struct unit *ret);

#endif
