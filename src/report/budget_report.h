/* budget_report.h - limits and what was measured, as a table. */
#ifndef HEFT_REPORT_BUDGET_REPORT_H
#define HEFT_REPORT_BUDGET_REPORT_H

#include "report/report.h"

struct budget_report {
	const char *path; /* of the budgets */
	const struct heft_budget_row *rows;
	size_t count;
};

/* What rows have. */
enum { BUDGET_MEASURES = 5, BUDGET_TEXTS = 8 };
extern const struct heft_measure budget_measures[BUDGET_MEASURES];
extern const struct heft_text budget_texts[BUDGET_TEXTS];

/* Sets table, columns, fields and kind of a report; opts are set.  A row a limit, below a broken
 * one those who broke it.  The table is in the arena. */
void budget_report_init(struct report *r, const struct budget_report *b, struct arena *arena);
/* Writes a name of the file's, which may hold anything, where it stands in a sentence. */
typedef void (*budget_name_fn)(struct sink *s, const char *name);
/* "1234 of 2000 padded bytes": what was found of a limit; or why it was not checked. */
void budget_finding_put(const struct heft_budget_row *row, budget_name_fn put_name, struct sink *s);
/* "2 of 7 limits broken": all together. */
void budget_sum_put(const struct budget_report *b, struct sink *s);
/* An ::error a broken limit, at its line of the file. */
void out_budget_github(const struct budget_report *r, struct sink *s);

#endif
