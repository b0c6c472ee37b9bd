/* query_report.h - what statements give, row by row, as text. */
#ifndef HEFT_REPORT_QUERY_REPORT_H
#define HEFT_REPORT_QUERY_REPORT_H

#include "base/text.h"
#include "base/vec.h"
#include "report/report.h"
#include "asks/query.h"

/* A cell that is kept. */
struct query_held {
	struct str text;
	bool number;
};

struct query_report {
	struct sink *s;
	struct heft_query_opts opts;
	/* private */
	uint64_t rows; /* of the statement, written or kept */
	uint64_t over; /* not written, for their number */
	VEC(const char *) names;
	VEC(struct query_held) held; /* the table waits for all rows, to know how wide they are */
	struct arena arena;
	uint64_t statements;
};

/* What query_run calls; opts and s of *r are set. */
struct query_visitor query_report_visitor(struct query_report *r);
void query_report_release(struct query_report *r);

#endif
