/* What reports of sizes add to the formats.  The table is laid out as the reference tool's. */
#include "base/number.h"
#include "report/all_fields.h"

#include <stdio.h>

/* Columns of one domain: percent, size; with old_new two sizes before; widths and gaps. */
enum { REGION_WIDTH = 8, FULL_WIDTH = 7, STACK_WIDTH = 8 };
enum {
	PERCENT_WIDTH = 6,
	BYTES_WIDTH = 8,
	OLD_WIDTH = 7,
	COUNT_WIDTH = 7,
	COPIES_WIDTH = 7,
	LABEL_GAP = 4
};

/* The last is that of code. */
const struct heft_measure size_measures[HEFT_SIZE_MEASURES + 1] = {
	[HEFT_SIZE_FILE] = { "file", "file", HEFT_BYTES, false, false, "bytes in the file" },
	[HEFT_SIZE_VM] = { "vm", "vm", HEFT_BYTES, false, false, "bytes in the VM image" },
	[HEFT_SIZE_COUNT] = { "count", "symbols", HEFT_COUNT, false, false,
			      "distinct symbols that own some of these bytes" },
	[HEFT_SIZE_COPIES] = { "copies", "copies", HEFT_BYTES, false, false,
			       "bytes in the file of all instances but the largest" },
	[HEFT_SIZE_MEASURES] = { "code", "code", HEFT_BYTES, false, false,
				 "bytes in executable sections" },
};

/* Whether the table has a measure behind those of sizes, by its name. */
static bool size_report_has(const struct report *r, unsigned m, const char *name)
{
	return m < r->table.measure_count && strcmp(r->table.measures[m].name, name) == 0;
}

static unsigned code_measure(const struct report *r)
{
	return (unsigned)r->table.measure_count - 1;
}

static bool shows_code(const struct report *r)
{
	return size_report_has(r, code_measure(r), "code");
}

static bool shows(const struct report *r, enum heft_size_measure m)
{
	const unsigned domain = r->opts.domain ? r->opts.domain : HEFT_BOTH;
	switch (m) {
	case HEFT_SIZE_FILE: return domain & HEFT_FILE;
	case HEFT_SIZE_VM: return domain & HEFT_VM;
	case HEFT_SIZE_COUNT: return size_report_has(r, m, "count");
	case HEFT_SIZE_COPIES: return size_report_has(r, m, "copies");
	case HEFT_SIZE_MEASURES: break;
	}
	return false;
}

static unsigned domain_count(const struct report *r)
{
	return (unsigned)shows(r, HEFT_SIZE_FILE) + (unsigned)shows(r, HEFT_SIZE_VM);
}

static bool has_old_new(const struct report *r)
{
	return r->opts.old_new && r->table.diff;
}

/* Texts of a table of sizes are of stacks (bytes, what they do not hold), then of memory regions:
 * length, what is free, percent in use. */
static bool size_report_has_stacks(const struct report *r)
{
	return r->table.text_count > 0 && strcmp(r->table.texts[0].name, "stack") == 0;
}

static unsigned first_of_regions(const struct report *r)
{
	return size_report_has_stacks(r) ? 2 : 0;
}

static bool has_regions(const struct report *r)
{
	return r->table.text_count > first_of_regions(r);
}

/* ---- the table ------------------------------------------------------------------------------- */

static void size_report_put_head(const struct report *r, struct sink *s)
{
	/* A header takes one column more a domain than a row does; a row has one in front. */
	const int extra = (int)domain_count(r) + (int)shows_code(r);
	const int count_pad = COUNT_WIDTH + 1 - extra;
	const struct str title[] = { STR("    FILE SIZE   "), STR("     VM SIZE    ") };
	for (unsigned m = 0; m < COUNT_OF(title); m++) {
		if (shows(r, m) && has_old_new(r))
			sink_text(s, STR("     OLD     NEW"));
		if (shows(r, m))
			sink_text(s, title[m]);
	}
	if (shows_code(r))
		sink_text(s, STR("      CODE      "));
	if (shows(r, HEFT_SIZE_COUNT))
		sink_printf(s, "%*s ", count_pad, "COUNT");
	if (shows(r, HEFT_SIZE_COPIES))
		sink_text(s, STR(" COPIES "));
	if (has_regions(r))
		sink_printf(s, "%*s %*s %*s", REGION_WIDTH, "REGION", REGION_WIDTH, "FREE",
			    FULL_WIDTH, "% USED");
	if (size_report_has_stacks(r))
		sink_printf(s, " %*s", STACK_WIDTH, "STACK");
	sink_text(s, STR("\n"));
	for (unsigned m = 0; m < COUNT_OF(title); m++) {
		if (shows(r, m) && has_old_new(r))
			sink_text(s, STR(" ------- -------"));
		if (shows(r, m))
			sink_text(s, STR(" -------------- "));
	}
	if (shows_code(r))
		sink_text(s, STR(" -------------- "));
	if (shows(r, HEFT_SIZE_COUNT))
		sink_printf(s, "%.*s ", count_pad, "-------");
	if (shows(r, HEFT_SIZE_COPIES))
		sink_text(s, STR("------- "));
	if (has_regions(r))
		sink_text(s, STR("-------- -------- -------"));
	if (size_report_has_stacks(r))
		sink_text(s, STR(" --------"));
	sink_text(s, STR("\n"));
}

static void domain_columns(struct report *r, unsigned m, const char *title)
{
	const bool diff = r->table.diff;
	if (has_old_new(r)) {
		report_column(r, (struct column){ "old", CELL_BASE, m, OLD_WIDTH, 1, false, 0 });
		report_column(r, (struct column){ "new", CELL_NOW, m, OLD_WIDTH, 1, false, 0 });
	}
	report_column(r, (struct column){ diff ? "" : "%", diff ? CELL_GROWTH : CELL_SHARE, m,
					  PERCENT_WIDTH, 1, true, 0 });
	report_column(r, (struct column){ title, CELL_CHANGE, m, BYTES_WIDTH, 0, false, 0 });
}

/* The share is that of all code: rows are ordered by it. */
static void code_columns(struct report *r, unsigned m)
{
	const bool diff = r->table.diff;
	report_column(r, (struct column){ diff ? "" : "%", diff ? CELL_GROWTH : CELL_PART, m,
					  PERCENT_WIDTH, 1, true, 0 });
	report_column(r, (struct column){ "code", CELL_CHANGE, m, BYTES_WIDTH, 0, false, 0 });
}

/* Whether the row says nothing in a domain: no bytes, or in a diff no change. */
static bool is_still(const struct report *r, const struct heft_row *row, enum heft_size_measure m)
{
	return row->now[m].whole == (r->table.diff ? row->base[m].whole : 0);
}

/* A memory region whose size is known. */
static bool is_region(const struct report *r, const struct heft_row *row)
{
	return has_regions(r) && row->texts && *row->texts[first_of_regions(r)];
}

/* Whether all the shown columns of sizes say nothing.  With both domains such a row is still
 * printed, with one it is not, but for regions, which are free where they are empty. */
static bool size_report_is_hidden(const struct report *r, const struct heft_row *row)
{
	return domain_count(r) == 1 && !is_region(r, row) &&
	       is_still(r, row, shows(r, HEFT_SIZE_FILE) ? HEFT_SIZE_FILE : HEFT_SIZE_VM);
}

/* "x" and "[section x]": a fallback label that only repeats its parent. */
static bool wraps(struct str outer, struct str inner)
{
	if (!str_ends(outer, STR("]")))
		return false;
	outer.len--;
	return str_ends(outer, inner);
}

static bool children_say_nothing(const struct report *r, const struct heft_row *row)
{
	if (is_still(r, row, HEFT_SIZE_FILE) && is_still(r, row, HEFT_SIZE_VM))
		return true;
	if (row->child_count != 1 || row->children[0]->child_count != 0)
		return false;
	const struct str own = str_of(row->label), child = str_of(row->children[0]->label);
	return str_eq(own, child) || wraps(child, own) || wraps(own, child);
}

static void put_omitted(const struct report *r, struct sink *s)
{
	const struct size_report *z = r->ctx;
	char file[NUMBER_MAX], vm[NUMBER_MAX];
	if (!z->filtered)
		return;
	number_size(file, z->omitted_file, '\0');
	number_size(vm, z->omitted_vm, '\0');
	sink_text(s, STR("Filtering enabled (source_filter); omitted"));
	if (shows(r, HEFT_SIZE_FILE))
		sink_printf(s, " file = %s%s", file, shows(r, HEFT_SIZE_VM) ? "," : "");
	if (shows(r, HEFT_SIZE_VM))
		sink_printf(s, " vm = %s", vm);
	sink_text(s, STR(" of entries\n"));
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void size_put_sources(const struct field_at *at, struct json *j)
{
	const struct report *r = at->in;
	json_open(j, '[');
	for (size_t i = 0; i < r->table.level_count; i++)
		json_text(j, str_of(r->table.levels[i]));
	json_close(j, ']');
}

static struct str size_measure(struct field_at *at)
{
	(void)at;
	return STR("charged");
}

static const char *const role_words[] = { [HEFT_INPUT] = "input", [HEFT_BASE] = "base" };

#define FILE_INFO(m) FIELD(struct heft_file_info, m)
static const struct field file_list[] = {
	{ KEY("path", "as given"), FILE_INFO(path) },
	{ KEY("role", "which side it is"), FIELD_AS(FIELD_WORD, struct heft_file_info, role),
	  FIELD_WORDS(role_words) },
	{ KEY("format", "in words"), FILE_INFO(format) },
	{ KEY("build_id", "lower-case hexadecimal; empty if there is none"), FILE_INFO(build_id) },
	{ KEY("debug_path", "separate debug file in use; empty if none"), FILE_INFO(debug_path) },
	{ KEY("size", "bytes of the file"), FILE_INFO(file_size) },
	{ KEY("vm_size", "bytes of its VM image"), FILE_INFO(vm_size) },
};
#undef FILE_INFO
const struct fields file_fields = FIELDS("file", file_list);

#define SIZE(m) FIELD(struct size_report, m)
static const struct field omitted_list[] = {
	{ KEY("file", "bytes of the file"), SIZE(omitted_file) },
	{ KEY("vm", "bytes of the VM image"), SIZE(omitted_vm) },
};
const struct fields omitted_fields = FIELDS("omitted sizes", omitted_list);

static const struct field size_list[] = {
	{ KEY("sources", "the data sources, one a level of the tree, as they were named"),
	  .kind = FIELD_PUT, .put = size_put_sources, .type = "array of strings" },
	{ KEY("measure", "`charged`: what a row of symbols counts, one of [three "
			 "sizes](snapshots.md#three-sizes)"),
	  .get = size_measure },
	{ KEY("files", "inputs in the order given, bases after them"),
	  FIELD_LIST(FIELD_STRUCTS, struct size_report, files, file_count),
	  .stride = sizeof(struct heft_file_info), .flags = FIELD_LINES, .of = &file_fields },
	{ KEY("notes", "oddities of the inputs, which did not stop the report"),
	  FIELD_LIST(FIELD_STRUCTS, struct size_report, notes, note_count),
	  .stride = sizeof(struct heft_note), .flags = FIELD_LINES, .of = &note_fields },
	{ KEY("filtered", "a filter was in force; the tree then holds what it let through"),
	  SIZE(filtered), .flags = FIELD_LINES },
	{ KEY("omitted", "bytes that the filter left out. Missing if there was no filter"),
	  .kind = FIELD_PART, .of = &omitted_fields, FIELD_IF(struct size_report, filtered) },
};
#undef SIZE
const struct fields size_document_fields = FIELDS("document of sizes", size_list);

/* ---- all together ---------------------------------------------------------------------------- */

/* Names and order are those of the reference tool. */
static void size_fields(struct report *r)
{
	const bool both = r->table.diff && r->opts.base_columns;
	report_field(r, "vmsize", CELL_CHANGE, HEFT_SIZE_VM);
	report_field(r, "filesize", CELL_CHANGE, HEFT_SIZE_FILE);
	if (both) {
		report_field(r, "original_vmsize", CELL_BASE, HEFT_SIZE_VM);
		report_field(r, "original_filesize", CELL_BASE, HEFT_SIZE_FILE);
		report_field(r, "current_vmsize", CELL_NOW, HEFT_SIZE_VM);
		report_field(r, "current_filesize", CELL_NOW, HEFT_SIZE_FILE);
	}
	if (shows(r, HEFT_SIZE_COUNT))
		report_field(r, "count", CELL_CHANGE, HEFT_SIZE_COUNT);
	if (shows(r, HEFT_SIZE_COUNT) && both) {
		report_field(r, "original_count", CELL_BASE, HEFT_SIZE_COUNT);
		report_field(r, "current_count", CELL_NOW, HEFT_SIZE_COUNT);
	}
	if (shows(r, HEFT_SIZE_COPIES))
		report_field(r, "copies", CELL_CHANGE, HEFT_SIZE_COPIES);
	if (shows_code(r))
		report_field(r, "code", CELL_CHANGE, code_measure(r));
}

static void csv_fields(struct report *r)
{
	size_fields(r);
	for (unsigned i = 0; i < r->table.text_count; i++)
		report_field(r, r->table.texts[i].name, CELL_TEXT, i);
}

static void region_columns(struct report *r, unsigned first)
{
	report_column(r, (struct column){ "region", CELL_AMOUNT, first, REGION_WIDTH, 1, false, 0,
					  true });
	report_column(r, (struct column){ "free", CELL_AMOUNT, first + 1, REGION_WIDTH, 1, false, 0,
					  true });
	report_column(r, (struct column){ "% used", CELL_TEXT, first + 2, FULL_WIDTH, 1, false, 0,
					  true });
}

void size_report_init(struct report *r)
{
	static const struct report_kind kind = {
		.head = size_report_put_head,
		.below = put_omitted,
		.hides = size_report_is_hidden,
		.hides_children = children_say_nothing,
		.document = &size_document_fields,
	};
	r->kind = &kind;
	r->indent = 2;
	r->indents_rows = true;
	r->label_gap = LABEL_GAP;
	r->table.sorted_by = r->opts.domain == HEFT_VM ? HEFT_SIZE_VM : HEFT_SIZE_FILE;
	if (shows(r, HEFT_SIZE_FILE))
		domain_columns(r, HEFT_SIZE_FILE, "file");
	if (shows(r, HEFT_SIZE_VM))
		domain_columns(r, HEFT_SIZE_VM, "vm");
	if (shows_code(r))
		code_columns(r, code_measure(r));
	if (shows(r, HEFT_SIZE_COUNT))
		report_column(r, (struct column){ "count", CELL_CHANGE, HEFT_SIZE_COUNT,
						  COUNT_WIDTH, 1, false, 0 });
	if (shows(r, HEFT_SIZE_COPIES))
		report_column(r, (struct column){ "copies", CELL_CHANGE, HEFT_SIZE_COPIES,
						  COPIES_WIDTH, 1, false, 0 });
	if (has_regions(r))
		region_columns(r, first_of_regions(r));
	if (size_report_has_stacks(r))
		report_column(r, (struct column){ "stack", CELL_AMOUNT, 0, STACK_WIDTH, 1, false, 0,
						  true });
	csv_fields(r);
}
