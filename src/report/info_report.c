#include "report/info_report.h"

#include "base/err.h"
#include "report/label_text.h"

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

/* What a line below a row says first, and of what. */
static const struct detail {
	const char *title;
	enum info_text text;
} details[] = {
	{ "format", INFO_FORMAT },
	{ "build id", INFO_BUILD_ID },
	{ "DWARF version", INFO_DWARF },
	{ "debug file", INFO_DEBUG_PATH },
	{ "text relocations", INFO_TEXTREL },
	{ "fortified calls", INFO_FORTIFY },
	{ "run path", INFO_RUNPATH },
	{ "package", INFO_PACKAGE },
	{ "may open", INFO_OPENS },
	{ "made by", INFO_MADE_BY },
	{ "made of", INFO_PARTS },
	{ "build settings", INFO_SETTINGS },
	{ "bytes a thread", INFO_THREAD },
	{ "members", INFO_MEMBERS },
	{ "relocations", INFO_RELOCATION_KINDS },
	{ "could be saved", INFO_SAVING_KINDS },
	{ "copy of", INFO_COPY_OF },
};

/* Items of a list have a line each. */
static bool info_report_is_list(enum info_text text)
{
	return text == INFO_OPENS || text == INFO_MADE_BY || text == INFO_PARTS ||
	       text == INFO_SETTINGS;
}

static void put_detail(const struct detail *d, struct str text, struct sink *s)
{
	const struct str apart = STR(", ");
	const char *title = d->title;
	while (text.len > 0) {
		size_t len = 0;
		while (len < text.len &&
		       !(info_report_is_list(d->text) &&
			 str_starts((struct str){ text.p + len, text.len - len }, apart)))
			len++;
		sink_printf(s, "    %-18s", title);
		label_put(s, (struct str){ text.p, len }, 0);
		sink_text(s, STR("\n"));
		len = min_u64(text.len, len + apart.len);
		text = (struct str){ text.p + len, text.len - len };
		title = "";
	}
}

static void info_report_put_details(const struct report *r, const struct heft_row *row,
				    size_t column, struct sink *s)
{
	(void)column;
	for (size_t i = 0; i < COUNT_OF(details) && r->opts.full; i++)
		put_detail(&details[i], str_of(row->texts[details[i].text]), s);
}

static bool has_copies(const struct heft_table *t)
{
	return t->top->now[INFO_COPIED].whole > 0;
}

/* What a row of 80 columns has no room for goes in this order, the largest first. */
static void info_report_set_columns(struct report *r)
{
	const struct {
		const char *title;
		enum info_text text;
		unsigned spare;
	} shown[] = {
		{ "kind", INFO_KIND, 0 },       { "linked", INFO_LINKED, 3 },
		{ "machine", INFO_MACHINE, 6 }, { "symbols", INFO_SYMBOLS, 0 },
		{ "debug", INFO_DEBUG, 0 },     { "relro", INFO_RELRO, 4 },
		{ "pie", INFO_PIE, 4 },         { "nx", INFO_NX, 4 },
		{ "canary", INFO_CANARY, 5 },   { "features", INFO_FEATURES, 7 },
	};
	report_column(r, (struct column){ "size", CELL_NOW, INFO_BYTES, 7, 1, false, 0 });
	report_column(r, (struct column){ "relocs", CELL_NOW, INFO_RELOCATIONS, 7, 1, false, 2 });
	report_column(r, (struct column){ "savings", CELL_NOW, INFO_SAVINGS, 7, 1, false, 1 });
	if (has_copies(&r->table))
		report_column(r,
			      (struct column){ "copied", CELL_NOW, INFO_COPIED, 7, 1, false, 8 });
	for (size_t i = 0; i < COUNT_OF(shown); i++)
		report_column(r, (struct column){ shown[i].title, CELL_TEXT, shown[i].text, 0, 2,
						  false, shown[i].spare });
}

/* What is told of copies below the table. */
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
	info_report_set_columns(&r);
	report_all_fields(&r, &arena);
	const bool good = report_write(&r, s, err);
	arena_release(&arena);
	return good;
}
