/* comment.h - writes the comment on a pull request: one page of Markdown about a change.
 *
 * The first line is an HTML comment that is the same for all texts about one program. A later text
 * uses it to find the text that it replaces. */
#ifndef HEFT_REPORT_REVIEW_COMMENT_H
#define HEFT_REPORT_REVIEW_COMMENT_H

#include "report/budget_report.h"
#include "report/diff_report.h"

/* A memory region of one side or both, in bytes. */
struct comment_region {
	const char *name;
	uint64_t before, after; /* Used bytes. */
	uint64_t length;        /* 0 if unknown. */
};

/* The contents of a comment. Borrows all data. */
struct comment {
	const struct diff_report *diff;
	const struct budget_report *budget; /* count is 0 if there is none. */
	const struct heft_table *symbols;   /* All symbols that changed. */
	const struct heft_table *owners;    /* Owners that changed most, by `owners_by`. */
	enum heft_diff_by owners_by;
	const struct heft_table *details; /* The symbols that changed most. */
	const char *title, *page_url;     /* `page_url` is "" if there is none. */
	const struct comment_region *regions;
	size_t region_count;
	heft_course_fn course; /* NULL shows no trends. */
	void *course_ctx;
};

/* True if no section or region changed by `floor` bytes, apart from debug sections, and no limit
 * has a finding. */
bool comment_is_noise(const struct comment *c, uint64_t floor);
/* True if the label of a row names an owner that people know: neither "(no package)" nor ".". */
bool comment_names_owner(const struct heft_row *row);
/* True for an http or https URL without bytes that would end a link of Markdown. */
bool comment_takes_url(const char *url);
enum { COMMENT_BARS = 11 };
struct comment_bars {
	char p[3 * COMMENT_BARS + 1];
};
/* Returns the last sizes before the change, and the size after it, as a line of bars. "" if no
 * earlier sizes are known. */
struct comment_bars comment_course(const struct comment *c, const char *subject, const char *name,
				   double now);
struct padded comment_region_size(const struct comment_region *r);
/* Writes what everybody reads: the sizes that ship, broken limits, who pays for the change, and the
 * symbols that changed most. */
void comment_put_story(const struct comment *c, struct sink *s);
void out_comment(const struct comment *c, struct sink *s);
/* Writes the comment on a difference, unless it is noise. A budget without rows is left out. */
void comment_make(const struct snapshot_diff *diff, const struct diff_sections *sections,
		  const struct budget_report *budget, const struct heft_comment_opts *opts,
		  struct sink *s);

#endif
