/* rows.h - from a rollup to the rows people see: sorted, cut to a limit, with the rest
 * summed up as "[N Others]". */
#ifndef HEFT_MAP_ROWS_H
#define HEFT_MAP_ROWS_H

#include "base/arena.h"
#include "map/alias.h"
#include "map/rollup.h"

struct rows_opts {
	uint32_t limit; /* rows a level, 0 = all */
	enum heft_sort sort;
	enum heft_domain domain; /* whose size decides */
	bool diff;
	unsigned threads; /* as for parallel_for; they do not show */
	/* Levels whose rows are shown even where they only repeat the row above, as others stand below
	 * them; bytes without an owner apart. */
	bool keep[LEVELS_MAX];
	const struct alias_index *aliases[LEVELS_MAX]; /* by level; NULL = none to list */
};

/* The tree below TOTAL, in memory of `arena`; labels are those of the label table, whose
 * texts must end in NUL. */
const struct heft_row *rows_build(const struct rollup *r, const struct labels *labels,
				  const struct rows_opts *opts, struct arena *arena);

#endif
