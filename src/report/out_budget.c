#include "report/budget_report.h"

#include "report/label_text.h"
#include "report/markdown.h"
#include "report/pss.h"

static const char *const state_words[] = {
	[HEFT_BUDGET_KEPT] = "ok",
	[HEFT_BUDGET_BROKEN] = "broken",
	[HEFT_BUDGET_SKIPPED] = "skipped",
	[HEFT_BUDGET_UNMATCHED] = "nothing",
};

static bool is_checked(const struct heft_budget_row *row)
{
	return row->state == HEFT_BUDGET_KEPT || row->state == HEFT_BUDGET_BROKEN;
}

/* What is held against the limit. */
static double measured(const struct heft_budget_row *row)
{
	return row->growth ? row->now - row->base : row->now;
}

static void part_text(char out[PSS_MAX], const struct heft_budget_row *row, size_t i)
{
	const struct heft_budget_part *p = &row->parts[i];
	if (row->growth)
		pss_change(out, p->now - p->base);
	else
		pss_text(out, p->now);
}

/* Why a limit was not checked. */
static void put_reason(const struct heft_budget_row *row, struct sink *s)
{
	if (row->state == HEFT_BUDGET_SKIPPED) {
		sink_text(s, STR("not checked: no base"));
		return;
	}
	sink_text(s, STR("not checked: it matches nothing"));
	if (row->nearest) {
		sink_text(s, STR("; did you mean '"));
		label_put(s, str_of(row->nearest), 0);
		sink_text(s, STR("'?"));
	}
}

static size_t count_state(const struct budget_report *r, enum heft_budget_state state)
{
	size_t n = 0;
	for (size_t i = 0; i < r->count; i++)
		n += r->rows[i].state == state;
	return n;
}

/* "1234 of 2000 bytes", "+20, at most +10 bytes": what was found. */
static void put_finding(const struct heft_budget_row *row, struct sink *s)
{
	char have[PSS_MAX], limit[PSS_MAX], over[PSS_MAX];
	if (!is_checked(row)) {
		put_reason(row, s);
		return;
	}
	if (row->growth) {
		pss_change(have, measured(row));
		pss_change(limit, row->limit);
	} else {
		pss_text(have, measured(row));
		pss_text(limit, row->limit);
	}
	sink_printf(s, "%s of %s %s bytes", have, limit, row->measure);
	if (row->state == HEFT_BUDGET_BROKEN) {
		pss_text(over, measured(row) - row->limit);
		sink_printf(s, ", %s too many", over);
	}
}

/* ---- for people ------------------------------------------------------------------------------ */

static void text_parts(const struct heft_budget_row *row, struct sink *s)
{
	char size[PSS_MAX];
	for (size_t i = 0; i < row->part_count; i++) {
		const struct heft_budget_part *p = &row->parts[i];
		part_text(size, row, i);
		sink_right(s, str_of(size), 18);
		sink_text(s, STR("  "));
		label_put(s, str_of(p->label), 0);
		if (*p->path) {
			sink_text(s, STR("  "));
			label_put(s, str_of(p->path), 0);
		}
		sink_text(s, STR("\n"));
	}
}

void out_budget_text(const struct budget_report *r, struct sink *s)
{
	for (size_t i = 0; i < r->count; i++) {
		sink_printf(s, "%-8s ", state_words[r->rows[i].state]);
		label_put(s, str_of(r->rows[i].rule), 0);
		sink_text(s, STR(": "));
		put_finding(&r->rows[i], s);
		sink_text(s, STR("\n"));
		text_parts(&r->rows[i], s);
	}
	sink_printf(s, "%zu of %zu limits broken", count_state(r, HEFT_BUDGET_BROKEN), r->count);
	const size_t unchecked = count_state(r, HEFT_BUDGET_SKIPPED) +
				 count_state(r, HEFT_BUDGET_UNMATCHED);
	if (unchecked > 0)
		sink_printf(s, ", %zu not checked", unchecked);
	sink_text(s, STR("\n"));
}

/* ---- for GitHub ------------------------------------------------------------------------------ */

/* Percent signs and line ends have a meaning; in properties colons and commas too. */
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

static void github_row(const struct budget_report *r, const struct heft_budget_row *row,
		       struct sink *s)
{
	char size[PSS_MAX];
	sink_text(s, STR("::error file="));
	github_text(s, r->path, true);
	sink_printf(s, ",line=%u,title=Size budget %s::", row->line,
		    row->state == HEFT_BUDGET_BROKEN ? "broken" : "matches nothing");
	github_text(s, row->rule, false);
	sink_text(s, STR(": "));
	put_finding(row, s);
	for (size_t i = 0; i < row->part_count; i++) {
		part_text(size, row, i);
		sink_printf(s, "%%0A%s ", size);
		github_text(s, row->parts[i].label, false);
	}
	sink_text(s, STR("\n"));
}

void out_budget_github(const struct budget_report *r, struct sink *s)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->rows[i].state == HEFT_BUDGET_BROKEN ||
		    r->rows[i].state == HEFT_BUDGET_UNMATCHED)
			github_row(r, &r->rows[i], s);
	const size_t skipped = count_state(r, HEFT_BUDGET_SKIPPED);
	if (skipped > 0)
		sink_printf(s,
			    "::warning title=Size budget::%zu limits of growth were not checked: "
			    "no base\n",
			    skipped);
}

/* ---- markdown -------------------------------------------------------------------------------- */

static void markdown_row(const struct heft_budget_row *row, struct sink *s)
{
	char size[PSS_MAX];
	sink_printf(s, "| %s | ", state_words[row->state]);
	markdown_code(s, row->rule, 160);
	sink_text(s, STR(" | "));
	put_finding(row, s);
	sink_text(s, STR(" |"));
	for (size_t i = 0; i < row->part_count; i++) {
		part_text(size, row, i);
		sink_printf(s, "%s%s ", i > 0 ? "<br>" : " ", size);
		markdown_code(s, row->parts[i].label, 100);
	}
	sink_text(s, STR(" |\n"));
}

void out_budget_markdown(const struct budget_report *r, struct sink *s)
{
	sink_printf(s, "**Size budgets: %zu of %zu limits broken**\n\n",
		    count_state(r, HEFT_BUDGET_BROKEN), r->count);
	sink_text(s, STR("| | limit | measured | who |\n|---|---|---|---|\n"));
	for (size_t i = 0; i < r->count; i++)
		if (r->rows[i].state != HEFT_BUDGET_KEPT)
			markdown_row(&r->rows[i], s);
	for (size_t i = 0; i < r->count; i++)
		if (r->rows[i].state == HEFT_BUDGET_KEPT)
			markdown_row(&r->rows[i], s);
}

/* ---- separated values ------------------------------------------------------------------------ */

void out_budget_csv(const struct budget_report *r, char separator, bool safe, struct sink *s)
{
	static const char *const names[] = { "rule",    "line", "state", "growth",
					     "measure", "now",  "base",  "limit" };
	const struct str between = { &separator, 1 };
	char number[PSS_MAX];
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		sink_text(s, i > 0 ? between : STR(""));
		sink_text(s, str_of(names[i]));
	}
	sink_text(s, STR("\n"));
	for (size_t i = 0; i < r->count && !s->failed; i++) {
		const struct heft_budget_row *row = &r->rows[i];
		const double values[] = { row->now, row->base, row->limit };
		const bool checked = is_checked(row);
		field_put(s, row->rule, separator, safe);
		sink_printf(s, "%c%u%c%s%c%d%c%s", separator, row->line, separator,
			    state_words[row->state], separator, row->growth, separator,
			    row->measure);
		for (size_t k = 0; k < COUNT_OF(values); k++) {
			pss_exact(number, values[k]);
			sink_printf(s, "%c%s", separator, k == 0 || checked ? number : "");
		}
		sink_text(s, STR("\n"));
	}
}

/* ---- json ------------------------------------------------------------------------------------ */

static void json_row(struct json *j, const struct heft_budget_row *row)
{
	json_line(j);
	json_open(j, '{');
	json_member_text(j, "rule", str_of(row->rule));
	json_member_uint(j, "line", row->line);
	json_member_text(j, "state", str_of(state_words[row->state]));
	json_member_bool(j, "growth", row->growth);
	json_member_text(j, "measure", str_of(row->measure));
	json_member_pss(j, "now", row->now);
	if (row->nearest)
		json_member_text(j, "nearest", str_of(row->nearest));
	if (is_checked(row)) {
		json_member_pss(j, "base", row->base);
		json_member_pss(j, "limit", row->limit);
	}
	json_key(j, "parts");
	json_open(j, '[');
	for (size_t i = 0; i < row->part_count; i++) {
		json_open(j, '{');
		json_member_text(j, "symbol", str_of(row->parts[i].label));
		if (*row->parts[i].path)
			json_member_text(j, "path", str_of(row->parts[i].path));
		json_member_pss(j, "now", row->parts[i].now);
		json_member_pss(j, "base", row->parts[i].base);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
}

void out_budget_json(const struct budget_report *r, struct sink *s)
{
	struct json j = sink_json(s);
	json_open(&j, '{');
	json_line(&j);
	json_member_text(&j, "budget", str_of(r->path));
	json_line(&j);
	json_member_uint(&j, "broken", count_state(r, HEFT_BUDGET_BROKEN));
	json_line(&j);
	json_key(&j, "limits");
	json_open(&j, '[');
	for (size_t i = 0; i < r->count; i++)
		json_row(&j, &r->rows[i]);
	json_line(&j);
	json_close(&j, ']');
	json_line(&j);
	json_close(&j, '}');
	sink_text(s, STR("\n"));
}
