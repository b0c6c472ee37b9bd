/* info_report.h - writes facts about files, one row per file. */
#ifndef HEFT_REPORT_INFO_REPORT_H
#define HEFT_REPORT_INFO_REPORT_H

#include "measure/info_rows.h"
#include "report/report.h"

/* Writes a table with these texts and measures, and flushes `s`. */
bool info_report_write(const struct heft_table *t, const struct heft_write_opts *opts,
		       struct sink *s, struct heft_err *err);

#endif
