/* diff_report.h - what a diff of snapshots adds to the formats. */
#ifndef HEFT_REPORT_DIFF_REPORT_H
#define HEFT_REPORT_DIFF_REPORT_H

#include "report/report.h"

/* The sections stand above the rows; the total is the last. */
struct diff_report {
	const struct diff_section *sections; /* snapshot/diff_rows.h */
	size_t section_count;
	bool knows_memory; /* diff_sections.knows_memory */
	bool hides_debug;  /* diff_rows.hides_debug: debug sections are one line */
};

/* Sets columns, fields and kind of a report whose ctx is a struct diff_report; opts are set. */
void diff_report_init(struct report *r);

#endif
