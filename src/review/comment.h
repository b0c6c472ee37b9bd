/* comment.h - writes the comment on a pull request: one page of Markdown about a change.
 *
 * The first line is an HTML comment that identifies the program. It lets a later comment find and
 * replace this one. */
#ifndef HEFT_REVIEW_COMMENT_H
#define HEFT_REVIEW_COMMENT_H

#include "compare/causes.h"
#include "measure/came_in.h"
#include "report/budget_report.h"
#include "report/diff_report.h"

/* A memory region before the change, after it or both, in bytes. */
struct comment_region {
	const char *name;
	uint64_t before, after; /* Used bytes */
	uint64_t length;        /* 0 if unknown */
};

/* The contents of a comment. Borrows all data. */
struct comment {
	const struct diff_report *diff;
	const struct causes *causes;
	const struct budget_report *budget; /* Limits. count is 0 without a budget */
	const struct heft_table *symbols;   /* All changed symbols */
	const struct heft_table *owners;    /* Owners with the greatest changes, by `owners_by` */
	enum heft_diff_by owners_by;
	const struct heft_came_in *came_in; /* By whom owners and causes came in */
	size_t came_in_count;
	const struct heft_table *details; /* Symbols with the greatest changes */
	const char *title, *page_url;     /* `page_url` is "" without a page */
	struct str template;              /* "": the usual text */
	const struct comment_region *regions;
	size_t region_count;
	heft_course_fn course; /* NULL: show no trends */
	void *course_ctx;
};

/* True if no section or region, except debug sections, changed by `floor` bytes, and no limit is
 * broken or unchecked. */
bool comment_is_noise(const struct comment *c, uint64_t floor);
/* True for an http or https URL without bytes that would end a Markdown link. */
bool comment_takes_url(const char *url);
enum { COMMENT_BARS = 11 };
struct comment_bars {
	char p[3 * COMMENT_BARS + 1];
};
/* Returns a line of bars: the last sizes before the change, and the size after it. "" without
 * earlier sizes. */
struct comment_bars comment_course(const struct comment *c, const char *subject, const char *name,
				   double now);
/* Returns a size in words: "579 bytes", "46.8 KiB", "1.3 MiB". The sign does not show. */
struct shown said_size(double v);
/* Writes a name or a path as code, cut to a length that fits a line. Paths keep their end. */
void story_put_name(struct sink *s, const char *name);
void story_put_path(struct sink *s, const char *path);
/* Returns words to write after the name of what a compiler makes, such as " (start of the package)"
 * for Go's "main..inittask". Returns "" for other names. */
const char *story_made_for(const char *name);
/* Writes the text `before` and "`f` from `a.c` to `b.c`" for a symbol that moved or was renamed.
 * Writes nothing if no symbol did. */
void comment_put_example(const struct comment *c, enum heft_change change, const char *before,
			 struct sink *s);
/* Writes ", brought in by `f()` (`a.c:12`), which is new": by whom a cause or an owner came in.
 * True if that is known. `what`: heft_came_in.what, the same pointer. */
bool comment_put_came_in(const struct comment *c, const char *what, struct sink *s);
/* True if debug info is all that changed, apart from headers. */
bool comment_is_debug_alone(const struct comment *c);
/* Writes "`a/f.c` moved to `b/f.c` (43 symbols)" if all moved symbols did so. False if not. */
bool comment_put_moved_file(const struct comment *c, struct sink *s);
/* Returns the size of the file without debug info. */
struct padded comment_ships(const struct comment *c);
struct padded comment_region_size(const struct comment_region *r);
/* Write the parts of a comment. A part may be empty, and may end with line ends. */
void comment_put_headline(const struct comment *c, struct sink *s);
void comment_put_change(const struct comment *c, struct sink *s);
/* Writes one sentence on what the change comes from, and how sure that is. */
void comment_put_cause(const struct comment *c, struct sink *s);
void comment_put_sizes(const struct comment *c, struct sink *s);
void comment_put_regions(const struct comment *c, struct sink *s);
/* Writes the limits that are broken or unchecked. */
void comment_put_verdict(const struct comment *c, struct sink *s);
/* Writes the owners of the change. */
void comment_put_owners(const struct comment *c, struct sink *s);
/* Writes the symbols that changed most. */
void comment_put_rows(const struct comment *c, struct sink *s);
/* Writes the tables of all that changed, which the reader can unfold. */
void comment_put_details(const struct comment *c, struct sink *s);

/* A piece of a template: plain text, and the name of the placeholder after it ("" at the end). */
struct template_piece {
	struct str plain, name;
};
/* Takes the next piece off *rest. A backslash makes the character after it plain text, as it does
 * in Markdown, so the backslash stays. */
struct template_piece piece_take(struct str *rest);
/* False if a template has a placeholder that does not exist, or none at all. */
bool comment_template_check(const char *path, struct str template, struct heft_err *err);
/* Writes c->template, or the usual template, with the parts of the comment for the placeholders. */
void comment_write_template(const struct comment *c, struct sink *s);
void out_comment(const struct comment *c, struct sink *s);
/* Writes the comment on a diff, unless it is noise. Omits a budget without rows. */
void comment_make(struct came_in_finder *finder, const struct diff_sections *sections,
		  const struct budget_report *budget, const struct heft_comment_opts *opts,
		  struct str template, struct sink *s);

#endif
