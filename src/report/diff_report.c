/* Adds what a diff of snapshots needs to the report: columns, sections, lines around tables. */
#include "report/diff_report.h"

#include "report/all_fields.h"
#include "report/label_text.h"
#include "report/markdown.h"
#include "report/pss.h"

#include <stdio.h>

/* Order in which changes are listed in text. */
static const enum heft_change told[] = { HEFT_ADDED, HEFT_REMOVED, HEFT_CHANGED,
					 HEFT_MOVED, HEFT_RENAMED, HEFT_UNCHANGED };

/* Writes the counts that are not 0: "12 added, 1 removed". */
void diff_counts_put(const struct diff_report *z, struct sink *s)
{
	const uint64_t *counts = z->counts;
	const char *between = "";
	for (size_t i = 0; i < COUNT_OF(told); i++) {
		if (counts[told[i]] == 0)
			continue;
		sink_printf(s, "%s%" PRIu64 " %s", between, counts[told[i]], change_word(told[i]));
		between = ", ";
	}
	if (*between == '\0')
		sink_text(s, STR("nothing"));
}

static const char debug_line[] = "debug sections";

static void padded_add(struct padded *sum, struct padded size)
{
	sum->before += size.before;
	sum->after += size.after;
}

struct diff_report diff_report_of(const struct snapshot_diff *diff,
				  const struct diff_sections *sections,
				  const struct diff_rows *rows)
{
	const struct diff_section *list = sections->sections.data;
	ASSERT(sections->sections.count > 0); /* The last section is the total */
	const size_t count = sections->sections.count - 1;
	struct diff_report ret = { .sections = list,
				   .section_count = count,
				   .knows_memory = sections->knows_memory,
				   .hides_debug = rows->hides_debug,
				   .counting = rows->counting,
				   .uncharged = !diff->charged && !diff->supersize,
				   .counts = rows->counts };
	ASSERT(ret.section_count == 0 || ret.sections != NULL);
	ret.file = ret.vm = ret.debug = ret.beside = (struct padded){ 0 };
	for (size_t i = 0; i < ret.section_count; i++) {
		const struct diff_section *s = &ret.sections[i];
		padded_add(s->in_file ? &ret.file : &ret.beside, diff_padded(s));
		if (s->in_memory)
			padded_add(&ret.vm, diff_padded(s));
		if (diff_section_is_debug(s))
			padded_add(&ret.debug, diff_padded(s));
	}
	return ret;
}

static void diff_report_put_section(struct sink *s, const char *name, const char *note,
				    struct padded size)
{
	const size_t have = label_width(str_of(name)) + (*note ? strlen(note) + 3 : 0);
	label_put(s, str_of(name), 0);
	if (*note)
		sink_printf(s, " (%s)", note);
	sink_right(s, STR(""), have < 24 ? 24 - have : 0);
	sink_printf(s, "%13s%13s%12s%9s\n", shown_parts(size.before).p, shown_parts(size.after).p,
		    shown_change(size.after - size.before).p,
		    shown_growth(size.after, size.before).p);
}

static const char uncharged_line[] =
	"Sizes with padding: a file of SuperSize does not tell charged bytes.";

const char *diff_total(const struct report *r)
{
	return ((const struct diff_report *)r->ctx)->hides_debug
		       ? "of all rows, without debug sections"
		       : "of all rows";
}

static bool has_own_line(const void *ctx, const struct diff_section *s)
{
	const struct diff_report *d = ctx;
	return s->in_file && !(d->hides_debug && diff_section_is_debug(s));
}

/* Greatest number of sections with a line of their own. Others share a line. */
enum { SECTIONS_MOST = 5 };

static void diff_report_put_others(struct sink *s, size_t count, const char *word,
				   struct padded size)
{
	char name[60];
	snprintf(name, sizeof name, "%zu %s section%s", count, word, count == 1 ? "" : "s");
	if (count > 0)
		diff_report_put_section(s, name, "", size);
}

/* Writes the sections that changed most. Others share a line, and so do unchanged ones. */
static void diff_report_put_sections(const struct report *r, struct sink *s)
{
	const struct diff_report *d = r->ctx;
	const struct diff_section *most[SECTIONS_MOST];
	const size_t shown = diff_most_changed(d->sections, d->section_count, d, has_own_line, most,
					       SECTIONS_MOST);
	const struct padded rest = { d->file.before - d->debug.before,
				     d->file.after - d->debug.after };
	struct padded sizes[2] = { 0 }; /* [0] unchanged sections, [1] all changed ones */
	size_t counts[2] = { 0 };
	for (size_t i = 0; i < d->section_count; i++) {
		const struct padded size = diff_padded(&d->sections[i]);
		if (!has_own_line(d, &d->sections[i]))
			continue;
		padded_add(&sizes[size.before != size.after], size);
		counts[size.before != size.after]++;
	}
	sink_printf(s, "%-24s%13s%13s%12s%9s\n", "section", "old", "new", "delta", "of old");
	for (size_t i = 0; i < shown; i++) {
		const struct padded size = diff_padded(most[i]);
		diff_report_put_section(s, most[i]->name, diff_section_note(most[i]), size);
		padded_add(&sizes[1], (struct padded){ -size.before, -size.after });
	}
	diff_report_put_others(s, counts[1] - shown, "other changed", sizes[1]);
	diff_report_put_others(s, counts[0], "unchanged", sizes[0]);
	if (d->hides_debug) {
		diff_report_put_section(s, "without debug sections", "", rest);
		diff_report_put_section(s, debug_line, "", d->debug);
	}
	diff_report_put_section(s, "TOTAL", "", d->file);
	if (d->beside.before > 0 || d->beside.after > 0)
		diff_report_put_section(s, "not in the file", "", d->beside);
	if (d->knows_memory)
		diff_report_put_section(s, "VM image", "", d->vm);
	sink_text(s, STR("\n"));
	diff_counts_put(d, s);
	if (d->uncharged)
		sink_printf(s, "\n%s", uncharged_line);
	sink_text(s, r->table.top->child_count > 0 ? STR("\n\n") : STR("\n"));
}

/* Appends "FUNCTION (FILE:LINE)". Returns the words after it. */
static struct str came_in_add_by(const struct heft_came_in *c, struct text *out)
{
	char line[24];
	snprintf(line, sizeof line, ":%" PRIu32, c->line);
	text_set(out, str_of(c->by));
	if (*c->file)
		text_add_all(out, " (", c->file, c->line > 0 ? line : "", ")");
	text_add_char(out, '\0');
	return c->change == HEFT_ADDED ? STR(", which is new\n") : STR("\n");
}

/* Writes below the table by whom added rows came in. */
static void diff_report_put_came_in(const struct report *r, struct sink *s)
{
	const struct diff_report *d = r->ctx;
	struct text by = { 0 };
	for (size_t i = 0; i < d->came_in_count; i++) {
		const struct heft_came_in *c = &d->came_in[i];
		if (i == 0)
			sink_text(s, STR("\nCame in by:\n"));
		if (i == 0 || c->what != c[-1].what)
			label_printf(s, "%13s  %s\n", shown_parts((double)c->bytes).p, c->what);
		const struct str after = came_in_add_by(c, &by);
		label_printf(s, "%17s%s", "", by.p);
		sink_text(s, after);
	}
	text_release(&by);
}

static bool has_texts(const struct report *r)
{
	return r->table.text_count > 0;
}

static bool diff_report_has_stacks(const struct report *r)
{
	return r->table.text_count > DIFF_STACK &&
	       strcmp(r->table.texts[DIFF_STACK].name, "stack") == 0;
}

/* Writes the label of a row. If the width of lines is not limited, also writes the path and the
 * previous name. */
static void diff_report_put_label(const struct report *r, const struct heft_row *row,
				  struct text *out)
{
	text_add(out, str_of(row->label));
	if (!row->texts || r->opts.width > 0)
		return;
	if (*row->texts[DIFF_PATH])
		text_add_all(out, "  ", row->texts[DIFF_PATH]);
	if (*row->texts[DIFF_WAS] == '\0')
		return;
	text_add_all(out, " (was ", row->texts[DIFF_WAS]);
	if (*row->texts[DIFF_PAIRED_BY] && row->change != HEFT_RENAMED)
		text_add_all(out, ", paired by its ", row->texts[DIFF_PAIRED_BY]);
	text_add_char(out, ')');
}

/* Writes the path of a row: directories, file, label. */
static void diff_report_put_path(const struct report *r, const struct heft_row *row,
				 struct text *out)
{
	(void)r;
	for (const char *p = row->texts ? row->texts[DIFF_PATH] : ""; *p; p++)
		text_add_char(out, *p == '/' ? ';' : *p == ';' ? ':' : *p);
	if (out->len > 0)
		text_add_char(out, ';');
	for (const char *p = row->label; *p; p++)
		text_add_char(out, *p == ';' ? ':' : *p);
}

static const struct field padded_list[] = {
	{ KEY("padded", "bytes with padding"), FIELD(struct padded, after) },
	{ KEY("base_padded", "bytes with padding of the base"), FIELD(struct padded, before) },
};
const struct fields padded_fields = FIELDS("sizes of both sides", padded_list);

#define SECTION(m) FIELD(struct diff_section, m)
static const struct field section_list[] = {
	{ KEY("section", "its name"), SECTION(name) },
	{ KEY("in_file", "it has bytes in the file"), SECTION(in_file) },
	{ KEY("own", "bytes of symbols"), SECTION(sizes.after) },
	{ KEY("padding", "bytes of padding"), SECTION(sizes.padding_after) },
	{ KEY("base_own", "bytes of symbols of the base"), SECTION(sizes.before) },
	{ KEY("base_padding", "bytes of padding of the base"), SECTION(sizes.padding_before) },
	{ KEY("unchanged", "how many symbols became that"), SECTION(counts[HEFT_UNCHANGED]) },
	{ KEY("changed", "how many symbols became that"), SECTION(counts[HEFT_CHANGED]) },
	{ KEY("added", "how many symbols became that"), SECTION(counts[HEFT_ADDED]) },
	{ KEY("removed", "how many symbols became that"), SECTION(counts[HEFT_REMOVED]) },
	{ KEY("moved", "how many symbols became that"), SECTION(counts[HEFT_MOVED]) },
	{ KEY("renamed", "how many symbols became that"), SECTION(counts[HEFT_RENAMED]) },
};
#undef SECTION
const struct fields diff_section_fields = FIELDS("section", section_list);

static const char *const cause_kinds[CAUSE_KINDS] = {
	[CAUSE_OPTIONS] = "options",   [CAUSE_COMPILER] = "compiler", [CAUSE_VERSION] = "version",
	[CAUSE_OTHER] = "other",       [CAUSE_ONE_UNIT] = "one unit", [CAUSE_CODE] = "code",
	[CAUSE_UNWIND] = "unwind",     [CAUSE_SECTION] = "section",   [CAUSE_SYMBOL] = "symbol",
	[CAUSE_RUNTIME] = "run time",  [CAUSE_PACKAGE] = "package",   [CAUSE_OBJECTS] = "objects",
	[CAUSE_FAMILY] = "family",     [CAUSE_CLASSES] = "classes",   [CAUSE_PADDING] = "padding",
	[CAUSE_LINKER] = "linker",     [CAUSE_RENAMED] = "renamed",   [CAUSE_MOVED] = "moved",
	[CAUSE_CONTENTS] = "contents", [CAUSE_TEXTS] = "texts",       [CAUSE_INLINED] = "inlined",
	[CAUSE_OUTLINED] = "outlined",
};

#define CAUSE(m) FIELD(struct cause, m)
static const struct field cause_list[] = {
	{ KEY("kind", "the rule. `other`: two programs, `one unit`: all sources compiled as one, "
		      "`code`: other sizes of most functions, `outlined`: no longer inlined, "
		      "`objects`: without debug info, "
		      "`family`: a text that names share"),
	  FIELD_AS(FIELD_WORD, struct cause, kind), FIELD_WORDS(cause_kinds) },
	{ KEY("share", "part of the change that it explains, 0 to 1"), CAUSE(share) },
	{ KEY("bytes", "changed bytes that it explains"), CAUSE(bytes) },
	{ KEY("delta", "change of these bytes"), CAUSE(delta) },
	{ KEY("count", "units, functions, symbols, packages or classes. Missing if none"),
	  CAUSE(count), .flags = FIELD_ANY },
	{ KEY("name", "new options, the compiler before, section, symbol, package, object, class "
		      "or text in names. Missing if none"),
	  CAUSE(names[0]), .flags = FIELD_ANY },
	{ KEY("name_2", "dropped options, the compiler after, words. Missing if none"),
	  CAUSE(names[1]), .flags = FIELD_ANY },
	{ KEY("name_3", "version after, path. Missing if none"), CAUSE(names[2]),
	  .flags = FIELD_ANY },
};
#undef CAUSE
const struct fields cause_fields = FIELDS("cause", cause_list);

#define CAME_IN(m) FIELD(struct heft_came_in, m)
static const struct field came_in_list[] = {
	{ KEY("what", "name of the row"), CAME_IN(what) },
	{ KEY("bytes", "bytes of its added symbols in the file, or else in memory"),
	  CAME_IN(bytes) },
	{ KEY("by",
	      "symbol without which nothing would refer to them. Several symbols that brought "
	      "in a part each have an object each"),
	  CAME_IN(by) },
	{ KEY("change", "what happened to this symbol. `added`: it is new. `changed`: it has a new "
			"reference, perhaps with the same size"),
	  FIELD_AS(FIELD_WORD, struct heft_came_in, change), FIELD_WORDS(change_words) },
	{ KEY("file", "source file of the reference. Missing if unknown"), CAME_IN(file),
	  .flags = FIELD_ANY },
	{ KEY("line", "its line. Missing if unknown"), CAME_IN(line), .flags = FIELD_ANY },
};
#undef CAME_IN
const struct fields came_in_fields = FIELDS("came in", came_in_list);

static const struct field diff_list[] = {
	{ KEY("by", "what rows are: `symbol`, `source`, `directory`, `object`, `component`, "
		    "`section`, `container` or `namespace`"),
	  .get = report_by },
	{ KEY("file", "bytes of the file"), FIELD_AS(FIELD_PART, struct diff_report, file),
	  .of = &padded_fields, .flags = FIELD_LINES },
	{ KEY("vm", "bytes of its VM image. Missing if a `.size` file does not tell it"),
	  FIELD_AS(FIELD_PART, struct diff_report, vm), .of = &padded_fields,
	  FIELD_IF(struct diff_report, knows_memory) },
	{ KEY("sections", "by falling size; of all rows, whatever options say"),
	  FIELD_LIST(FIELD_STRUCTS, struct diff_report, sections, section_count),
	  .stride = sizeof(struct diff_section), .flags = FIELD_LINES, .of = &diff_section_fields },
	{ KEY("causes", "what the change comes from ([how](budgets.md#how-the-cause-is-found)), "
			"the first explains most. Missing if none"),
	  FIELD_LIST(FIELD_STRUCTS, struct diff_report, causes, cause_count),
	  .stride = sizeof(struct cause), .flags = FIELD_LINES | FIELD_ANY, .of = &cause_fields },
	{ KEY("came_in",
	      "with `--why`: by whom what was added to the rows came in. Missing if that "
	      "is not sure"),
	  FIELD_LIST(FIELD_STRUCTS, struct diff_report, came_in, came_in_count),
	  .stride = sizeof(struct heft_came_in), .flags = FIELD_LINES | FIELD_ANY,
	  .of = &came_in_fields },
};
const struct fields diff_document_fields = FIELDS("document of a difference", diff_list);

static struct str diff_row_kind(struct field_at *at)
{
	static const char *const words[] = {
		[HEFT_ROW_SECTION] = "section",   [HEFT_ROW_HEADER] = "header",
		[HEFT_ROW_FALLBACK] = "fallback", [HEFT_ROW_LITERAL] = "literal",
		[HEFT_ROW_SUM] = "sum",
	};
	const struct heft_row *row = at->of;
	return row->kind == HEFT_ROW_NAME ? report_by(at) : str_of(words[row->kind]);
}

static const struct field diff_row_list[] = {
	{ KEY("kind", "`symbol` (or what `by` says), `section` (bytes of a section without an "
		      "owner), `header`, `fallback` (other bytes without an owner) or `literal`"),
	  .get = diff_row_kind },
};
const struct fields diff_row_fields = FIELDS("row of a difference", diff_row_list);

static void markdown_section(struct sink *s, const char *name, struct padded size)
{
	sink_text(s, STR("| "));
	markdown_code(s, name, 80);
	sink_printf(s, " | %s | %s | %s | %s |\n", shown_parts(size.before).p,
		    shown_parts(size.after).p, shown_change(size.after - size.before).p,
		    shown_growth(size.after, size.before).p);
}

/* Writes the total, then the tables of sections and rows, in parts that the reader can unfold. */
static void diff_report_markdown_head(const struct report *r, struct sink *s)
{
	const struct diff_report *z = r->ctx;
	/* "+579 bytes (+18% of 3.22Ki), now 3.79Ki" */
	sink_printf(s, "**Size: %s bytes (%s of %s), now %s**\n\n",
		    shown_change(z->file.after - z->file.before).p,
		    shown_growth(z->file.after, z->file.before).p,
		    shown_size(whole_of(z->file.before)).p, shown_size(whole_of(z->file.after)).p);
	diff_counts_put(z, s);
	if (z->uncharged)
		sink_printf(s, "\n\n%s", uncharged_line);
	sink_text(s, STR("\n\n<details><summary>Sections</summary>\n\n"
			 "| section | old | new | delta | of old |\n|---|--:|--:|--:|--:|\n"));
	for (size_t i = 0; i < z->section_count; i++)
		if (!z->hides_debug || !diff_section_is_debug(&z->sections[i]))
			markdown_section(s, z->sections[i].name, diff_padded(&z->sections[i]));
	if (z->hides_debug)
		markdown_section(s, debug_line, z->debug);
	sink_text(s, STR("\n</details>\n\n"));
	if (r->table.top->child_count > 0)
		sink_printf(s, "<details><summary>Largest changes by %s</summary>\n\n",
			    r->table.levels[0]);
}

static void diff_report_markdown_foot(const struct report *r, struct sink *s)
{
	const struct diff_report *d = r->ctx;
	struct text by = { 0 };
	if (r->table.top->child_count > 0)
		sink_text(s, STR("\n</details>\n"));
	for (size_t i = 0; i < d->came_in_count; i++) {
		const struct heft_came_in *c = &d->came_in[i];
		const struct str after = came_in_add_by(c, &by);
		sink_text(s, i == 0 ? STR("\nCame in by:\n\n* ") : STR("* "));
		markdown_code(s, c->what, 80);
		sink_text(s, STR(" by "));
		markdown_code(s, by.p, 120);
		sink_text(s, after);
	}
	text_release(&by);
}

static const struct column fields_charged[] = {
	{ "old_charged", CELL_BASE, HEFT_DIFF_CHARGED },
	{ "new_charged", CELL_NOW, HEFT_DIFF_CHARGED },
	{ "charged_delta", CELL_CHANGE, HEFT_DIFF_CHARGED },
	{ "old_vm", CELL_BASE, HEFT_DIFF_VM },
	{ "new_vm", CELL_NOW, HEFT_DIFF_VM },
};

/* Only DIFF_PADDED uses the first three columns. */
static const struct column fields_own[] = {
	{ "old_padded", CELL_BASE, HEFT_DIFF_PADDED },
	{ "new_padded", CELL_NOW, HEFT_DIFF_PADDED },
	{ "padded_delta", CELL_CHANGE, HEFT_DIFF_PADDED },
	{ "old_own", CELL_BASE, HEFT_DIFF_OWN },
	{ "new_own", CELL_NOW, HEFT_DIFF_OWN },
	{ "own_delta", CELL_CHANGE, HEFT_DIFF_OWN },
	{ "old_padding", CELL_BASE, HEFT_DIFF_PADDING },
	{ "new_padding", CELL_NOW, HEFT_DIFF_PADDING },
};

static void set_fields(struct report *r)
{
	const enum diff_counting counting = ((const struct diff_report *)r->ctx)->counting;
	const size_t first = counting == DIFF_PADDED ? 0 : 3;
	for (unsigned i = 0; has_texts(r) && i < DIFF_WAS; i++)
		report_field(r, r->table.texts[i].name, CELL_TEXT, i);
	if (has_texts(r)) {
		report_field(r, "change", CELL_STATE, 0);
		report_field(r, "was", CELL_TEXT, DIFF_WAS);
		report_field(r, "paired_by", CELL_TEXT, DIFF_PAIRED_BY);
	}
	if (diff_report_has_stacks(r)) {
		report_field(r, "old_stack", CELL_TEXT, DIFF_STACK_WAS);
		report_field(r, "new_stack", CELL_TEXT, DIFF_STACK);
	}
	if (counting == DIFF_CHARGED)
		report_fields(r, fields_charged, COUNT_OF(fields_charged));
	else
		report_fields(r, fields_own + first, COUNT_OF(fields_own) - first);
	for (size_t i = 0; i < COUNT_OF(told); i++)
		report_field(r, change_word(told[i]), CELL_NOW, DIFF_COUNTS + (unsigned)told[i]);
}

void diff_size_columns(struct report *r, bool old_new)
{
	static const char *const titles[][3] = {
		[DIFF_CHARGED] = { "file delta", "file old", "file new" },
		[DIFF_PADDED] = { "delta", "old", "new" },
		[DIFF_SUPERSIZE] = { "own delta", "own old", "own new" },
	};
	const unsigned m = (unsigned)r->table.sorted_by;
	const enum diff_counting counting = m == HEFT_DIFF_CHARGED  ? DIFF_CHARGED
					    : m == HEFT_DIFF_PADDED ? DIFF_PADDED
								    : DIFF_SUPERSIZE;
	const char *const *title = titles[counting];
	if (counting == DIFF_CHARGED)
		report_column(
			r, (struct column){ "VM delta", CELL_CHANGE, HEFT_DIFF_VM, 0, 2, true, 0 });
	report_column(r, (struct column){ title[0], CELL_CHANGE, m, 0, 2, true, 0 });
	if (old_new) {
		report_column(r, (struct column){ title[1], CELL_BASE, m, 0, 2, false, 1 });
		report_column(r, (struct column){ title[2], CELL_NOW, m, 0, 2, false, 0 });
	}
	if (old_new && counting == DIFF_SUPERSIZE)
		report_column(r, (struct column){ "padding", CELL_EXTRA, HEFT_DIFF_PADDING, 0, 2,
						  false, 3 });
}

static void diff_report_set_columns(struct report *r)
{
	diff_size_columns(r, true);
	if (diff_report_has_stacks(r)) {
		report_column(r, (struct column){ "stack old", CELL_TEXT, DIFF_STACK_WAS, 0, 2,
						  false, 0, true });
		report_column(r, (struct column){ "stack new", CELL_TEXT, DIFF_STACK, 0, 2, false,
						  0, true });
	}
	if (!has_texts(r))
		return;
	report_column(r, (struct column){ "change", CELL_STATE, 0, 0, 2, false, 0 });
	report_column(r, (struct column){ "section", CELL_TEXT, DIFF_SECTION, 0, 2, false, 2 });
	if (r->opts.format == HEFT_MARKDOWN)
		report_column(r, (struct column){ "path", CELL_TEXT, DIFF_PATH, 0, 2, false, 0 });
}

void diff_report_init(struct report *r)
{
	static const struct report_kind kind = {
		.above = diff_report_put_sections,
		.below = diff_report_put_came_in,
		.label = diff_report_put_label,
		.path = diff_report_put_path,
		.document = &diff_document_fields,
		.row = &diff_row_fields,
		.markdown_head = diff_report_markdown_head,
		.markdown_foot = diff_report_markdown_foot,
		.total = diff_total,
		.no_empty_table = true,
	};
	ASSERT(r->ctx != NULL && r->table.measures == diff_measures);
	r->kind = &kind;
	r->label_gap = 2;
	diff_report_set_columns(r);
	set_fields(r);
}
