/* record_rows.h - turns records (rows that have only texts) into rows with labels and a size, for
 * pictures.
 *
 * Columns of text are the levels, from left to right. The first column of numbers is the size.
 * Records with equal labels share a row. Negative numbers and values without a number count as 0.
 * Other numbers are rounded. Cost: O(records). */
#pragma once

#include "base/intern.h"
#include "map/tree.h"
#include "report/report.h"

struct record_rows {
	struct heft_table table; /* Table with labels */
	/* Private. */
	const char *levels[COLUMNS_MAX];
	struct heft_measure measure;
	struct tree tree;
	struct intern labels;
	struct arena arena;
};

/* Makes the rows of a report's records. Borrows the report. HEFT_EARG without a text column or a
 * number column. Always release *rows. */
bool record_rows_make(struct record_rows *rows, const struct report *r, struct heft_err *err);
void record_rows_release(struct record_rows *rows);
