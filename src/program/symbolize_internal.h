/* symbolize_internal.h - what symbolize*.c share.  Private to them. */
#ifndef HEFT_PROGRAM_SYMBOLIZE_INTERNAL_H
#define HEFT_PROGRAM_SYMBOLIZE_INTERNAL_H

#include "program/symbolize.h"

struct loaded_unit {
	const char *name;
	struct line_table *lines; /* NULL if none; shared by units with the same program */
	struct scopes scopes;
	size_t near; /* see flat_find_near */
};

/* The unit of that index, read when first asked for. */
struct loaded_unit *symbolizer_unit(struct symbolizer *s, size_t index);
/* The other half of a skeleton, opened; false where there is none. */
bool symbolizer_split(struct symbolizer *s, const struct unit *u, struct unit *ret);

#endif
