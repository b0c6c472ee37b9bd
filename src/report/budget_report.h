/* budget_report.h - limits and what was measured, as text. */
#ifndef HEFT_REPORT_BUDGET_REPORT_H
#define HEFT_REPORT_BUDGET_REPORT_H

#include "report/report.h"

struct budget_report {
	const char *path; /* of the budgets */
	const struct heft_budget_row *rows;
	size_t count;
};

/* For people: a line a limit, below it who broke it. */
void out_budget_text(const struct budget_report *r, struct sink *s);
/* An ::error a broken limit, at its line of the file. */
void out_budget_github(const struct budget_report *r, struct sink *s);
void out_budget_markdown(const struct budget_report *r, struct sink *s);
/* A line a limit, under a line of names. */
void out_budget_csv(const struct budget_report *r, char separator, bool safe, struct sink *s);
/* One document; docs/json.md says what its members mean. */
void out_budget_json(const struct budget_report *r, struct sink *s);

#endif
