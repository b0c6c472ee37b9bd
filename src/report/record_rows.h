/* record_rows.h - records as rows with labels and a size, for pictures.
 *
 * Columns of text are the levels, from left to right, and the first column of numbers is the size;
 * records with the same labels are one row.  Numbers below 0 and what is no number count nothing,
 * others are rounded.  Cost: O(records). */
#ifndef HEFT_REPORT_RECORD_ROWS_H
#define HEFT_REPORT_RECORD_ROWS_H

#include "base/intern.h"
#include "map/tree.h"
#include "report/report.h"

struct record_rows {
	struct heft_table table; /* with labels */
	/* private */
	const char *levels[COLUMNS_MAX];
	struct heft_measure measure;
	struct tree tree;
	struct intern labels;
	struct arena arena;
};

/* The records of a report, all of them; borrowed.  HEFT_EARG where there is no column of text or
 * none of numbers.  Release it in any case. */
bool record_rows_make(struct record_rows *rows, const struct report *r, struct heft_err *err);
void record_rows_release(struct record_rows *rows);

#endif
