/* diff_report.h - what a diff of snapshots adds to the formats. */
#ifndef HEFT_REPORT_DIFF_REPORT_H
#define HEFT_REPORT_DIFF_REPORT_H

#include "base/number.h"
#include "report/report.h"
#include "compare/diff_rows.h"

/* The label of the last row, which counts rows that did not change too. */
#define DIFF_TOTAL "of all rows"

/* Bytes with padding. */
struct padded {
	double before, after;
};

/* The sections stand above the rows. */
struct diff_report {
	const struct diff_section *sections; /* without the total */
	size_t section_count;
	bool knows_memory; /* diff_sections.knows_memory */
	bool hides_debug;  /* diff_rows.hides_debug: debug sections are one line */
	enum diff_counting counting;
	bool uncharged;         /* a side does not tell charged bytes */
	const uint64_t *counts; /* by enum heft_change */
	/* Sums of sections, by diff_report_sum: in the file, in the VM image, of debug info, not in
	 * the file. */
	struct padded file, vm, debug, beside;
};
void diff_report_sum(struct diff_report *z);

struct padded diff_padded(const struct diff_section *s);
bool diff_section_is_debug(const struct diff_section *s);
/* "+579 bytes (+18%), now 3.79Ki". */
void padded_put(struct padded size, struct sink *s);
/* "12 added, 1 removed". */
void diff_counts_put(const struct diff_report *z, struct sink *s);

/* Adds the columns of the sizes that rows of a diff have, with old and new ones if `old_new`. */
void diff_size_columns(struct report *r, bool old_new);
/* Sets columns, fields and kind of a report whose ctx is a struct diff_report; opts are set. */
void diff_report_init(struct report *r);

#endif
