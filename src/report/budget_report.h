/* budget_report.h - writes size limits and the measured values as a table. */
#pragma once

#include "report/report.h"

struct budget_report {
	const char *path; /* Path of the budget file */
	const struct heft_budget_row *rows;
	size_t count;
};

/* Number of measures and texts of rows. */
enum { BUDGET_MEASURES = 5, BUDGET_TEXTS = 8 };
extern const struct heft_measure budget_measures[BUDGET_MEASURES];
extern const struct heft_text budget_texts[BUDGET_TEXTS];

/* Sets table, columns, fields and kind of a report whose opts are set. Each limit has a row. The
 * row of a broken limit has rows for the symbols or parts that broke it. `arena` owns them. */
void budget_report_init(struct report *r, const struct budget_report *b, struct arena *arena);
/* Writes a name from the budget file, which may have any characters, inside a sentence. */
typedef void (*budget_name_fn)(struct sink *s, const char *name);
/* Writes the result of a limit, such as "1234 of 2000 padded bytes", or why it was not checked. */
void budget_finding_put(const struct heft_budget_row *row, budget_name_fn put_name, struct sink *s);
/* Writes the summary: "2 of 7 limits broken". */
void budget_sum_put(const struct budget_report *b, struct sink *s);
/* Writes GitHub's ::error command for each broken limit, at its line of the budget file. */
void out_budget_github(const struct budget_report *r, struct sink *s);
