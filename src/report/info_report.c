/* Writes the table of facts about files. */
#include "report/info_report.h"

#include "base/err.h"
#include "report/label_text.h"

#include <stdio.h>

const struct heft_text info_texts[INFO_TEXTS] = {
	[INFO_KIND] = { "kind", false,
			"`program`, `library`, `object`, `kernel module`, `core`, `archive` or "
			"`debug file`" },
	[INFO_LINKED] = { "linked", false, "`dynamic` or `static`" },
	[INFO_FORMAT] = { "format", false, "`ELF 64-bit LSB`" },
	[INFO_MACHINE] = { "machine", false, "`x86-64`" },
	[INFO_SYMBOLS] = { "symbols", false,
			   "`all`, `dynamic`, `packed`, `go` (Go's runtime tables), `kernel` "
			   "(kallsyms) or `none`" },
	[INFO_DEBUG] = { "debug", false,
			 "`inside`, `beside`, `objects` (a Mach-O debug map names them) or "
			 "`none`" },
	[INFO_DEBUG_PATH] = { "debug_path", false, "the debug file beside it" },
	[INFO_DWARF] = { "dwarf", true, "version of the first unit in the file" },
	[INFO_BUILD_ID] = { "build_id", false, "hexadecimal" },
	[INFO_RELRO] = { "relro", false, "`yes`, `partial` or `no`" },
	[INFO_PIE] = { "pie", false, "`yes` or `no`" },
	[INFO_NX] = { "nx", false, "`yes` or `no`" },
	[INFO_CANARY] = { "canary", false, "`yes`, `no` or `unknown`" },
	[INFO_FORTIFY] = { "fortify", false, "`yes`, `no` or `unknown`" },
	[INFO_TEXTREL] = { "textrel", false, "`yes` or `no`" },
	[INFO_FEATURES] = { "features", false,
			    "`ibt`, `shstk`, `bti`, `pac`, with a blank between" },
	[INFO_RUNPATH] = { "runpath", false, "as the file has it" },
	[INFO_MEMBERS] = { "members", true, "of an archive" },
	[INFO_RELOCATION_KINDS] = { "relocation_kinds", false,
				    "the kinds and how many: `relative 12, plt 3`" },
	[INFO_SAVING_KINDS] = { "saving_kinds", false,
				"the kinds and how many bytes: `debug info 1234, symbol table "
				"56`" },
	[INFO_COPY_OF] = { "copy_of", false, "path of the file with the same bytes" },
	[INFO_PACKAGE] = { "package", false,
			   "of the note `.note.package`: type, name, version, architecture, "
			   "system" },
	[INFO_OPENS] = { "opens", false,
			 "libraries that it may open while it runs, of the notes `.note.dlopen`: "
			 "`libx.so.1 or libx.so.0 (feature: priority)`" },
	[INFO_MADE_BY] = { "made_by", false, "compilers and linkers, as they name themselves" },
	[INFO_PARTS] = { "parts", false,
			 "modules of Go, crates that `cargo auditable` lists, the own first: `NAME "
			 "VERSION`, then ` (build)` if only the build ran it" },
	[INFO_SETTINGS] = { "settings", false, "of a build by Go: `GOOS=linux`" },
	[INFO_THREAD] = { "thread_bytes", true,
			  "bytes of variables that each thread has a copy of, `.tdata` and "
			  "`.tbss`" },
};

const struct heft_measure info_measures[INFO_MEASURES] = {
	[INFO_BYTES] = { .name = "bytes",
			 .title = "size",
			 .unit = HEFT_BYTES,
			 .what = "bytes of the file" },
	[INFO_RELOCATIONS] = { .name = "relocations",
			       .title = "relocs",
			       .unit = HEFT_COUNT,
			       .what = "how many relocations it has" },
	[INFO_SAVINGS] = { .name = "savings",
			   .title = "savings",
			   .unit = HEFT_BYTES,
			   .what = "bytes that the file could do without" },
	[INFO_COPIED] = { .name = "copied",
			  .title = "copied",
			  .unit = HEFT_BYTES,
			  .what = "its bytes if the file is a copy of one before it, else 0" },
};

/* ---- the table ------------------------------------------------------------------------------- */

/* Title of a line below a row, and the text that it shows. */
static const struct detail {
	const char *title;
	enum info_text text;
	bool list; /* The text is a list: each item has a line. */
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

/* Sets the columns. If a row of 80 columns has no room, columns are dropped in this order, the
 * largest first. */
static void info_report_set_columns(struct report *r)
{
	static const struct column columns[] = {
		{ "size", CELL_NOW, INFO_BYTES, 7, 1 },
		{ "relocs", CELL_NOW, INFO_RELOCATIONS, 7, 1, .spare = 2 },
		{ "savings", CELL_NOW, INFO_SAVINGS, 7, 1, .spare = 1 },
		{ "copied", CELL_NOW, INFO_COPIED, 7, 1, .spare = 8 },
		{ "kind", CELL_TEXT, INFO_KIND, 0, 2 },
		{ "linked", CELL_TEXT, INFO_LINKED, 0, 2, .spare = 3 },
		{ "machine", CELL_TEXT, INFO_MACHINE, 0, 2, .spare = 6 },
		{ "symbols", CELL_TEXT, INFO_SYMBOLS, 0, 2 },
		{ "debug", CELL_TEXT, INFO_DEBUG, 0, 2 },
		{ "relro", CELL_TEXT, INFO_RELRO, 0, 2, .spare = 4 },
		{ "pie", CELL_TEXT, INFO_PIE, 0, 2, .spare = 4 },
		{ "nx", CELL_TEXT, INFO_NX, 0, 2, .spare = 4 },
		{ "canary", CELL_TEXT, INFO_CANARY, 0, 2, .spare = 5 },
		{ "features", CELL_TEXT, INFO_FEATURES, 0, 2, .spare = 7 },
	};
	for (size_t i = 0; i < COUNT_OF(columns); i++)
		if (columns[i].cell != CELL_NOW || columns[i].index != INFO_COPIED ||
		    has_copies(&r->table))
			report_column(r, columns[i]);
}

/* Writes what is known about copies below the table. */
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
	if (opts->format == HEFT_FOLDED || opts->format == HEFT_PPROF)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "this report has no such format");
	ASSERT(t->text_count == INFO_TEXTS && t->measure_count == INFO_MEASURES);
	info_report_set_columns(&r);
	report_all_fields(&r, &arena);
	const bool good = report_write(&r, s, err);
	arena_release(&arena);
	return good;
}
