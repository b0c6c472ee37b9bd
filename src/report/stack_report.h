/* stack_report.h - writes how much stack functions take, one row per function. */
#ifndef HEFT_REPORT_STACK_REPORT_H
#define HEFT_REPORT_STACK_REPORT_H

#include "report/report.h"
#include "stack/stack_rows.h"

/* Writes a table with the texts and measures of stack_rows.h, and flushes `s`. */
bool stack_report_write(const struct heft_table *t, const struct heft_write_opts *opts,
			struct sink *s, struct heft_err *err);

#endif
