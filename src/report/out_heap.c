/* Reports about heaps as people read them. */
#include "report/heap_report.h"
#include "report/label_text.h"
#include "report/number.h"

#include "base/filename.h"
#include "base/text.h"

#include <stdio.h>

const char *const heap_measure_names[HEFT_HEAP_MEASURES] = {
	[HEFT_HEAP_LIVE_BYTES] = "live_bytes",   [HEFT_HEAP_LIVE] = "live_blocks",
	[HEFT_HEAP_PEAK_BYTES] = "peak_bytes",   [HEFT_HEAP_PEAK] = "peak_blocks",
	[HEFT_HEAP_ALLOC_BYTES] = "alloc_bytes", [HEFT_HEAP_ALLOCS] = "allocs",
	[HEFT_HEAP_TEMPORARY] = "temporary",
};

const char *const heap_by_names[] = {
	[HEFT_HEAP_BY_STACK] = "stack",     [HEFT_HEAP_BY_TREE] = "tree",
	[HEFT_HEAP_BY_CALLERS] = "callers", [HEFT_HEAP_BY_FUNCTION] = "function",
	[HEFT_HEAP_BY_MODULE] = "module",   [HEFT_HEAP_BY_FILE] = "file",
	[HEFT_HEAP_BY_LINE] = "line",       [HEFT_HEAP_BY_THREAD] = "thread",
	[HEFT_HEAP_BY_SIZE] = "size",       [HEFT_HEAP_BY_AGE] = "age",
};

const char *heap_reach_name(enum heft_heap_reach reach)
{
	return reach == HEFT_HEAP_LOST ? "lost" : reach == HEFT_HEAP_INDIRECT ? "indirect" : "";
}

void heap_path_of(struct heap_path *path, const struct heap_report *r, uint32_t step)
{
	path->steps.count = 0;
	for (; step != 0; step = r->steps.data[step].parent)
		vec_push(&path->steps, step);
	for (size_t i = 0, k = path->steps.count; i + 1 < k; i++, k--) {
		const uint32_t first = path->steps.data[i];
		path->steps.data[i] = path->steps.data[k - 1];
		path->steps.data[k - 1] = first;
	}
}

/* ---- columns -------------------------------------------------------------------------------- */

enum heap_cell {
	HEAP_CELL_SHARE,
	HEAP_CELL_SIZE,
	HEAP_CELL_COUNT,
	HEAP_CELL_BEFORE,
	HEAP_CELL_CHANGE,
	HEAP_CELL_BELOW
};

struct heap_column {
	const char *title;
	enum heap_cell cell;
	enum heft_heap_measure measure;
	size_t width; /* of the widest text */
};

enum { HEAP_COLUMNS_MAX = 10 };

struct table {
	const struct heap_report *r;
	const struct heft_heap_write_opts *o;
	struct sink *s;
	struct heap_column columns[HEAP_COLUMNS_MAX];
	size_t count;
	struct text label;
};

static bool measure_is_bytes(enum heft_heap_measure m)
{
	return m == HEFT_HEAP_LIVE_BYTES || m == HEFT_HEAP_PEAK_BYTES || m == HEFT_HEAP_ALLOC_BYTES;
}

static void add_column(struct table *t, const char *title, enum heap_cell cell,
		       enum heft_heap_measure m)
{
	ASSERT(t->count < HEAP_COLUMNS_MAX);
	t->columns[t->count++] = (struct heap_column){ title, cell, m, strlen(title) };
}

static const char *const titles[HEFT_HEAP_MEASURES] = {
	[HEFT_HEAP_LIVE_BYTES] = "live",       [HEFT_HEAP_LIVE] = "blocks",
	[HEFT_HEAP_PEAK_BYTES] = "peak",       [HEFT_HEAP_PEAK] = "at peak",
	[HEFT_HEAP_ALLOC_BYTES] = "allocated", [HEFT_HEAP_ALLOCS] = "calls",
	[HEFT_HEAP_TEMPORARY] = "temporary",
};

static bool has_below(enum heft_heap_by by)
{
	return by >= HEFT_HEAP_BY_FUNCTION && by <= HEFT_HEAP_BY_LINE;
}

/* A diff: change, now, before of what is sorted by, and the change of blocks.  Else the measures
 * that count anything, with the share of what is sorted by. */
static void choose_columns(struct table *t)
{
	const struct heap_report *r = t->r;
	const enum heft_heap_measure sort = r->query.sort;
	if (r->base) {
		add_column(t, "change", HEAP_CELL_CHANGE, sort);
		add_column(t, "now", HEAP_CELL_SIZE, sort);
		add_column(t, "before", HEAP_CELL_BEFORE, sort);
		if (sort != HEFT_HEAP_LIVE)
			add_column(t, "blocks", HEAP_CELL_CHANGE, HEFT_HEAP_LIVE);
		return;
	}
	add_column(t, "", HEAP_CELL_SHARE, sort);
	for (enum heft_heap_measure m = 0; m < HEFT_HEAP_MEASURES; m++)
		if ((m != HEFT_HEAP_PEAK && r->total.now[m] > 0) || m == sort)
			add_column(t, titles[m], HEAP_CELL_SIZE, m);
	if (has_below(r->query.by))
		add_column(t, "with callees", HEAP_CELL_BELOW, sort);
}

static void format_number(char out[NUMBER_MAX], uint64_t n, bool bytes, char sign)
{
	if (bytes)
		number_size(out, n, sign);
	else
		snprintf(out, NUMBER_MAX, "%.1s%" PRIu64, sign ? &sign : "", n);
}

static void format_cell(char out[NUMBER_MAX], const struct table *t, const struct heap_column *c,
			const struct heft_heap_row *row)
{
	const uint64_t now = row->now[c->measure], base = row->base[c->measure];
	const bool bytes = measure_is_bytes(c->measure);
	const struct change change = change_of(now, base);
	switch (c->cell) {
	case HEAP_CELL_SHARE:
		if (t->r->total.now[c->measure] > 0)
			number_percent(out, now, t->r->total.now[c->measure]);
		else
			*out = '\0';
		break;
	case HEAP_CELL_BEFORE: format_number(out, base, bytes, 0); break;
	case HEAP_CELL_BELOW:
		format_number(out, row->now_below, bytes, 0);
		if (row->others > 0 || row == &t->r->total)
			*out = '\0';
		break;
	case HEAP_CELL_CHANGE:
		format_number(out, change.size, bytes,
			      change.negative ? '-'
			      : change.size   ? '+'
					      : '\0');
		break;
	default: format_number(out, now, bytes, 0); break;
	}
}

static void measure_columns(struct table *t)
{
	char text[NUMBER_MAX];
	for (size_t c = 0; c < t->count; c++) {
		struct heap_column *column = &t->columns[c];
		for (size_t i = 0; i <= t->r->rows.count; i++) {
			const struct heft_heap_row *row = i < t->r->rows.count ? &t->r->rows.data[i]
									       : &t->r->total;
			format_cell(text, t, column, row);
			const size_t width = strlen(text);
			column->width = width > column->width ? width : column->width;
		}
	}
}

static size_t put_cells(struct table *t, const struct heft_heap_row *row)
{
	char text[NUMBER_MAX];
	size_t used = 0;
	for (size_t c = 0; c < t->count; c++) {
		if (row)
			format_cell(text, t, &t->columns[c], row);
		sink_text(t->s, STR("  "));
		sink_right(t->s, str_of(row ? text : t->columns[c].title), t->columns[c].width);
		used += 2 + t->columns[c].width;
	}
	return used;
}

/* ---- labels --------------------------------------------------------------------------------- */

static void add_text(struct table *t, const char *text)
{
	text_add(&t->label, str_of(text));
}

static const char *shown_path(const struct table *t, const char *path)
{
	return t->o->full ? path : file_name(path);
}

/* "FUNCTION FILE:LINE [MODULE]" of what is known. */
static void add_place(struct table *t, const char *file, uint32_t line, const char *module)
{
	if (*file) {
		add_text(t, " ");
		add_text(t, shown_path(t, file));
		if (line > 0) {
			add_text(t, ":");
			text_add_number(&t->label, line);
		}
	}
	if (*module) {
		add_text(t, " [");
		add_text(t, shown_path(t, module));
		add_text(t, "]");
	}
}

/* Starts a new label with so many blanks. */
static void start_label(struct table *t, size_t indent)
{
	t->label.len = 0;
	for (size_t i = 0; i < indent; i++)
		text_add_char(&t->label, ' ');
}

static void put_label(struct table *t, size_t used)
{
	const size_t width = t->o->width > used + 20 ? t->o->width - used : t->o->width ? 20 : 0;
	label_put(t->s, text_str(&t->label), width);
	sink_text(t->s, STR("\n"));
}

static void add_frame(struct table *t, const struct heap_site *site)
{
	add_text(t, site->label);
	add_place(t, site->frame.file, site->frame.line,
		  *site->frame.function ? site->frame.module : "");
	if (site->frame.inlined)
		add_text(t, " (inlined)");
}

static void add_row_label(struct table *t, const struct heft_heap_row *row)
{
	const enum heft_heap_by by = t->r->query.by;
	if (row->others > 0) {
		add_text(t, "[");
		text_add_number(&t->label, row->others);
		add_text(t, row->others == 1 ? " Other]" : " Others]");
		return;
	}
	if (row->reach) {
		add_text(t, heap_reach_name(row->reach));
		add_text(t, ": ");
	}
	if (by == HEFT_HEAP_BY_STACK) {
		add_frame(t, heap_step_site(t->r, row->node));
		return;
	}
	add_text(t, row->label);
	if (by <= HEFT_HEAP_BY_FUNCTION || by == HEFT_HEAP_BY_LINE)
		add_place(t, by == HEFT_HEAP_BY_LINE ? row->file : "", row->line,
			  *t->r->sites.data[row->site].frame.function ? row->module : "");
}

/* The callers of the row's function, as many as are wanted. */
static void put_frames(struct table *t, const struct heft_heap_row *row)
{
	const struct heap_report *r = t->r;
	uint32_t count = 1, more = 0, step = r->steps.data[row->node].parent;
	for (; step != 0; step = r->steps.data[step].parent, count++) {
		if (t->o->frames > 0 && count >= t->o->frames)
			break;
		start_label(t, 6);
		add_frame(t, heap_step_site(r, step));
		put_label(t, 0);
	}
	for (; step != 0; step = r->steps.data[step].parent)
		more++;
	if (more > 0)
		sink_printf(t->s, "      ... %" PRIu32 " more\n", more);
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Below a row, indented one further unless it is all that the parent has. */
struct indent {
	size_t blanks;
	uint64_t now, base;
};

struct indents {
	VEC(struct indent) by_depth;
};

static size_t indent_of(struct indents *in, const struct table *t, const struct heft_heap_row *row)
{
	const uint64_t now = row->now[t->r->query.sort], base = row->base[t->r->query.sort];
	struct indent own = { 0, now, base };
	in->by_depth.count = row->depth;
	if (row->depth > 0) {
		const struct indent *parent = &in->by_depth.data[row->depth - 1];
		const bool all = parent->now == now && parent->base == base;
		own.blanks = parent->blanks + (all ? 0 : 1);
	}
	vec_push(&in->by_depth, own);
	return own.blanks;
}

static void put_rows(struct table *t)
{
	const struct heap_report *r = t->r;
	const bool stacks = r->query.by == HEFT_HEAP_BY_STACK;
	struct indents in = { 0 };
	for (size_t i = 0; i < r->rows.count && !t->s->failed; i++) {
		const struct heft_heap_row *row = &r->rows.data[i];
		const size_t indent = indent_of(&in, t, row);
		const size_t used = put_cells(t, row);
		start_label(t, 2 + indent);
		add_row_label(t, row);
		put_label(t, used);
		if (stacks && row->others == 0)
			put_frames(t, row);
	}
	vec_release(&in.by_depth);
}

void out_heap_table(const struct heap_report *r, const struct heft_heap_write_opts *o,
		    struct sink *s)
{
	struct table t = { .r = r, .o = o, .s = s };
	if (o->summary && r->base)
		out_heap_summaries(r->info, r->base, s);
	else if (o->summary)
		out_heap_summary(r->info, s);
	choose_columns(&t);
	measure_columns(&t);
	put_cells(&t, NULL);
	sink_printf(s, "  %s\n", heap_by_names[r->query.by]);
	put_rows(&t);
	put_cells(&t, &r->total);
	sink_text(s, STR("  TOTAL\n"));
	text_release(&t.label);
}
