#include "report/diff_report.h"

#include "image/image.h"
#include "report/all_fields.h"
#include "report/markdown.h"
#include "report/pss.h"

#include <stdio.h>

/* The order in which people are told. */
static const enum heft_change told[] = { HEFT_ADDED, HEFT_REMOVED, HEFT_CHANGED,
					 HEFT_MOVED, HEFT_RENAMED, HEFT_UNCHANGED };

/* "12 added, 1 removed" of what is not 0. */
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

struct padded diff_padded(const struct diff_section *s)
{
	const struct diff_sizes *z = &s->sizes;
	return (struct padded){ z->before + z->padding_before, z->after + z->padding_after };
}

/* Of the sections that are in the file: the file itself. */
static bool is_in_file(const struct diff_section *s)
{
	return s->in_file;
}

static bool diff_report_is_beside(const struct diff_section *s)
{
	return !s->in_file;
}

/* Debug info, where it is one line. */
static bool diff_report_is_hidden(const struct diff_report *z, const struct diff_section *s)
{
	return z->hides_debug && section_name_is_debug(str_of(s->name));
}

static bool diff_report_is_debug(const struct diff_section *s)
{
	return section_name_is_debug(str_of(s->name));
}

/* The VM image. */
static bool is_in_memory(const struct diff_section *s)
{
	return s->in_memory;
}

static struct padded diff_report_sum_of(const struct diff_report *z,
					bool (*is)(const struct diff_section *))
{
	struct padded sum = { 0 };
	for (size_t i = 0; i < z->section_count; i++) {
		const struct padded p = diff_padded(&z->sections[i]);
		if (!is(&z->sections[i]))
			continue;
		sum.before += p.before;
		sum.after += p.after;
	}
	return sum;
}

struct padded diff_file(const struct diff_report *z)
{
	return diff_report_sum_of(z, is_in_file);
}

struct padded diff_vm(const struct diff_report *z)
{
	return diff_report_sum_of(z, is_in_memory);
}

static uint64_t diff_report_whole(double v)
{
	return v > 0 ? (uint64_t)(v + 0.5) : 0;
}

void padded_growth(char out[NUMBER_MAX], struct padded size)
{
	number_growth(out, diff_report_whole(size.after), diff_report_whole(size.before));
}

void padded_put(struct padded size, struct sink *s)
{
	char text[PSS_MAX], now[NUMBER_MAX], growth[NUMBER_MAX];
	pss_change(text, size.after - size.before);
	number_size(now, diff_report_whole(size.after), 0);
	padded_growth(growth, size);
	sink_printf(s, "%s bytes (%s), now %s", text, growth, now);
}

/* ---- the table ------------------------------------------------------------------------------- */

static void put_right(struct sink *s, const char *text, size_t width)
{
	sink_right(s, str_of(text), width);
}

static void diff_report_put_section(struct sink *s, const char *name, struct padded size)
{
	char text[PSS_MAX], growth[NUMBER_MAX];
	sink_printf(s, "%-24s", name);
	pss_text(text, size.before);
	put_right(s, text, 13);
	pss_text(text, size.after);
	put_right(s, text, 13);
	pss_change(text, size.after - size.before);
	put_right(s, text, 12);
	padded_growth(growth, size);
	put_right(s, growth, 9);
	sink_text(s, STR("\n"));
}

static bool is_unchanged(const struct diff_section *s)
{
	const struct padded size = diff_padded(s);
	return s->in_file && size.before == size.after;
}

static const char uncharged_line[] =
	"Sizes with padding: a file of SuperSize does not tell charged bytes.";

/* Sections that did not change are one row. */
static void diff_report_put_sections(const struct report *r, struct sink *s)
{
	const struct diff_report *d = r->ctx;
	const struct padded rest = diff_report_sum_of(d, diff_report_is_beside);
	struct padded unchanged = { 0 };
	size_t unchanged_count = 0;
	sink_printf(s, "%-24s%13s%13s%12s\n", "section", "old", "new", "delta");
	for (size_t i = 0; i < d->section_count; i++) {
		const struct diff_section *sec = &d->sections[i];
		const struct padded size = diff_padded(sec);
		if (!sec->in_file || diff_report_is_hidden(d, sec))
			continue;
		if (!is_unchanged(sec)) {
			diff_report_put_section(s, sec->name, size);
			continue;
		}
		unchanged.before = unchanged.after += size.after;
		unchanged_count++;
	}
	if (unchanged_count > 0) {
		char name[40];
		snprintf(name, sizeof name, "%zu unchanged section%s", unchanged_count,
			 unchanged_count == 1 ? "" : "s");
		diff_report_put_section(s, name, unchanged);
	}
	if (d->hides_debug)
		diff_report_put_section(s, debug_line, diff_report_sum_of(d, diff_report_is_debug));
	diff_report_put_section(s, "TOTAL", diff_file(d));
	if (rest.before > 0 || rest.after > 0)
		diff_report_put_section(s, "not in the file", rest);
	if (d->knows_memory)
		diff_report_put_section(s, "VM image", diff_vm(d));
	sink_text(s, STR("\n"));
	diff_counts_put(d, s);
	if (d->uncharged)
		sink_printf(s, "\n%s", uncharged_line);
	sink_text(s, r->table.top->child_count > 0 ? STR("\n\n") : STR("\n"));
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

/* Where lines have no end, with the path and what it was before. */
static void diff_report_put_label(const struct report *r, const struct heft_row *row,
				  struct text *out)
{
	text_add(out, str_of(row->label));
	if (!row->texts || r->opts.width > 0)
		return;
	if (*row->texts[DIFF_PATH]) {
		text_add(out, STR("  "));
		text_add(out, str_of(row->texts[DIFF_PATH]));
	}
	if (*row->texts[DIFF_WAS]) {
		text_add(out, STR(" (was "));
		text_add(out, str_of(row->texts[DIFF_WAS]));
		if (*row->texts[DIFF_PAIRED_BY] && row->change != HEFT_RENAMED) {
			text_add(out, STR(", known by its "));
			text_add(out, str_of(row->texts[DIFF_PAIRED_BY]));
		}
		text_add(out, STR(")"));
	}
}

/* The directories, the file, the label. */
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

/* ---- JSON ------------------------------------------------------------------------------------ */

static const struct field padded_list[] = {
	{ KEY("padded", "bytes with padding"), FIELD(struct padded, after) },
	{ KEY("base_padded", "bytes with padding of the base"), FIELD(struct padded, before) },
};
const struct fields padded_fields = FIELDS("sizes of both sides", padded_list);

static void diff_put_file(const struct field_at *at, struct json *j)
{
	const struct padded sum = diff_file(at->of);
	fields_object(j, &padded_fields, &sum, at->in);
}

static void diff_put_vm(const struct field_at *at, struct json *j)
{
	const struct padded sum = diff_vm(at->of);
	fields_object(j, &padded_fields, &sum, at->in);
}

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

static const struct field diff_list[] = {
	{ KEY("by", "what rows are: `symbol`, `source`, `directory`, `object`, `component`, "
		    "`section`, `container` or `namespace`"),
	  .get = report_by },
	{ KEY("file", "bytes of the file"), .kind = FIELD_PUT, .put = diff_put_file,
	  .type = "sizes of both sides", .flags = FIELD_LINES },
	{ KEY("vm", "bytes of its VM image. Missing if a `.size` file does not tell it"),
	  .kind = FIELD_PUT, .put = diff_put_vm, .type = "sizes of both sides",
	  FIELD_IF(struct diff_report, knows_memory) },
	{ KEY("sections", "by falling size; of all rows, whatever options say"),
	  FIELD_LIST(FIELD_STRUCTS, struct diff_report, sections, section_count),
	  .stride = sizeof(struct diff_section), .flags = FIELD_LINES, .of = &diff_section_fields },
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

/* ---- Markdown -------------------------------------------------------------------------------- */

static void markdown_cell(struct sink *s, double v, bool change)
{
	char text[PSS_MAX];
	if (change)
		pss_change(text, v);
	else
		pss_text(text, v);
	sink_printf(s, " %s |", text);
}

static void markdown_section(struct sink *s, const char *name, struct padded size)
{
	char growth[NUMBER_MAX];
	sink_text(s, STR("| "));
	markdown_code(s, name, 80);
	sink_text(s, STR(" |"));
	markdown_cell(s, size.before, false);
	markdown_cell(s, size.after, false);
	markdown_cell(s, size.after - size.before, true);
	padded_growth(growth, size);
	sink_printf(s, " %s |\n", growth);
}

/* The total in front, the tables folded up. */
static void diff_report_markdown_head(const struct report *r, struct sink *s)
{
	const struct diff_report *z = r->ctx;
	sink_text(s, STR("**Size: "));
	padded_put(diff_file(z), s);
	sink_text(s, STR("**\n\n"));
	diff_counts_put(z, s);
	if (z->uncharged)
		sink_printf(s, "\n\n%s", uncharged_line);
	sink_text(s, STR("\n\n<details><summary>Sections</summary>\n\n"
			 "| section | old | new | delta | |\n|---|--:|--:|--:|--:|\n"));
	for (size_t i = 0; i < z->section_count; i++)
		if (!diff_report_is_hidden(z, &z->sections[i]))
			markdown_section(s, z->sections[i].name, diff_padded(&z->sections[i]));
	if (z->hides_debug)
		markdown_section(s, debug_line, diff_report_sum_of(z, diff_report_is_debug));
	sink_text(s, STR("\n</details>\n\n"));
	if (r->table.top->child_count > 0)
		sink_printf(s, "<details><summary>Largest changes by %s</summary>\n\n",
			    r->table.levels[0]);
}

static void diff_report_markdown_foot(const struct report *r, struct sink *s)
{
	if (r->table.top->child_count > 0)
		sink_text(s, STR("\n</details>\n"));
}

/* ---- all together ---------------------------------------------------------------------------- */

static enum diff_counting counting_of(const struct report *r)
{
	return ((const struct diff_report *)r->ctx)->counting;
}

static void fields_of_sizes(struct report *r, enum diff_counting counting)
{
	if (counting == DIFF_CHARGED) {
		report_field(r, "old_charged", CELL_BASE, HEFT_DIFF_CHARGED);
		report_field(r, "new_charged", CELL_NOW, HEFT_DIFF_CHARGED);
		report_field(r, "charged_delta", CELL_CHANGE, HEFT_DIFF_CHARGED);
		report_field(r, "old_vm", CELL_BASE, HEFT_DIFF_VM);
		report_field(r, "new_vm", CELL_NOW, HEFT_DIFF_VM);
		return;
	}
	if (counting == DIFF_PADDED) {
		report_field(r, "old_padded", CELL_BASE, HEFT_DIFF_PADDED);
		report_field(r, "new_padded", CELL_NOW, HEFT_DIFF_PADDED);
		report_field(r, "padded_delta", CELL_CHANGE, HEFT_DIFF_PADDED);
	}
	report_field(r, "old_own", CELL_BASE, HEFT_DIFF_OWN);
	report_field(r, "new_own", CELL_NOW, HEFT_DIFF_OWN);
	report_field(r, "own_delta", CELL_CHANGE, HEFT_DIFF_OWN);
	report_field(r, "old_padding", CELL_BASE, HEFT_DIFF_PADDING);
	report_field(r, "new_padding", CELL_NOW, HEFT_DIFF_PADDING);
}

static void set_fields(struct report *r)
{
	static const char *const texts[] = { "in_section", "path", "in_component", "in_container" };
	for (unsigned i = 0; has_texts(r) && i < COUNT_OF(texts); i++)
		report_field(r, texts[i], CELL_TEXT, i);
	if (has_texts(r)) {
		report_field(r, "change", CELL_STATE, 0);
		report_field(r, "was", CELL_TEXT, DIFF_WAS);
		report_field(r, "paired_by", CELL_TEXT, DIFF_PAIRED_BY);
	}
	if (diff_report_has_stacks(r)) {
		report_field(r, "old_stack", CELL_TEXT, DIFF_STACK_WAS);
		report_field(r, "new_stack", CELL_TEXT, DIFF_STACK);
	}
	fields_of_sizes(r, counting_of(r));
	for (size_t i = 0; i < COUNT_OF(told); i++)
		report_field(r, change_word(told[i]), CELL_NOW,
			     HEFT_DIFF_COUNTS + (unsigned)told[i]);
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
		.label = diff_report_put_label,
		.path = diff_report_put_path,
		.document = &diff_document_fields,
		.row = &diff_row_fields,
		.markdown_head = diff_report_markdown_head,
		.markdown_foot = diff_report_markdown_foot,
		.total = DIFF_TOTAL,
		.no_empty_table = true,
	};
	r->kind = &kind;
	r->label_gap = 2;
	diff_report_set_columns(r);
	set_fields(r);
}
