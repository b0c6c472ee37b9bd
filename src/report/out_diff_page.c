/* Diffs of snapshots as JSON and as Markdown. */
#include "report/diff_report.h"
#include "report/markdown.h"
#include "report/number.h"
#include "report/pss.h"

/* ---- json -------------------------------------------------------------------------------------- */

static void member_sizes(struct json *j, const struct heft_diff_sizes *z)
{
	json_member_pss(j, "old", z->before);
	json_member_pss(j, "new", z->after);
	json_member_pss(j, "delta", z->after - z->before);
	json_member_pss(j, "old_padding", z->padding_before);
	json_member_pss(j, "new_padding", z->padding_after);
}

static void member_counts(struct json *j, const uint64_t counts[HEFT_CHANGES])
{
	json_key(j, "symbols");
	json_open(j, '{');
	for (size_t i = 0; i < HEFT_CHANGES; i++)
		if (counts[i] > 0)
			json_member_uint(j, diff_change_word((enum heft_change)i), counts[i]);
	json_close(j, '}');
}

static void json_section(struct json *j, const struct heft_diff_section *sec)
{
	json_line(j);
	json_open(j, '{');
	json_member_text(j, "section", str_of(sec->name));
	json_member_bool(j, "in_file", sec->in_file);
	member_sizes(j, &sec->sizes);
	member_counts(j, sec->counts);
	json_close(j, '}');
}

static void member_if(struct json *j, const char *key, const char *text)
{
	if (*text)
		json_member_text(j, key, str_of(text));
}

static void json_row(struct json *j, const struct diff_report *r, const struct heft_diff_row *row)
{
	json_line(j);
	json_open(j, '{');
	json_member_text(j, row->others ? "label" : diff_by_word(r->by), str_of(row->label));
	member_if(j, "in_section", row->section);
	member_if(j, "path", row->path);
	member_if(j, "in_component", row->component);
	member_if(j, "in_container", row->container);
	if (r->by == HEFT_DIFF_BY_SYMBOL && row->others == 0)
		json_member_text(j, "change", str_of(diff_change_word(row->change)));
	member_if(j, "was", row->was);
	member_sizes(j, &row->sizes);
	member_counts(j, row->counts);
	if (row->others)
		json_member_uint(j, "others", row->others);
	json_close(j, '}');
}

void out_diff_json(const struct diff_report *r, struct sink *s)
{
	struct json j = sink_json(s);
	const struct heft_diff_section *total = &r->sections[r->section_count - 1];
	json_open(&j, '{');
	json_line(&j);
	json_member_text(&j, "by", str_of(diff_by_word(r->by)));
	json_line(&j);
	json_key(&j, "total");
	json_open(&j, '{');
	member_sizes(&j, &total->sizes);
	member_counts(&j, total->counts);
	json_close(&j, '}');
	json_line(&j);
	json_key(&j, "sections");
	json_open(&j, '[');
	for (size_t i = 0; i + 1 < r->section_count; i++)
		json_section(&j, &r->sections[i]);
	json_line(&j);
	json_close(&j, ']');
	json_line(&j);
	json_key(&j, "rows");
	json_open(&j, '[');
	for (size_t i = 0; i < r->row_count && !s->failed; i++)
		json_row(&j, r, &r->rows[i]);
	json_line(&j);
	json_close(&j, ']');
	json_line(&j);
	json_close(&j, '}');
	sink_text(s, STR("\n"));
}

/* ---- markdown ---------------------------------------------------------------------------------- */

static uint64_t whole(double v)
{
	return v > 0 ? (uint64_t)(v + 0.5) : 0;
}

static void cell(struct sink *s, double v, bool change)
{
	char text[PSS_MAX];
	if (change)
		pss_change(text, v);
	else
		pss_text(text, v);
	sink_printf(s, " %s |", text);
}

static void section_line(struct sink *s, const char *name, const struct heft_diff_sizes *z)
{
	char growth[NUMBER_MAX];
	const double before = z->before + z->padding_before, after = z->after + z->padding_after;
	sink_text(s, STR("| "));
	markdown_code(s, name, 80);
	sink_text(s, STR(" |"));
	cell(s, before, false);
	cell(s, after, false);
	cell(s, after - before, true);
	number_growth(growth, whole(after), whole(before));
	sink_printf(s, " %s |\n", growth);
}

static void headline(const struct diff_report *r, struct sink *s)
{
	char text[PSS_MAX], size[NUMBER_MAX], growth[NUMBER_MAX];
	const struct heft_diff_sizes file = diff_sum(r, true);
	const uint64_t before = whole(file.before), after = whole(file.after);
	pss_change(text, file.after - file.before);
	number_size(size, after, 0);
	number_growth(growth, after, before);
	sink_printf(s, "**Size: %s bytes (%s), now %s**\n\n", text, growth, size);
	diff_counts_put(s, r->sections[r->section_count - 1].counts);
	sink_text(s, STR("\n\n"));
}

static void sections_table(const struct diff_report *r, struct sink *s)
{
	sink_text(s, STR("<details><summary>Sections</summary>\n\n"
			 "| section | old | new | delta | |\n|---|--:|--:|--:|--:|\n"));
	for (size_t i = 0; i + 1 < r->section_count; i++)
		section_line(s, r->sections[i].name, &r->sections[i].sizes);
	sink_text(s, STR("\n</details>\n\n"));
}

static void row_line(const struct diff_report *r, const struct heft_diff_row *row, struct sink *s)
{
	const struct heft_diff_sizes *z = &row->sizes;
	sink_text(s, STR("|"));
	cell(s, z->after - z->before, true);
	cell(s, z->before, false);
	cell(s, z->after, false);
	if (r->by == HEFT_DIFF_BY_SYMBOL)
		sink_printf(s, " %s | %s |", row->others ? "" : diff_change_word(row->change),
			    row->section);
	sink_text(s, STR(" "));
	if (row->others)
		sink_printf(s, "%" PRIu64 " others", row->others);
	else
		markdown_code(s, row->label, 160);
	if (*row->path) {
		sink_text(s, STR("<br>"));
		markdown_code(s, row->path, 160);
	}
	sink_text(s, STR(" |\n"));
}

void out_diff_markdown(const struct diff_report *r, struct sink *s)
{
	const bool symbols = r->by == HEFT_DIFF_BY_SYMBOL;
	headline(r, s);
	sections_table(r, s);
	if (r->row_count == 0)
		return;
	sink_printf(s, "<details><summary>Largest changes by %s</summary>\n\n",
		    diff_by_word(r->by));
	sink_printf(s, "| delta | old | new |%s %s |\n|--:|--:|--:|%s---|\n",
		    symbols ? " change | section |" : "", diff_by_word(r->by),
		    symbols ? "---|---|" : "");
	for (size_t i = 0; i < r->row_count && !s->failed; i++)
		row_line(r, &r->rows[i], s);
	sink_text(s, STR("\n</details>\n"));
}
