#pragma once

#include "program/symbolize.h"

struct loaded_unit {
	const char *name;
	struct line_table *lines; /* NULL if none. Units with the same line program share it */
	struct scopes scopes;
	bool made_by_linker; /* Result of unit_is_made_by_linker() */
	size_t near;         /* Hint for flat_find_near() */
};

/* Returns unit `index`, which the first call reads. */
struct loaded_unit *symbolizer_unit(struct symbolizer *s, size_t index);
/* Moves from a DIE in a unit of the link-time optimizer to the DIE in the unit of its source. False
 * if there is none; then both arguments are undefined. */
bool symbolizer_origin(struct symbolizer *s, size_t *index, uint64_t *die_off);
/* Opens the split unit of a skeleton. False without one. */
bool symbolizer_split(struct symbolizer *s, const struct unit *u, struct unit *ret);
