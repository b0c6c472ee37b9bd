/* Diffs of snapshots for people and as lines. */
#include "report/diff_report.h"
#include "report/label_text.h"
#include "report/number.h"
#include "report/pss.h"

static const char *const by_words[] = {
	[HEFT_DIFF_BY_SYMBOL] = "symbol",       [HEFT_DIFF_BY_SOURCE] = "source",
	[HEFT_DIFF_BY_DIRECTORY] = "directory", [HEFT_DIFF_BY_OBJECT] = "object",
	[HEFT_DIFF_BY_COMPONENT] = "component", [HEFT_DIFF_BY_SECTION] = "section",
	[HEFT_DIFF_BY_CONTAINER] = "container", [HEFT_DIFF_BY_NAMESPACE] = "namespace",
};

static const char *const change_words[] = {
	[HEFT_UNCHANGED] = "unchanged", [HEFT_CHANGED] = "changed", [HEFT_ADDED] = "added",
	[HEFT_REMOVED] = "removed",     [HEFT_MOVED] = "moved",     [HEFT_RENAMED] = "renamed",
};

/* The order in which people are told. */
static const enum heft_change told[] = { HEFT_ADDED, HEFT_REMOVED, HEFT_CHANGED,
					 HEFT_MOVED, HEFT_RENAMED, HEFT_UNCHANGED };

const char *diff_by_word(enum heft_diff_by by)
{
	return by_words[by];
}

const char *diff_change_word(enum heft_change change)
{
	return change_words[change];
}

void diff_counts_put(struct sink *s, const uint64_t counts[HEFT_CHANGES])
{
	const char *between = "";
	for (size_t i = 0; i < COUNT_OF(told); i++) {
		if (counts[told[i]] == 0)
			continue;
		sink_printf(s, "%s%" PRIu64 " %s", between, counts[told[i]], change_words[told[i]]);
		between = ", ";
	}
	if (*between == '\0')
		sink_text(s, STR("nothing"));
}

struct heft_diff_sizes diff_sum(const struct diff_report *r, bool in_file)
{
	struct heft_diff_sizes sum = { 0 };
	for (size_t i = 0; i + 1 < r->section_count; i++) {
		const struct heft_diff_sizes *s = &r->sections[i].sizes;
		if (r->sections[i].in_file != in_file)
			continue;
		sum.before += s->before + s->padding_before;
		sum.after += s->after + s->padding_after;
	}
	return sum;
}

/* ---- the table --------------------------------------------------------------------------------- */

static void put_right(struct sink *s, const char *text, size_t width)
{
	sink_right(s, str_of(text), width);
}

static uint64_t whole(double v)
{
	return v > 0 ? (uint64_t)(v + 0.5) : 0;
}

static void put_section(struct sink *s, const char *name, double before, double after)
{
	char text[PSS_MAX], growth[NUMBER_MAX];
	sink_printf(s, "%-24s", name);
	pss_text(text, before);
	put_right(s, text, 13);
	pss_text(text, after);
	put_right(s, text, 13);
	pss_change(text, after - before);
	put_right(s, text, 12);
	number_growth(growth, whole(after), whole(before));
	put_right(s, growth, 9);
	sink_text(s, STR("\n"));
}

static void put_sections(const struct diff_report *r, struct sink *s)
{
	const struct heft_diff_sizes file = diff_sum(r, true), rest = diff_sum(r, false);
	sink_printf(s, "%-24s%13s%13s%12s\n", "section", "old", "new", "delta");
	for (size_t i = 0; i + 1 < r->section_count; i++) {
		const struct heft_diff_sizes *z = &r->sections[i].sizes;
		if (r->sections[i].in_file)
			put_section(s, r->sections[i].name, z->before + z->padding_before,
				    z->after + z->padding_after);
	}
	put_section(s, "TOTAL", file.before, file.after);
	if (rest.before > 0 || rest.after > 0)
		put_section(s, "besides, not in the file", rest.before, rest.after);
	sink_text(s, STR("\n"));
	diff_counts_put(s, r->sections[r->section_count - 1].counts);
	sink_text(s, STR("\n"));
}

static void put_columns(struct sink *s, double delta, double before, double after, double padding)
{
	char text[PSS_MAX];
	pss_change(text, delta);
	put_right(s, text, 11);
	pss_text(text, before);
	put_right(s, text, 11);
	pss_text(text, after);
	put_right(s, text, 11);
	pss_change(text, padding);
	put_right(s, padding > -1e-6 && padding < 1e-6 ? "" : text, 9);
}

static size_t room_for(size_t width, size_t used)
{
	return width == 0 ? 0 : width > used + 20 ? width - used : 20;
}

static void put_row(const struct diff_report *r, const struct heft_diff_row *row, struct sink *s)
{
	const struct heft_diff_sizes *z = &row->sizes;
	const bool symbol = r->by == HEFT_DIFF_BY_SYMBOL && row != r->total && row->others == 0;
	put_columns(s, z->after - z->before, z->before, z->after,
		    z->padding_after - z->padding_before);
	if (!symbol) {
		sink_text(s, STR("  "));
		label_put(s, str_of(row->label), room_for(r->width, 44));
		sink_text(s, STR("\n"));
		return;
	}
	sink_printf(s, "  %-8s %-13s ", change_words[row->change], row->section);
	label_put(s, str_of(row->label), room_for(r->width, 67));
	if (*row->path && r->width == 0) {
		sink_text(s, STR("  "));
		label_put(s, str_of(row->path), 0);
	}
	if (*row->was && r->width == 0) {
		sink_text(s, STR(" (was "));
		label_put(s, str_of(row->was), 0);
		sink_text(s, STR(")"));
	}
	sink_text(s, STR("\n"));
}

void out_diff_table(const struct diff_report *r, struct sink *s)
{
	put_sections(r, s);
	if (r->row_count == 0)
		return;
	sink_printf(s, "\n%11s%11s%11s%9s  ", "delta", "old", "new", "padding");
	if (r->by == HEFT_DIFF_BY_SYMBOL)
		sink_printf(s, "%-8s %-13s ", "change", "section");
	sink_printf(s, "%s\n", diff_by_word(r->by));
	for (size_t i = 0; i < r->row_count && !s->failed; i++)
		put_row(r, &r->rows[i], s);
	put_row(r, r->total, s);
}

/* ---- csv --------------------------------------------------------------------------------------- */

static void csv_number(struct sink *s, double v)
{
	char text[PSS_MAX];
	pss_exact(text, v);
	sink_printf(s, ",%s", text);
}

static void csv_row(const struct diff_report *r, const struct heft_diff_row *row, struct sink *s)
{
	const struct heft_diff_sizes *z = &row->sizes;
	const char *const texts[] = { row->section,
				      row->path,
				      row->component,
				      row->container,
				      r->by == HEFT_DIFF_BY_SYMBOL && row->others == 0
					      ? change_words[row->change]
					      : "",
				      row->was };
	field_put(s, row->label, ',', false);
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		sink_text(s, STR(","));
		field_put(s, texts[i], ',', false);
	}
	csv_number(s, z->before);
	csv_number(s, z->after);
	csv_number(s, z->after - z->before);
	csv_number(s, z->padding_before);
	csv_number(s, z->padding_after);
	for (size_t i = 0; i < COUNT_OF(told); i++)
		sink_printf(s, ",%" PRIu64, row->counts[told[i]]);
	sink_text(s, STR("\n"));
}

void out_diff_csv(const struct diff_report *r, struct sink *s)
{
	sink_printf(s,
		    "%s,in_section,path,in_component,in_container,change,was,old,new,delta,"
		    "old_padding,new_padding",
		    diff_by_word(r->by));
	for (size_t i = 0; i < COUNT_OF(told); i++)
		sink_printf(s, ",%s", change_words[told[i]]);
	sink_text(s, STR("\n"));
	for (size_t i = 0; i < r->row_count && !s->failed; i++)
		csv_row(r, &r->rows[i], s);
}
