/* Writes the table of facts about files. */
#include "report/report.h"

#include "base/err.h"
#include "measure/info_rows.h"
#include "report/label_text.h"

#include <stdio.h>

/* Title of a line below a row, and the text that the line shows. */
static const struct detail {
	const char *title;
	enum info_text text;
	bool list; /* True if the text is a list: write one line per item */
} details[] = {
	{ "format", INFO_FORMAT },
	{ "build id", INFO_BUILD_ID },
	{ "DWARF version", INFO_DWARF },
	{ "debug file", INFO_DEBUG_PATH },
	{ "text relocations", INFO_TEXTREL },
	{ "fortified calls", INFO_FORTIFY },
	{ "run path", INFO_RUNPATH },
	{ "package", INFO_PACKAGE },
	{ "may open", INFO_OPENS, true },
	{ "made by", INFO_MADE_BY, true },
	{ "made of", INFO_PARTS, true },
	{ "build settings", INFO_SETTINGS, true },
	{ "bytes a thread", INFO_THREAD },
	{ "members", INFO_MEMBERS },
	{ "relocations", INFO_RELOCATION_KINDS },
	{ "could be saved", INFO_SAVING_KINDS },
	{ "copy of", INFO_COPY_OF },
};

static void info_report_put_details(const struct report *r, const struct heft_row *row,
				    size_t column, struct sink *s)
{
	(void)column;
	for (const struct detail *d = details; d < details + COUNT_OF(details); d++) {
		const char *text = row->texts[d->text];
		char title[4 + 18 + 1];
		snprintf(title, sizeof title, "    %-18s", d->title);
		if (r->opts.full && d->list)
			label_list(s, str_of(text), STR(", "), NULL, title,
				   "                      ");
		else if (r->opts.full && *text)
			label_printf(s, "%s%s\n", title, text);
	}
}

static bool has_copies(const struct heft_table *t)
{
	return t->top->now[INFO_COPIED] > 0;
}

/* Writes, below the table, what is known about identical copies of code or data. */
static void put_foot(const struct report *r, struct sink *s)
{
	char room[CELL_MAX];
	const struct heft_table *t = &r->table;
	const struct column copied = { .cell = CELL_NOW, .index = INFO_COPIED };
	if (has_copies(t))
		sink_printf(s, "\n%s of the bytes are in files that are copies of others.\n",
			    cell_text(room, r, &copied, t->top, t->top));
}

bool info_report_write(const struct heft_table *t, const struct heft_write_opts *opts,
		       struct sink *s, struct heft_err *err)
{
	static const struct report_kind kind = { .lines = info_report_put_details,
						 .below = put_foot };
	struct arena arena = { 0 };
	struct report r = {
		.table = *t, .opts = *opts, .kind = &kind, .indent = 1, .label_gap = 2
	};
	if (!list_has_format(opts->format, HEFT_TABLE, err))
		return false;
	ASSERT(t->text_count == INFO_TEXTS && t->measure_count == INFO_MEASURES);
	/* Sets the columns. If a line of 80 columns lacks room, drops columns in this order, the
	 * highest number first. */
	static const struct column columns[] = {
		{ "size", CELL_NOW, INFO_BYTES, 7, 1 },
		{ "relocs", CELL_NOW, INFO_RELOCATIONS, 7, 1, .spare = 4 },
		{ "savings", CELL_NOW, INFO_SAVINGS, 7, 1, .spare = 1 },
		{ "copied", CELL_NOW, INFO_COPIED, 7, 1, .spare = 8 },
		{ "kind", CELL_TEXT, INFO_KIND, 0, 2 },
		{ "linked", CELL_TEXT, INFO_LINKED, 0, 2, .spare = 5 },
		{ "machine", CELL_TEXT, INFO_MACHINE, 0, 2, .spare = 6 },
		{ "symbols", CELL_TEXT, INFO_SYMBOLS, 0, 2 },
		{ "debug", CELL_TEXT, INFO_DEBUG, 0, 2 },
		{ "relro", CELL_TEXT, INFO_RELRO, 0, 2, .spare = 2 },
		{ "pie", CELL_TEXT, INFO_PIE, 0, 2, .spare = 2 },
		{ "nx", CELL_TEXT, INFO_NX, 0, 2, .spare = 2 },
		{ "canary", CELL_TEXT, INFO_CANARY, 0, 2, .spare = 3 },
		{ "features", CELL_TEXT, INFO_FEATURES, 0, 2, .spare = 7 },
	};
	for (size_t i = 0; i < COUNT_OF(columns); i++)
		if (columns[i].cell != CELL_NOW || columns[i].index != INFO_COPIED ||
		    has_copies(&r.table))
			report_column(&r, columns[i]);
	report_all_fields(&r, &arena);
	const bool good = report_write(&r, s, err);
	arena_release(&arena);
	return good;
}
