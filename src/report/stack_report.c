/* Writes the table of stack sizes. */
#include "report/report.h"

#include "report/label_text.h"
#include "stack/depths.h"
#include "stack/stack_rows.h"

/* Writes the name, and words for what the sizes do not include (caveats). */
static void stack_report_put_label(const struct report *r, const struct heft_row *row,
				   struct text *out)
{
	const char *besides = row->texts ? row->texts[STACK_TEXT_BESIDES] : "";
	(void)r;
	text_add(out, str_of(row->label));
	if (*besides != '\0')
		text_add_all(out, "  + ", besides);
}

/* True if a part of a path of calls ends here: its number of bytes follows. Names may contain the
 * separator, so the separator alone does not show the end. */
static bool ends_way(struct str part, struct str behind)
{
	size_t at = part.len;
	(void)behind;
	while (at > 0 && part.p[at - 1] >= '0' && part.p[at - 1] <= '9')
		at--;
	return at < part.len && at > 0 && part.p[at - 1] == ' ';
}

/* True if the next part begins with the word of a caveat. */
static bool ends_cause(struct str part, struct str behind)
{
	(void)part;
	for (unsigned i = 0; i < STACK_TOLD; i++) {
		const struct str word = stack_told_word(i);
		if (str_starts(behind, word) &&
		    str_starts((struct str){ behind.p + word.len, behind.len - word.len },
			       STR(" in ")))
			return true;
	}
	return false;
}

/* Writes the functions of the deepest path, then the reasons for caveats. */
static void stack_report_put_details(const struct report *r, const struct heft_row *row,
				     size_t column, struct sink *s)
{
	(void)column;
	if (!r->opts.full || !row->texts)
		return;
	label_list(s, str_of(row->texts[STACK_TEXT_PATH]), STR(" > "), ends_way, "        ",
		   "        ");
	label_list(s, str_of(row->texts[STACK_TEXT_CAUSE]), STR(", "), ends_cause, "      + ",
		   "      + ");
}

bool stack_report_write(const struct heft_table *t, const struct heft_write_opts *opts,
			struct sink *s, struct heft_err *err)
{
	static const struct report_kind kind = { .label = stack_report_put_label,
						 .lines = stack_report_put_details,
						 .no_total = true };
	static const struct column columns[] = {
		{ "stack", CELL_NOW, STACK_MOST, 8 },
		{ "frame", CELL_NOW, STACK_FRAME, 8, 1, .spare = 1 },
		{ "kind", CELL_TEXT, STACK_TEXT_KIND, 0, 2, .spare = 2 },
	};
	struct arena arena = { 0 };
	struct report r = {
		.table = *t, .opts = *opts, .kind = &kind, .indent = 1, .label_gap = 2
	};
	ASSERT(t->text_count == STACK_TEXTS && t->measure_count == STACK_MEASURES);
	report_columns(&r, columns, COUNT_OF(columns));
	report_all_fields(&r, &arena);
	const bool good = report_write(&r, s, err);
	arena_release(&arena);
	return good;
}
