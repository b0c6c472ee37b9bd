#include "report/query_report.h"

#include "report/label_text.h"
#include "report/markdown.h"
#include "report/pss.h"

enum { MOST_WIDE = 1000000, MARKDOWN_MOST = 160 };

/* What a cell shows: sums of parts of bytes with three decimals at most. */
static struct str shown_text(const struct query_cell *c, char room[PSS_MAX])
{
	if (c->kind != QUERY_REAL || c->real > 1e15 || c->real < -1e15 || c->real != c->real)
		return c->text;
	pss_exact(room, c->real);
	return str_of(room);
}

static bool is_number(const struct query_cell *c)
{
	return c->kind == QUERY_INTEGER || c->kind == QUERY_REAL;
}

static bool has_room(struct query_report *r)
{
	if (r->opts.rows > 0 && r->rows == r->opts.rows) {
		r->over++;
		return false;
	}
	r->rows++;
	return true;
}

static bool start(void *ctx, const char *const *names, size_t count)
{
	struct query_report *r = ctx;
	r->rows = r->over = 0;
	r->names.count = 0;
	r->held.count = 0;
	arena_reset(&r->arena);
	for (size_t i = 0; i < count; i++)
		vec_push(&r->names, arena_copy(&r->arena, str_of(names[i])));
	return true;
}

/* ---- the table ------------------------------------------------------------------------------- */

static bool table_row(void *ctx, const struct query_cell *cells, size_t count)
{
	struct query_report *r = ctx;
	char room[PSS_MAX];
	if (!has_room(r))
		return true;
	for (size_t i = 0; i < count; i++) {
		const struct str text = shown_text(&cells[i], room);
		const struct str kept = { arena_copy(&r->arena, text), text.len };
		vec_push(&r->held, (struct query_held){ kept, is_number(&cells[i]) });
	}
	return true;
}

/* The widest of a column, its name included. */
static size_t column_width(const struct query_report *r, size_t column)
{
	size_t width = label_width(str_of(r->names.data[column]));
	for (size_t i = column; i < r->held.count; i += r->names.count) {
		const size_t w = label_width(r->held.data[i].text);
		width = w > width ? w : width;
	}
	return width;
}

/* Columns share the width: each text may take what the narrower ones leave, but no less than 12. */
static void fit(const struct query_report *r, size_t *widths)
{
	size_t total = 0;
	for (size_t i = 0; i < r->names.count; i++)
		total += widths[i] + (i > 0 ? 2 : 0);
	while (r->opts.width > 0 && total > r->opts.width) {
		size_t widest = 0;
		for (size_t i = 1; i < r->names.count; i++)
			if (widths[i] >= widths[widest])
				widest = i;
		if (widths[widest] <= 12)
			return;
		const size_t over = total - r->opts.width;
		const size_t less = min_u64(over, widths[widest] - 12);
		/* Step by step, so that two wide columns shrink alike. */
		const size_t step = less > 8 ? less / 2 : less;
		widths[widest] -= step;
		total -= step;
	}
}

static void table_cell(struct sink *s, struct str text, bool number, size_t width, bool last)
{
	if (number) {
		sink_right(s, text, width);
		return;
	}
	const size_t have = label_width(text);
	label_put(s, text, have > width ? width : 0);
	if (!last && have < width)
		sink_right(s, STR(""), width - have);
}

static void table_line(const struct query_report *r, const struct query_held *cells,
		       const size_t *widths)
{
	for (size_t i = 0; i < r->names.count; i++) {
		if (i > 0)
			sink_text(r->s, STR("  "));
		table_cell(r->s, cells[i].text, cells[i].number, widths[i],
			   i + 1 == r->names.count);
	}
	sink_text(r->s, STR("\n"));
}

static void table_head(const struct query_report *r, const size_t *widths)
{
	for (size_t i = 0; i < r->names.count; i++) {
		const bool number = r->held.count > 0 && r->held.data[i].number;
		if (i > 0)
			sink_text(r->s, STR("  "));
		table_cell(r->s, str_of(r->names.data[i]), number, widths[i],
			   i + 1 == r->names.count);
	}
	sink_text(r->s, STR("\n"));
}

static bool table_end(void *ctx)
{
	struct query_report *r = ctx;
	size_t *widths = mem_zeroed(r->names.count + 1, sizeof *widths);
	if (r->statements++ > 0)
		sink_text(r->s, STR("\n"));
	for (size_t i = 0; i < r->names.count; i++)
		widths[i] = min_u64(column_width(r, i), MOST_WIDE);
	fit(r, widths);
	table_head(r, widths);
	for (size_t i = 0; i < r->held.count && !r->s->failed; i += r->names.count)
		table_line(r, &r->held.data[i], widths);
	if (r->over > 0)
		sink_printf(r->s, "[%" PRIu64 " more rows]\n", r->over);
	mem_free(widths);
	return !r->s->failed;
}

/* ---- separated values ------------------------------------------------------------------------ */

static char separator(const struct query_report *r)
{
	return r->opts.format == HEFT_TSV ? '\t' : ',';
}

static void csv_field(struct query_report *r, size_t i, const char *text)
{
	const char between = separator(r);
	if (i > 0)
		sink_text(r->s, (struct str){ &between, 1 });
	field_put(r->s, text, between, r->opts.csv_safe);
}

static bool csv_start(void *ctx, const char *const *names, size_t count)
{
	struct query_report *r = ctx;
	if (!start(ctx, names, count))
		return false;
	for (size_t i = 0; i < count; i++)
		csv_field(r, i, names[i]);
	sink_text(r->s, STR("\n"));
	return !r->s->failed;
}

static bool csv_row(void *ctx, const struct query_cell *cells, size_t count)
{
	struct query_report *r = ctx;
	char room[PSS_MAX];
	if (!has_room(r))
		return true;
	for (size_t i = 0; i < count; i++) {
		const struct str text = shown_text(&cells[i], room);
		csv_field(r, i, text.p ? text.p : "");
	}
	sink_text(r->s, STR("\n"));
	return !r->s->failed;
}

/* ---- Markdown -------------------------------------------------------------------------------- */

/* Numbers are on the right, if the first row has them there; so it waits for that. */
static bool markdown_row(void *ctx, const struct query_cell *cells, size_t count)
{
	struct query_report *r = ctx;
	char room[PSS_MAX];
	if (!has_room(r))
		return true;
	for (size_t i = 0; r->rows == 1 && i < count; i++)
		sink_text(r->s, is_number(&cells[i]) ? STR("|--:") : STR("|---"));
	sink_text(r->s, r->rows == 1 ? STR("|\n|") : STR("|"));
	for (size_t i = 0; i < count; i++) {
		const struct str text = shown_text(&cells[i], room);
		sink_text(r->s, STR(" "));
		if (is_number(&cells[i]))
			sink_text(r->s, text);
		else if (text.len > 0)
			markdown_code(r->s, text.p, MARKDOWN_MOST);
		sink_text(r->s, STR(" |"));
	}
	sink_text(r->s, STR("\n"));
	return !r->s->failed;
}

static bool markdown_start(void *ctx, const char *const *names, size_t count)
{
	struct query_report *r = ctx;
	if (!start(ctx, names, count))
		return false;
	sink_text(r->s, r->statements++ > 0 ? STR("\n|") : STR("|"));
	for (size_t i = 0; i < count; i++)
		sink_printf(r->s, " %s |", names[i]);
	sink_text(r->s, STR("\n"));
	return !r->s->failed;
}

static bool markdown_end(void *ctx)
{
	struct query_report *r = ctx;
	for (size_t i = 0; r->rows == 0 && i < r->names.count; i++)
		sink_text(r->s, i + 1 < r->names.count ? STR("|---") : STR("|---|\n"));
	if (r->over > 0)
		sink_printf(r->s, "\n%" PRIu64 " more rows\n", r->over);
	return !r->s->failed;
}

static bool csv_end(void *ctx)
{
	const struct query_report *r = ctx;
	return !r->s->failed;
}

/* ---- json ------------------------------------------------------------------------------------ */

static bool json_start(void *ctx, const char *const *names, size_t count)
{
	struct query_report *r = ctx;
	sink_text(r->s, STR("["));
	return start(ctx, names, count);
}

static bool json_row(void *ctx, const struct query_cell *cells, size_t count)
{
	struct query_report *r = ctx;
	struct json j = sink_json(r->s);
	char room[PSS_MAX];
	if (!has_room(r))
		return true;
	sink_text(r->s, r->rows > 1 ? STR(",\n ") : STR("\n "));
	json_open(&j, '{');
	for (size_t i = 0; i < count; i++) {
		json_key(&j, r->names.data[i]);
		if (cells[i].kind == QUERY_NULL) {
			json_null(&j);
		} else if (cells[i].kind == QUERY_TEXT) {
			json_text(&j, cells[i].text);
		} else {
			json_raw(&j, shown_text(&cells[i], room));
		}
	}
	json_close(&j, '}');
	return !r->s->failed;
}

static bool json_end(void *ctx)
{
	const struct query_report *r = ctx;
	sink_text(r->s, r->rows > 0 ? STR("\n]\n") : STR("]\n"));
	return !r->s->failed;
}

/* ---- which ----------------------------------------------------------------------------------- */

struct query_visitor query_report_visitor(struct query_report *r)
{
	switch (r->opts.format) {
	case HEFT_CSV:
	case HEFT_TSV: return (struct query_visitor){ csv_start, csv_row, csv_end, r };
	case HEFT_MARKDOWN:
		return (struct query_visitor){ markdown_start, markdown_row, markdown_end, r };
	case HEFT_JSON: return (struct query_visitor){ json_start, json_row, json_end, r };
	default: return (struct query_visitor){ start, table_row, table_end, r };
	}
}

void query_report_release(struct query_report *r)
{
	vec_release(&r->names);
	vec_release(&r->held);
	arena_release(&r->arena);
}
