/* Writes the comment on a pull request. */
#include "review/comment.h"

#include "report/markdown.h"
#include "report/pss.h"
#include "base/spark.h"

#include <math.h>

enum { SECTIONS_MOST = 20, NAME_MOST = 80 };

struct padded comment_region_size(const struct comment_region *r)
{
	return (struct padded){ (double)r->before, (double)r->after };
}

bool comment_is_noise(const struct comment *c, uint64_t floor)
{
	for (size_t i = 0; i < c->budget->count; i++)
		if (c->budget->rows[i].state != HEFT_BUDGET_KEPT)
			return false;
	for (size_t i = 0; i < c->diff->section_count; i++) {
		const struct diff_section *s = &c->diff->sections[i];
		if (!diff_section_is_debug(s) &&
		    fabs(padded_delta(diff_padded(s))) >= (double)floor)
			return false;
	}
	for (size_t i = 0; i < c->region_count; i++)
		if (fabs(padded_delta(comment_region_size(&c->regions[i]))) >= (double)floor)
			return false;
	return true;
}

bool comment_takes_url(const char *url)
{
	if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0)
		return false;
	for (const char *p = url; *p; p++)
		if ((unsigned char)*p <= ' ' || strchr("<>()\"`\\\x7f", *p))
			return false;
	return true;
}

/* Writes the first line, an HTML comment. In it, two hyphens would end the comment. */
static void put_marker(const struct comment *c, struct sink *s)
{
	sink_text(s, STR("<!-- heft comment: "));
	for (const char *p = c->title; *p; p++) {
		const bool plain = (unsigned char)*p >= ' ' && !strchr("<>-\x7f", *p);
		const bool single = *p == '-' && p[1] != '-' && p[1] != '\0';
		sink_text(s, plain || single ? (struct str){ p, 1 } : STR("_"));
	}
	sink_text(s, STR(" -->\n"));
}

/* Returns the smallest limit of all rules. Infinite without a rule. */
static double limit_of(const struct comment *c, const char *subject, const char *name)
{
	double least = (double)INFINITY;
	for (size_t i = 0; i < c->budget->count; i++) {
		const struct heft_budget_row *row = &c->budget->rows[i];
		if (!row->growth && strcmp(row->subject, subject) == 0 &&
		    strcmp(row->pattern, name) == 0 && row->limit < least)
			least = row->limit;
	}
	return least;
}

struct comment_bars comment_course(const struct comment *c, const char *subject, const char *name,
				   double now)
{
	struct comment_bars ret = { "" };
	double values[COMMENT_BARS];
	const size_t count =
		c->course ? c->course(c->course_ctx, subject, name, values, COMMENT_BARS - 1) : 0;
	ASSERT(count < COMMENT_BARS);
	if (count == 0)
		return ret;
	values[count] = now;
	spark_line(values, count + 1, ret.p);
	return ret;
}

/* A line of the table. `subject` and `name` select its rules in a budget. */
struct line {
	const char *subject, *name; /* `subject` is NULL if the line sums up several subjects */
	double limit;               /* Limit in bytes. Infinite without a limit */
};

/* True if a line of the table may have a limit: its rule in a budget, or the length of a region. */
static bool has_limits(const struct comment *c)
{
	return c->budget->count > 0 || c->region_count > 0;
}

static void line_put_sizes(const struct comment *c, const struct line *l, struct padded size,
			   struct sink *s)
{
	sink_printf(s, " | %s |", shown_parts(size.after).p);
	if (isfinite(l->limit))
		sink_printf(s, " %s | %s |", shown_parts(l->limit).p,
			    shown_share(whole_of(size.after), whole_of(l->limit)).p);
	else if (has_limits(c))
		sink_text(s, STR("  |  |"));
	sink_printf(s, " %s | %s |", shown_change(padded_delta(size)).p,
		    size.after != size.before ? shown_growth(size.after, size.before).p : "");
	if (c->course)
		sink_printf(s, " %s |",
			    l->subject ? comment_course(c, l->subject, l->name, size.after).p : "");
	sink_text(s, STR("\n"));
}

static struct line line_of(const struct comment *c, const char *subject, const char *name)
{
	return (struct line){ subject, name, limit_of(c, subject, name) };
}

/* Sections that share one line of the table. */
struct rest {
	struct padded size;
	size_t count;
};

static void comment_put_rest(const struct comment *c, const struct rest *r, const char *word,
			     struct sink *s)
{
	if (r->count == 0)
		return;
	sink_printf(s, "| %zu %s section%s", r->count, word, r->count == 1 ? "" : "s");
	line_put_sizes(c, &(struct line){ NULL, "", (double)INFINITY }, r->size, s);
}

/* Writes the regions. A region is full at its length, or at a lower limit. */
static void put_region_lines(const struct comment *c, struct sink *s)
{
	for (size_t i = 0; i < c->region_count; i++) {
		const struct comment_region *r = &c->regions[i];
		struct line l = line_of(c, "region", r->name);
		if (r->length > 0 && (double)r->length < l.limit)
			l.limit = (double)r->length;
		sink_text(s, STR("| region "));
		markdown_code(s, r->name, NAME_MOST);
		line_put_sizes(c, &l, comment_region_size(r), s);
	}
}

/* Writes the sections. Lines of sections in the file add up to the first line. */
static void comment_put_sections(const struct comment *c, struct sink *s)
{
	struct rest rests[2] = { 0 }; /* [0] other sections, [1] debug sections */
	size_t shown = 0;
	for (size_t i = 0; i < c->diff->section_count; i++) {
		const struct diff_section *sec = &c->diff->sections[i];
		const struct padded size = diff_padded(sec);
		const struct line l = line_of(c, "section", sec->name);
		const bool debug = diff_section_is_debug(sec);
		/* A section has its own line if it changed or has a limit. */
		if (shown < SECTIONS_MOST && !(debug && c->diff->hides_debug) &&
		    (padded_delta(size) != 0 || isfinite(l.limit))) {
			sink_text(s, STR("| "));
			markdown_code(s, sec->name, NAME_MOST);
			if (*diff_section_note(sec))
				sink_printf(s, " (%s)", diff_section_note(sec));
			sink_text(s, sec->in_file ? STR("") : STR(", not in the file"));
			line_put_sizes(c, &l, size, s);
			shown++;
		} else if (sec->in_file) {
			struct rest *rest = &rests[debug];
			rest->size.before += size.before;
			rest->size.after += size.after;
			rest->count++;
		}
	}
	comment_put_rest(c, &rests[0], "other", s);
	comment_put_rest(c, &rests[1], "debug", s);
}

static void put_sizes_table(const struct comment *c, struct sink *s)
{
	const struct line file = line_of(c, "file", ""), vm = line_of(c, "vm", "");
	const bool courses = c->course != NULL, limits = has_limits(c);
	sink_text(s, STR("| padded bytes | used |"));
	sink_text(s, limits ? STR(" limit | of limit |") : STR(""));
	sink_text(s, STR(" change | of old size |"));
	sink_text(s, courses ? STR(" course |\n|---|--:|") : STR("\n|---|--:|"));
	sink_text(s, limits ? STR("--:|--:|--:|--:|") : STR("--:|--:|"));
	sink_text(s, courses ? STR("---|\n| **file**") : STR("\n| **file**"));
	line_put_sizes(c, &file, c->diff->file, s);
	if (c->diff->knows_memory) {
		sink_text(s, STR("| **VM image**"));
		line_put_sizes(c, &vm, c->diff->vm, s);
	}
	put_region_lines(c, s);
	comment_put_sections(c, s);
	sink_text(s, STR("\n"));
}

static void put_table(const struct comment *c, const struct heft_table *table, bool total,
		      struct sink *s)
{
	static const struct report_kind kind = { .no_total = true };
	static const struct report_kind summed = { .total = diff_total };
	struct report r = { .table = *table,
			    .ctx = c->diff,
			    .kind = total ? &summed : &kind,
			    .opts = { .format = HEFT_MARKDOWN } };
	diff_size_columns(&r, total || !table->has_changes);
	if (table->has_changes) {
		report_column(&r, (struct column){ "change", CELL_STATE });
		report_column(&r, (struct column){ "symbol in", CELL_TEXT, DIFF_SECTION });
		report_column(&r, (struct column){ "path", CELL_TEXT, DIFF_PATH });
		report_column(&r, (struct column){ "before", CELL_TEXT, DIFF_WAS });
	}
	out_markdown(&r, s);
	sink_text(s, STR("\n"));
}

void comment_put_details(const struct comment *c, struct sink *s)
{
	struct arena arena = { 0 };
	sink_text(s, STR("<details><summary>Sections</summary>\n\n"));
	put_sizes_table(c, s);
	sink_text(s, STR("</details>\n\n"));
	if (c->owners->top->child_count > 0) {
		sink_printf(s, "<details><summary>By %s</summary>\n\n", c->owners->levels[0]);
		put_table(c, c->owners, false, s);
		sink_text(s, STR("</details>\n\n"));
	}
	if (c->details->top->child_count > 0) {
		sink_text(s, STR("<details><summary>Symbols: "));
		diff_counts_put(c->diff, s);
		sink_text(s, STR("</summary>\n\n"));
		put_table(c, c->details, true, s);
		sink_text(s, STR("</details>\n\n"));
	}
	if (c->budget->count > 0) {
		struct report r = { .opts = { .format = HEFT_MARKDOWN } };
		budget_report_init(&r, c->budget, &arena);
		sink_text(s, STR("<details><summary>All limits</summary>\n\n"));
		out_markdown(&r, s);
		sink_text(s, STR("\n</details>\n\n"));
	}
	arena_release(&arena);
}

void out_comment(const struct comment *c, struct sink *s)
{
	ASSERT(c->title != NULL && c->diff != NULL && c->budget != NULL && c->page_url != NULL);
	put_marker(c, s);
	comment_write_template(c, s);
}
