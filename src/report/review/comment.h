/* comment.h - what a pull request is told of a change: one page of Markdown.
 *
 * The first line is a comment of HTML, the same for every text about one program, by which a later
 * text finds the one that it takes the place of. */
#ifndef HEFT_REPORT_REVIEW_COMMENT_H
#define HEFT_REPORT_REVIEW_COMMENT_H

#include "report/budget_report.h"
#include "report/diff_report.h"

/* A memory region of one side or both; bytes. */
struct comment_region {
	const char *name;
	uint64_t before, after; /* used */
	uint64_t length;        /* 0: not known */
};

/* What is said.  All is borrowed. */
struct comment {
	const struct diff_report *diff;
	const struct budget_report *budget; /* count 0: there is none */
	const struct heft_table *symbols;   /* those that changed most */
	const struct heft_table *owners;
	const struct heft_table *details; /* more of the symbols */
	const char *title, *page_url;     /* page_url "": none */
	const struct comment_region *regions;
	size_t region_count;
	heft_course_fn course; /* NULL: no courses are shown */
	void *course_ctx;
};

/* No section or region changed by `floor` bytes, debug sections aside, and no limit has anything to
 * say. */
bool comment_is_noise(const struct comment *c, uint64_t floor);
/* http or https, and no byte that would end a link of Markdown. */
bool comment_takes_url(const char *url);
void out_comment(const struct comment *c, struct sink *s);

#endif
