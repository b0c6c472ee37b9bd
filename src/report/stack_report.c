#include "report/stack_report.h"

#include "base/err.h"
#include "report/label_text.h"

/* The name, and what the sizes do not hold. */
static void put_label(const struct report *r, const struct heft_row *row, struct text *out)
{
	const char *besides = row->texts ? row->texts[STACK_TEXT_BESIDES] : "";
	(void)r;
	text_add(out, str_of(row->label));
	if (*besides != '\0') {
		text_add(out, STR("  + "));
		text_add(out, str_of(besides));
	}
}

/* Each part of a list in a line of its own. */
static void put_parts(struct sink *s, struct str rest, struct str apart, struct str before)
{
	while (rest.len > 0) {
		size_t len = 0;
		while (len < rest.len &&
		       !str_starts((struct str){ rest.p + len, rest.len - len }, apart))
			len++;
		sink_text(s, before);
		label_put(s, (struct str){ rest.p, len }, 0);
		sink_text(s, STR("\n"));
		len = min_u64(rest.len, len + apart.len);
		rest = (struct str){ rest.p + len, rest.len - len };
	}
}

/* The functions of the way, then where what the sizes do not hold comes from. */
static void put_details(const struct report *r, const struct heft_row *row, size_t column,
			struct sink *s)
{
	(void)column;
	if (!r->opts.full || !row->texts)
		return;
	put_parts(s, str_of(row->texts[STACK_TEXT_PATH]), STR(" > "), STR("        "));
	put_parts(s, str_of(row->texts[STACK_TEXT_CAUSE]), STR(", "), STR("      + "));
}

bool stack_report_write(const struct heft_table *t, const struct heft_write_opts *opts,
			struct sink *s, struct heft_err *err)
{
	static const struct report_kind kind = { .label = put_label,
						 .lines = put_details,
						 .no_total = true };
	struct arena arena = { 0 };
	struct report r = {
		.table = *t, .opts = *opts, .kind = &kind, .indent = 1, .label_gap = 2
	};
	report_column(&r, (struct column){ "stack", CELL_NOW, STACK_MOST, 8, 0, false, 0 });
	report_column(&r, (struct column){ "frame", CELL_NOW, STACK_FRAME, 8, 1, false, 1 });
	report_column(&r, (struct column){ "kind", CELL_TEXT, STACK_TEXT_KIND, 0, 2, false, 2 });
	report_all_fields(&r, &arena);
	const bool good = report_write(&r, s, err);
	arena_release(&arena);
	return good;
}
