/* Adds columns and lines of reports about sizes. The table looks like Bloaty's. */
#include "map/space.h"
#include "report/pss.h"
#include "report/all_fields.h"

#include <stdio.h>

/* Groups of columns, in the order of the table. */
enum size_group {
	FILE_OLD_NEW,
	FILE_SIZE,
	VM_OLD_NEW,
	VM_SIZE,
	CODE_SIZE,
	HOW_SURE,
	SYMBOLS,
	COPIES,
	REGIONS,
	STACKS,
	RETAINED,
	SIZE_GROUPS
};

/* Titles of the groups, and the underline. */
static const char *const size_heads[SIZE_GROUPS][2] = {
	[FILE_OLD_NEW] = { "     OLD     NEW", " ------- -------" },
	[FILE_SIZE] = { "    FILE SIZE   ", " -------------- " },
	[VM_OLD_NEW] = { "     OLD     NEW", " ------- -------" },
	[VM_SIZE] = { "     VM SIZE    ", " -------------- " },
	[CODE_SIZE] = { "      CODE      ", " -------------- " },
	[HOW_SURE] = { "  STATED  PROVED INFERRED", " ------- ------- --------" },
	[SYMBOLS] = { "COUNT", "-------" },
	[COPIES] = { " COPIES ", "------- " },
	[REGIONS] = { "  REGION     FREE  % USED", "-------- -------- -------" },
	[STACKS] = { "    STACK", " --------" },
	[RETAINED] = { " RETAINED", " --------" },
};

/* Returns the index of the measure with this name, or measure_count. */
static unsigned size_report_measure(const struct report *r, const char *name)
{
	unsigned m = HEFT_SIZE_COUNT;
	while (m < r->table.measure_count && strcmp(r->table.measures[m].name, name) != 0)
		m++;
	return m;
}

static bool size_report_has(const struct report *r, const char *name)
{
	return size_report_measure(r, name) < r->table.measure_count;
}

/* True if a text of the rows has this name. */
static bool size_report_has_text(const struct report *r, unsigned i, const char *name)
{
	return r->table.text_count > i && strcmp(r->table.texts[i].name, name) == 0;
}

/* Returns the index of the text "retained". Texts about stacks (bytes, caveats) come first. */
static unsigned size_report_retained(const struct report *r)
{
	return size_report_has_text(r, 0, "stack") ? 2 : 0;
}

/* Returns the index of the first text about memory regions: length, free bytes, percentage in use.
 * They come last. */
static unsigned first_of_regions(const struct report *r)
{
	const unsigned retained = size_report_retained(r);
	return retained + size_report_has_text(r, retained, "retained");
}

static bool shows(const struct report *r, enum size_group g)
{
	const unsigned domain = r->opts.domain ? r->opts.domain : HEFT_BOTH;
	const bool old_new = r->opts.old_new && r->table.diff;
	switch (g) {
	case FILE_OLD_NEW: return domain & HEFT_FILE && old_new;
	case FILE_SIZE: return domain & HEFT_FILE;
	case VM_OLD_NEW: return domain & HEFT_VM && old_new;
	case VM_SIZE: return domain & HEFT_VM;
	case CODE_SIZE: return size_report_has(r, "code");
	case HOW_SURE: return size_report_has(r, "stated");
	case SYMBOLS: return size_report_has(r, "count");
	case COPIES: return size_report_has(r, "copies");
	case REGIONS: return r->table.text_count > first_of_regions(r);
	case STACKS: return size_report_has_text(r, 0, "stack");
	case RETAINED: return size_report_has_text(r, size_report_retained(r), "retained");
	case SIZE_GROUPS: break;
	}
	return false;
}

static void size_report_put_head(const struct report *r, struct sink *s)
{
	/* The title of a size column takes one character more than its numbers. */
	const int count_width = 8 - shows(r, FILE_SIZE) - shows(r, VM_SIZE) - shows(r, CODE_SIZE);
	for (int line = 0; line < 2; line++) {
		for (unsigned g = 0; g < SIZE_GROUPS; g++) {
			if (g == SYMBOLS && shows(r, g))
				sink_printf(s, "%*.*s ", count_width, count_width,
					    size_heads[g][line]);
			else if (shows(r, g))
				sink_text(s, str_of(size_heads[g][line]));
		}
		sink_text(s, STR("\n"));
	}
}

/* True if the row's size of this kind is 0, or did not change in a diff. */
static bool is_still(const struct report *r, const struct heft_row *row, enum heft_size_measure m)
{
	return row->now[m] == (r->table.diff ? row->base[m] : 0);
}

/* True if the table hides a row because its only size column is empty. Rows of empty memory regions
 * stay, because they show free memory. */
static bool size_report_is_hidden(const struct report *r, const struct heft_row *row)
{
	/* True for a memory region with a known size. */
	const bool region = shows(r, REGIONS) && row->texts && *row->texts[first_of_regions(r)];
	return shows(r, FILE_SIZE) != shows(r, VM_SIZE) && !region &&
	       is_still(r, row, shows(r, FILE_SIZE) ? HEFT_SIZE_FILE : HEFT_SIZE_VM);
}

/* True if `inner` is only "[section x]", the label of bytes without a better owner, below "x". */
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

/* Writes how many bytes filters excluded, in Bloaty's words if heft was called as Bloaty. */
static void put_omitted(const struct report *r, struct sink *s)
{
	const struct size_report *z = r->ctx;
	const bool bloaty = r->opts.bloaty, file = shows(r, FILE_SIZE), vm = shows(r, VM_SIZE);
	if (!z->filtered || (!bloaty && z->omitted_file == 0 && z->omitted_vm == 0))
		return;
	sink_text(s,
		  bloaty ? STR("Filtering enabled (source_filter); omitted") : STR("Not counted:"));
	if (file)
		sink_printf(s, bloaty ? " file = %s" : " %s of the file",
			    shown_size(z->omitted_file).p);
	if (file && vm)
		sink_text(s, STR(","));
	if (vm)
		sink_printf(s, bloaty ? " vm = %s" : " %s of the VM image",
			    shown_size(z->omitted_vm).p);
	sink_text(s, bloaty ? STR(" of entries\n") : STR("\n"));
}

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

/* Adds the fields in Bloaty's order and with its names. */
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
	if (shows(r, SYMBOLS))
		report_field(r, "count", CELL_CHANGE, HEFT_SIZE_COUNT);
	if (shows(r, SYMBOLS) && both) {
		report_field(r, "original_count", CELL_BASE, HEFT_SIZE_COUNT);
		report_field(r, "current_count", CELL_NOW, HEFT_SIZE_COUNT);
	}
	if (shows(r, COPIES))
		report_field(r, "copies", CELL_CHANGE, HEFT_SIZE_COPIES);
	if (shows(r, CODE_SIZE))
		report_field(r, "code", CELL_CHANGE, size_report_measure(r, "code"));
	for (unsigned i = 0; shows(r, HOW_SURE) && i < SURE_WORDS; i++)
		report_field(r, sure_words[i], CELL_CHANGE, size_report_measure(r, sure_words[i]));
	for (unsigned i = 0; i < r->table.text_count; i++)
		report_field(r, r->table.texts[i].name, CELL_TEXT, i);
}

static void size_columns(struct report *r)
{
	const bool diff = r->table.diff;
	const unsigned code = size_report_measure(r, "code"), region = first_of_regions(r);
	const unsigned sure = size_report_measure(r, "stated");
	ASSERT(r->column_count == 0 && r->table.level_count > 0);
	/* With a column of code, rows are sorted by code, so the share is of all code. */
	const enum cell share = diff ? CELL_GROWTH : CELL_SHARE,
			part = diff ? CELL_GROWTH : CELL_PART;
	const char *percent = diff ? "" : "%";
	const struct {
		enum size_group group;
		struct column column;
	} all[] = {
		{ FILE_OLD_NEW, { "old", CELL_BASE, HEFT_SIZE_FILE, 7, 1 } },
		{ FILE_OLD_NEW, { "new", CELL_NOW, HEFT_SIZE_FILE, 7, 1 } },
		{ FILE_SIZE, { percent, share, HEFT_SIZE_FILE, 6, 1, true } },
		{ FILE_SIZE, { "file", CELL_CHANGE, HEFT_SIZE_FILE, 8 } },
		{ VM_OLD_NEW, { "old", CELL_BASE, HEFT_SIZE_VM, 7, 1 } },
		{ VM_OLD_NEW, { "new", CELL_NOW, HEFT_SIZE_VM, 7, 1 } },
		{ VM_SIZE, { percent, share, HEFT_SIZE_VM, 6, 1, true } },
		{ VM_SIZE, { "vm", CELL_CHANGE, HEFT_SIZE_VM, 8 } },
		{ CODE_SIZE, { percent, part, code, 6, 1, true } },
		{ CODE_SIZE, { "code", CELL_CHANGE, code, 8 } },
		{ HOW_SURE, { "stated", CELL_CHANGE, sure, 8 } },
		{ HOW_SURE, { "proved", CELL_CHANGE, sure + 1, 8 } },
		{ HOW_SURE, { "inferred", CELL_CHANGE, sure + 2, 8, 1 } },
		{ SYMBOLS, { "count", CELL_CHANGE, HEFT_SIZE_COUNT, 7, 1 } },
		{ COPIES, { "copies", CELL_CHANGE, HEFT_SIZE_COPIES, 7, 1 } },
		{ REGIONS, { "region", CELL_AMOUNT, region, 8, 1, .number = true } },
		{ REGIONS, { "free", CELL_AMOUNT, region + 1, 8, 1, .number = true } },
		{ REGIONS, { "% used", CELL_TEXT, region + 2, 7, 1, .number = true } },
		{ STACKS, { "stack", CELL_AMOUNT, 0, 8, 1, .number = true } },
		{ RETAINED,
		  { "retained", CELL_AMOUNT, size_report_retained(r), 8, 1, .number = true } },
	};
	for (size_t i = 0; i < COUNT_OF(all); i++)
		if (shows(r, all[i].group))
			report_column(r, all[i].column);
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
	ASSERT(r->ctx != NULL && r->table.measure_count > HEFT_SIZE_VM);
	r->kind = &kind;
	r->indent = 2;
	r->indents_rows = true;
	r->label_gap = 4;
	r->table.sorted_by = r->opts.domain == HEFT_VM ? HEFT_SIZE_VM : HEFT_SIZE_FILE;
	size_columns(r);
	size_fields(r);
}
