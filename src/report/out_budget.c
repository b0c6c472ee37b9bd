/* Writes checked size limits: as a table, and as errors for GitHub. */
#include "report/budget_report.h"

#include "report/all_fields.h"
#include "report/pss.h"

#include <math.h>
#include <stdio.h>

static const char *const state_words[] = {
	[HEFT_BUDGET_KEPT] = "ok",         [HEFT_BUDGET_BROKEN] = "broken",
	[HEFT_BUDGET_SKIPPED] = "skipped", [HEFT_BUDGET_UNMATCHED] = "nothing",
	[HEFT_BUDGET_UNKNOWN] = "unknown",
};

static bool is_checked(const struct heft_budget_row *row)
{
	return row->state == HEFT_BUDGET_KEPT || row->state == HEFT_BUDGET_BROKEN;
}

/* Returns the number to compare with the limit. */
static double out_budget_measured(const struct heft_budget_row *row)
{
	return row->growth ? row->now - row->base : row->now;
}

/* Returns a size, or a growth with its sign, as text. */
static struct shown budget_shown(const struct heft_budget_row *row, double v)
{
	return row->growth ? shown_change(v) : shown_parts(v);
}

static void out_budget_put_quoted(struct sink *s, const char *name)
{
	label_printf(s, "'%s'", name);
}

/* Writes why a limit was not checked. */
static void put_reason(const struct heft_budget_row *row, budget_name_fn put_name, struct sink *s)
{
	if (row->state == HEFT_BUDGET_SKIPPED) {
		sink_text(s, STR("not checked: no base"));
		return;
	}
	if (row->state == HEFT_BUDGET_UNKNOWN) {
		sink_printf(s, "not checked: %s", row->reason);
		return;
	}
	sink_text(s, STR("not checked: it matches nothing"));
	if (row->nearest) {
		sink_text(s, STR("; did you mean "));
		put_name(s, row->nearest);
		sink_text(s, STR("?"));
	}
}

static size_t out_budget_count_state(const struct budget_report *r, enum heft_budget_state state)
{
	size_t n = 0;
	for (size_t i = 0; i < r->count; i++)
		n += r->rows[i].state == state;
	return n;
}

/* Writes the value and its limit: "1234 of 2000 bytes" or "+20, at most +10 bytes". */
void budget_finding_put(const struct heft_budget_row *row, budget_name_fn put_name, struct sink *s)
{
	const double have = out_budget_measured(row);
	if (!is_checked(row)) {
		put_reason(row, put_name, s);
		return;
	}
	sink_printf(s, "%s of %s %s bytes", budget_shown(row, have).p,
		    budget_shown(row, row->limit).p, row->measure);
	if (*row->besides)
		sink_printf(s, " (not counted: %s)", row->besides);
	if (row->state == HEFT_BUDGET_BROKEN)
		sink_printf(s, ", %s too many", shown_parts(have - row->limit).p);
}

/* Escapes percent signs and line ends, which have a meaning. In properties, also colons and
 * commas. */
static void github_text(struct sink *s, const char *text, bool property)
{
	for (; *text; text++) {
		const bool special = strchr("%\r\n", *text) || (property && strchr(":,", *text));
		if (special)
			sink_printf(s, "%%%02X", (unsigned char)*text);
		else
			sink_text(s, (struct str){ text, 1 });
	}
}

static void github_name(struct sink *s, const char *name)
{
	sink_text(s, STR("'"));
	github_text(s, name, false);
	sink_text(s, STR("'"));
}

static void github_row(const struct budget_report *r, const struct heft_budget_row *row,
		       struct sink *s)
{
	sink_text(s, STR("::error file="));
	github_text(s, r->path, true);
	sink_printf(s, ",line=%u,title=Size budget %s::", row->line,
		    row->state == HEFT_BUDGET_BROKEN      ? "broken"
		    : row->state == HEFT_BUDGET_UNMATCHED ? "matches nothing"
							  : "not checked");
	github_text(s, row->rule, false);
	sink_text(s, STR(": "));
	budget_finding_put(row, github_name, s);
	for (size_t i = 0; i < row->part_count; i++) {
		const struct heft_budget_part *p = &row->parts[i];
		sink_printf(s, "%%0A%s ",
			    budget_shown(row, row->growth ? p->now - p->base : p->now).p);
		github_text(s, p->label, false);
	}
	sink_text(s, STR("\n"));
}

void out_budget_github(const struct budget_report *r, struct sink *s)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->rows[i].state == HEFT_BUDGET_BROKEN ||
		    r->rows[i].state == HEFT_BUDGET_UNMATCHED ||
		    r->rows[i].state == HEFT_BUDGET_UNKNOWN)
			github_row(r, &r->rows[i], s);
	const size_t skipped = out_budget_count_state(r, HEFT_BUDGET_SKIPPED);
	if (skipped > 0)
		sink_printf(s,
			    "::warning title=Size budget::%zu limits of growth were not checked: "
			    "no base\n",
			    skipped);
}

enum { BYTES, AT_MOST, OVER, NOW, BASE };
enum { STATE, LINE, LIMIT_OF, MEASURE, NEAREST, BESIDES, REASON, PATH };

const struct heft_measure budget_measures[BUDGET_MEASURES] = {
	[BYTES] = { "bytes", "bytes", HEFT_PARTS, true, false, "the size or the growth, by `of`" },
	[AT_MOST] = { "limit", "at most", HEFT_PARTS, true, false, "the most that this may be" },
	[OVER] = { "over", "over", HEFT_PARTS, true, false, "by how much the limit is broken" },
	[NOW] = { "now", "now", HEFT_PARTS, true, false, "the size now" },
	[BASE] = { "base", "base", HEFT_PARTS, true, false, "the size of the base" },
};

const struct heft_text budget_texts[BUDGET_TEXTS] = {
	[STATE] = { "state", false,
		    "`ok`, `broken`, `skipped` (growth without a base), `nothing` (it matches "
		    "nothing) or `unknown` (it asks what is not known)" },
	[LINE] = { "line", true, "in the file of limits" },
	[LIMIT_OF] = { "of", false, "`size` or `growth`" },
	[MEASURE] = { "measure", false,
		      "`stack`, `charged`, `own` or `padded`, of [three "
		      "sizes](snapshots.md#three-sizes)" },
	[NEAREST] = { "nearest", false, "name that a limit which matches nothing may have meant" },
	[BESIDES] = { "besides", false, "why a stack may be more, as of `heft stack`" },
	[REASON] = { "reason", false, "what is not known" },
	[PATH] = { "path", false, "of a symbol" },
};

/* A row while it is made. */
struct out_budget_new_row {
	struct heft_row *row;
	uint64_t *whole;
	double *values;
	const char **texts;
};

/* Makes a row with its label, without numbers and texts. */
static struct out_budget_new_row out_budget_new_row(struct arena *arena, const char *label)
{
	const struct out_budget_new_row n = { arena_new(arena, struct heft_row, 1),
					      arena_new(arena, uint64_t, BUDGET_MEASURES),
					      arena_new(arena, double, BUDGET_MEASURES),
					      arena_new(arena, const char *, BUDGET_TEXTS) };
	for (size_t i = 0; i < BUDGET_MEASURES; i++)
		n.values[i] = (double)NAN;
	for (size_t i = 0; i < BUDGET_TEXTS; i++)
		n.texts[i] = "";
	*n.row = (struct heft_row){ .label = label,
				    .now = n.whole,
				    .base = n.whole,
				    .now_exact = n.values,
				    .base_exact = n.values,
				    .texts = n.texts };
	return n;
}

/* Completes a row whose values are set. */
static const struct heft_row *out_budget_end_row(const struct out_budget_new_row *n)
{
	for (size_t i = 0; i < BUDGET_MEASURES; i++)
		n->whole[i] = whole_of(n->values[i]);
	return n->row;
}

static const struct heft_row *limit_row(struct arena *arena, const struct heft_budget_row *limit,
					bool with_parts)
{
	const struct out_budget_new_row n = out_budget_new_row(arena, limit->rule);
	ASSERT(limit->state < COUNT_OF(state_words));
	const size_t count = with_parts ? limit->part_count : 0;
	const struct heft_row **parts = arena_new(arena, const struct heft_row *, count);
	n.values[NOW] = limit->now;
	if (is_checked(limit)) {
		n.values[BYTES] = out_budget_measured(limit);
		n.values[AT_MOST] = limit->limit;
		n.values[BASE] = limit->base;
	}
	if (limit->state == HEFT_BUDGET_BROKEN)
		n.values[OVER] = out_budget_measured(limit) - limit->limit;
	n.texts[STATE] = state_words[limit->state];
	n.texts[LINE] = arena_format(arena, "%u", limit->line);
	n.texts[LIMIT_OF] = limit->growth ? "growth" : "size";
	n.texts[MEASURE] = limit->measure;
	n.texts[NEAREST] = limit->nearest ? limit->nearest : "";
	n.texts[BESIDES] = limit->besides;
	n.texts[REASON] = limit->reason;
	for (size_t i = 0; i < count; i++) {
		const struct heft_budget_part *p = &limit->parts[i];
		const struct out_budget_new_row part = out_budget_new_row(arena, p->label);
		part.values[BYTES] = limit->growth ? p->now - p->base : p->now;
		part.values[NOW] = p->now;
		part.values[BASE] = p->base;
		part.texts[PATH] = p->path;
		parts[i] = out_budget_end_row(&part);
	}
	n.row->children = parts;
	n.row->child_count = count;
	return out_budget_end_row(&n);
}

static const struct heft_row *all_rows(const struct budget_report *b, bool with_parts,
				       struct arena *arena)
{
	const struct heft_row **rows = arena_new(arena, const struct heft_row *, b->count);
	struct heft_row *top = out_budget_new_row(arena, "TOTAL").row;
	for (size_t i = 0; i < b->count; i++)
		rows[i] = limit_row(arena, &b->rows[i], with_parts);
	top->children = rows;
	top->child_count = b->count;
	return top;
}

static void out_budget_put_label(const struct report *r, const struct heft_row *row,
				 struct text *out)
{
	(void)r;
	text_add(out, str_of(row->label));
	if (*row->texts[BESIDES])
		text_add_all(out, "  + ", row->texts[BESIDES]);
	if (*row->texts[PATH])
		text_add_all(out, "  ", row->texts[PATH]);
}

/* Writes why a limit was not checked, below its row. */
static void out_budget_put_lines(const struct report *r, const struct heft_row *row, size_t column,
				 struct sink *s)
{
	const struct budget_report *b = r->ctx;
	for (size_t i = 0; i < r->table.top->child_count; i++) {
		if (r->table.top->children[i] != row || is_checked(&b->rows[i]))
			continue;
		sink_right(s, STR(""), column + 2);
		put_reason(&b->rows[i], out_budget_put_quoted, s);
		sink_text(s, STR("\n"));
	}
}

void budget_sum_put(const struct budget_report *b, struct sink *s)
{
	const size_t unchecked = out_budget_count_state(b, HEFT_BUDGET_SKIPPED) +
				 out_budget_count_state(b, HEFT_BUDGET_UNMATCHED) +
				 out_budget_count_state(b, HEFT_BUDGET_UNKNOWN);
	sink_printf(s, "%zu of %zu limits broken", out_budget_count_state(b, HEFT_BUDGET_BROKEN),
		    b->count);
	if (unchecked > 0)
		sink_printf(s, ", %zu not checked", unchecked);
}

static void out_budget_put_below(const struct report *r, struct sink *s)
{
	budget_sum_put(r->ctx, s);
	sink_text(s, STR("\n"));
}

static void out_budget_markdown_head(const struct report *r, struct sink *s)
{
	sink_text(s, STR("**Size budgets: "));
	budget_sum_put(r->ctx, s);
	sink_text(s, STR("**\n\n"));
}

static struct str budget_broken(struct field_at *at)
{
	snprintf(at->room, FIELD_ROOM, "%zu", out_budget_count_state(at->of, HEFT_BUDGET_BROKEN));
	return str_of(at->room);
}

static const struct field document_list[] = {
	{ KEY("budget", "path of the file of limits"), FIELD(struct budget_report, path),
	  .flags = FIELD_LINES },
	{ KEY("broken", "how many limits are broken"), .kind = FIELD_NUMBER, .get = budget_broken },
};
const struct fields budget_document_fields = FIELDS("document of limits", document_list);

void budget_report_init(struct report *r, const struct budget_report *b, struct arena *arena)
{
	static const char *const levels[] = { "rule" };
	static const struct report_kind kind = {
		.below = out_budget_put_below,
		.label = out_budget_put_label,
		.lines = out_budget_put_lines,
		.document = &budget_document_fields,
		.markdown_head = out_budget_markdown_head,
		.no_total = true,
	};
	/* CSV and TSV have one line per limit. */
	const bool flat = r->opts.format == HEFT_CSV || r->opts.format == HEFT_TSV;
	ASSERT(b->path != NULL && (b->count == 0 || b->rows != NULL));
	r->table = (struct heft_table){ .size = sizeof r->table,
					.levels = levels,
					.level_count = 1,
					.measures = budget_measures,
					.measure_count = BUDGET_MEASURES,
					.texts = budget_texts,
					.text_count = BUDGET_TEXTS,
					.sorted_by = BYTES,
					.top = all_rows(b, !flat, arena) };
	r->kind = &kind;
	r->ctx = b;
	r->indent = 2;
	r->label_gap = 2;
	report_column(r, (struct column){ "state", CELL_TEXT, STATE, 0, 0, false, 0, false });
	for (unsigned m = BYTES; m <= OVER; m++)
		report_column(r, (struct column){ budget_measures[m].title, CELL_NOW, m, 0, 2,
						  false, 0, false });
	report_column(r, (struct column){ "size", CELL_TEXT, MEASURE, 0, 2, false, 1, false });
	for (unsigned i = 0; i < PATH; i++)
		report_field(r, budget_texts[i].name, CELL_TEXT, i);
	for (unsigned m = 0; m < BUDGET_MEASURES; m++)
		report_field(r, budget_measures[m].name, CELL_NOW, m);
}
