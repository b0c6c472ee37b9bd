/* query_report.h - writes the results of SQL statements as records of a table.
 *
 * Tables and pictures are written at the end, because widths depend on all rows. Other formats are
 * written in pieces of a few thousand rows, which limits memory. */
#pragma once

#include "query/query.h"
#include "report/report.h"

/* A column of the statement's result. */
struct query_column {
	const char *name;
	bool numbers, texts; /* True if the stored rows have numbers, or texts, in the column */
};

struct query_report {
	struct sink *s;
	struct heft_query_opts opts;
	struct heft_err err; /* Error that stopped writing. code is 0 if there is none */
	/* Private. `rows`: number of rows of the statement, written or kept. */
	uint64_t rows;
	uint64_t over; /* Number of rows beyond the limit, which are not written */
	VEC(struct query_column) columns;
	VEC(const char *) cells; /* Stored cells. NULL without a value */
	struct arena names, texts;
	uint64_t statements;
	bool goes_on;
};

/* Returns the visitor for query_run(). opts and s of *r must be set. */
struct query_visitor query_report_visitor(struct query_report *r);
void query_report_release(struct query_report *r);
