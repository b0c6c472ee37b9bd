/* query_report.h - what statements give, as records of a table.
 *
 * The table for people waits for all rows, to know how wide they are, as do pictures; other formats
 * are written a few thousand rows at a time, so that the memory they take does not grow with the
 * result. */
#ifndef HEFT_REPORT_QUERY_REPORT_H
#define HEFT_REPORT_QUERY_REPORT_H

#include "query/query.h"
#include "report/report.h"

/* A column of the statement. */
struct query_column {
	const char *name;
	bool numbers, texts; /* among the rows that are kept */
};

struct query_report {
	struct sink *s;
	struct heft_query_opts opts;
	struct heft_err err; /* why writing ended before the statements did; code 0: it did not */
	/* private */
	uint64_t rows; /* of the statement, written or kept */
	uint64_t over; /* not written, for their number */
	VEC(struct query_column) columns;
	VEC(const char *) cells; /* that are kept; NULL: none */
	struct arena names, texts;
	uint64_t statements;
	bool goes_on;
};

/* What query_run calls; opts and s of *r are set. */
struct query_visitor query_report_visitor(struct query_report *r);
void query_report_release(struct query_report *r);

#endif
