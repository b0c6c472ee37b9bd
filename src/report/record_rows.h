/* record_rows.h - turns records into rows with labels and a size, for pictures.
 *
 * Columns of text are the levels, from left to right. The first column of numbers is the size.
 * Records with equal labels share a row. Negative numbers and values that are no number count as 0;
 * other numbers are rounded. Cost: O(records). */
#ifndef HEFT_REPORT_RECORD_ROWS_H
#define HEFT_REPORT_RECORD_ROWS_H

#include "base/intern.h"
#include "map/tree.h"
#include "report/report.h"

struct record_rows {
	struct heft_table table; /* Table with labels. */
	/* Private fields. */
	const char *levels[COLUMNS_MAX];
	struct heft_measure measure;
	struct tree tree;
	struct intern labels;
	struct arena arena;
};

/* Makes the rows of all records of a report. Borrows the report. HEFT_EARG if there is no column of
 * text or none of numbers. Release *rows in any case. */
bool record_rows_make(struct record_rows *rows, const struct report *r, struct heft_err *err);
void record_rows_release(struct record_rows *rows);

#endif
