/* Writes proposals that make a program smaller. */
#include "measure/advice_rows.h"
#include "report/report.h"

/* Appends the label of a row: the sentence of a proposal, or the name of an owner. */
static void advice_put_label(const struct report *r, const struct heft_row *row, struct text *out)
{
	const char *what = row->texts ? row->texts[ADVICE_TEXT_WHAT] : "";
	(void)r;
	text_add(out, str_of(*what ? what : row->label));
}

static void advice_put_lines(const struct report *r, const struct heft_row *row, size_t column,
			     struct sink *s)
{
	static const struct {
		const char *name;
		enum advice_text text;
	} lines[] = { { "do:", ADVICE_TEXT_CHANGE },
		      { "costs:", ADVICE_TEXT_COST },
		      { "link:", ADVICE_TEXT_LINK },
		      { "fails:", ADVICE_TEXT_FAILURE } };
	const size_t count = r->table.text_count == ADVICE_TEXTS ? COUNT_OF(lines) : 2;
	for (size_t i = 0; row->texts && i < count; i++) {
		const char *text = row->texts[lines[i].text];
		if (*text)
			label_printf(s, "%*s%-7s%s\n", (int)column, "", lines[i].name, text);
	}
}

bool advice_report_write(const struct heft_table *t, const struct heft_write_opts *opts,
			 struct sink *s, struct heft_err *err)
{
	static const struct report_kind kind = { .label = advice_put_label,
						 .lines = advice_put_lines,
						 .no_total = true };
	static const struct column columns[] = {
		{ "saves", CELL_NOW, 0, 9 },
		{ "measured", CELL_AMOUNT, ADVICE_TEXT_SAVED, 9, 1 },
		{ "padding", CELL_AMOUNT, ADVICE_TEXT_PADDING, 8, 1 },
		{ "sure", CELL_TEXT, ADVICE_TEXT_SURE, 8, 2 },
	};
	struct arena arena = { 0 };
	struct report r = {
		.table = *t, .opts = *opts, .kind = &kind, .indent = 2, .label_gap = 2
	};
	ASSERT(t->text_count <= ADVICE_TEXTS && t->measure_count == 1);
	report_column(&r, columns[0]);
	if (t->text_count == ADVICE_TEXTS)
		report_columns(&r, &columns[1], 2);
	report_column(&r, columns[3]);
	report_all_fields(&r, &arena);
	const bool good = report_write(&r, s, err);
	arena_release(&arena);
	return good;
}
