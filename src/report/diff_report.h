/* diff_report.h - what diffs of snapshots add to a report: columns, sections, lines. */
#pragma once

#include "base/number.h"
#include "report/report.h"
#include "compare/causes.h"

/* A diff as all output formats need it, besides the rows of its report. It is the report's
 * `ctx`. */
struct diff_report {
	const struct diff_section *sections; /* Sections, without the total */
	size_t section_count;
	bool knows_memory; /* True if both snapshots state what is in memory (diff_sections.h) */
	bool hides_debug;  /* True if debug sections share one line (diff_rows.h) */
	enum diff_counting counting;
	bool uncharged;         /* True if one snapshot has no charges (struct snap_charge) */
	const uint64_t *counts; /* Numbers of symbols, per enum heft_change */
	/* Sums of sections: in the file, in the VM image, debug info, not in the file. */
	struct padded file, vm, debug, beside;
	const struct cause *causes; /* For JSON. cause_count is 0 if they were not looked for */
	size_t cause_count;
	const struct heft_came_in *came_in;
	size_t came_in_count;
};
/* Returns the ctx of a diff's report. Borrows the diff. */
struct diff_report diff_report_of(const struct snapshot_diff *diff,
				  const struct diff_sections *sections,
				  const struct diff_rows *rows);

/* Returns the label of the last row, such as "of all rows". r->ctx is a diff_report. */
const char *diff_total(const struct report *r);
/* Writes "12 added, 1 removed". */
void diff_counts_put(const struct diff_report *z, struct sink *s);

/* Adds the size columns of a diff's rows. `old_new` adds columns of old and new sizes. */
void diff_size_columns(struct report *r, bool old_new);
/* Sets columns, fields and kind of a report whose ctx is a struct diff_report. opts must be set. */
void diff_report_init(struct report *r);
