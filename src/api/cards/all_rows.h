/* all_rows.h - every row of a profile that holds a byte, without a limit, also those that did not
 * change and that only say again what the row above says.
 *
 * Rows are made as they are walked, see rows_visit.  `ref` of a row is the number of its label; its
 * one text are the flags, where it is on the last level.  One thread. */
#ifndef HEFT_API_CARDS_ALL_ROWS_H
#define HEFT_API_CARDS_ALL_ROWS_H

#include "api/cards/symbol_flags.h"

struct all_rows {
	struct heft_table table;
	struct rows_maker maker;
	/* private */
	struct rows_opts opts;
	struct symbol_flags flags;
	struct arena arena;
};
/* *ret stays where it is until all_rows_end; the profile is borrowed. */
void all_rows_begin(struct all_rows *ret, const struct heft_profile *p);
void all_rows_end(struct all_rows *a);

#endif
