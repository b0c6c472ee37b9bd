/* all_rows.h - makes all rows of a profile that have bytes, without a limit on their number. Also
 * makes rows that did not change, and rows that repeat their parent.
 *
 * Rows are made during the walk, see rows_visit(). row_ref() is the number of a row's label. Rows
 * of the last level have one text, the flags. One thread. */
#pragma once

#include "page/cards/symbol_flags.h"

struct all_rows {
	struct heft_table table;
	struct rows_maker maker;
	/* Only for all_rows.c. */
	struct rows_opts opts;
	struct symbol_flags flags;
	struct arena arena;
};
/* Makes the table and prepares its rows. *ret must not move before all_rows_end(). Borrows `p`. */
void all_rows_begin(struct all_rows *ret, const struct heft_profile *p);
void all_rows_end(struct all_rows *a);
