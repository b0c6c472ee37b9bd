/* symbolize_internal.h - declares what symbolize*.c share. Private to them. */
#ifndef HEFT_PROGRAM_SYMBOLIZE_INTERNAL_H
#define HEFT_PROGRAM_SYMBOLIZE_INTERNAL_H

#include "program/symbolize.h"

struct loaded_unit {
	const char *name;
	struct line_table *lines; /* NULL if there is none. Units with the same line program
				   * share it. */
	struct scopes scopes;
	size_t near; /* Hint for flat_find_near(). */
};

/* Returns the unit at an index. Reads it at the first call. */
struct loaded_unit *symbolizer_unit(struct symbolizer *s, size_t index);
/* Opens the split unit of a skeleton. False if there is none. */
bool symbolizer_split(struct symbolizer *s, const struct unit *u, struct unit *ret);

#endif
