/* diff_report.h - a diff of snapshots as text. */
#ifndef HEFT_REPORT_DIFF_REPORT_H
#define HEFT_REPORT_DIFF_REPORT_H

#include "report/report.h"

struct diff_report {
	const struct heft_diff_section *sections; /* the total is the last */
	size_t section_count;
	const struct heft_diff_row *rows, *total;
	size_t row_count;
	enum heft_diff_by by;
	unsigned width; /* table: of the lines, 0: any */
};

/* For people: sections, counts, rows. */
void out_diff_table(const struct diff_report *r, struct sink *s);
/* One line a row, under a line of names. */
void out_diff_csv(const struct diff_report *r, struct sink *s);
/* One document; docs/json.md says what its members mean. */
void out_diff_json(const struct diff_report *r, struct sink *s);
/* For comments on changes under review: the total in front, the tables folded up. */
void out_diff_markdown(const struct diff_report *r, struct sink *s);

/* "12 added, 1 removed" of what is not 0; "nothing" where all are. */
void diff_counts_put(struct sink *s, const uint64_t counts[HEFT_CHANGES]);
/* "symbol", "directory" ...: what rows are. */
const char *diff_by_word(enum heft_diff_by by);
const char *diff_change_word(enum heft_change change);
/* Sums of the sections that are in the file, or those that are not. */
struct heft_diff_sizes diff_sum(const struct diff_report *r, bool in_file);

#endif
