/* Writes rows as one JSON document. */
#include "report/all_fields.h"
#include "report/pss.h"
#include "report/report.h"
#include "report/row_walk.h"

#include <math.h>

#define NOTE(m) FIELD(struct heft_note, m)
static const struct field note_list[] = {
	{ KEY("path", "the file it is about; of a note about a regular expression, the expression"),
	  NOTE(path) },
	{ KEY("text", "the first oddity of this kind, in words (not meant to be parsed)"),
	  NOTE(text) },
	{ KEY("offset", "where in the file that was. Null if there is no one place"), NOTE(offset),
	  .flags = FIELD_NULL | FIELD_ADDRESS },
	{ KEY("count", "how many of this kind"), NOTE(count) },
	{ KEY("bytes", "bytes concerned, all together"), NOTE(bytes) },
};
#undef NOTE
const struct fields note_fields = FIELDS("note", note_list);

static const struct field document_list[] = {
	/* Increases when a member is removed or changes its meaning, see docs/json.md. */
	{ KEY("schema_version", "2"), .kind = FIELD_CONSTANT, .type = "2" },
	FIELD_HEFT,
	{ KEY("diff", "something was compared with a base"), FIELD(struct report, table.diff) },
};
const struct fields document_fields = FIELDS("document", document_list);

/* Returns the name of the kind of the top rows, such as "symbols". */
struct str report_by(struct field_at *at)
{
	return str_of(((const struct report *)at->in)->table.levels[0]);
}

/* Writes the values of a row. Omits measures that do not add up in a row that sums up others. */
static void out_json_put_values(struct json *j, const struct heft_table *t,
				const struct heft_row *row, bool of_base)
{
	ASSERT(!of_base || t->diff);
	char key[80] = "base_";
	for (size_t m = 0; m < t->measure_count; m++) {
		const struct heft_measure *measure = &t->measures[m];
		if (!cells_has_value(t, row, (unsigned)m) || (of_base && measure->of_change))
			continue;
		strncpy(key + 5, measure->name, sizeof key - 6);
		const char *name = of_base ? key : measure->name;
		const double *exact = of_base ? row->base_exact : row->now_exact;
		if (measure->unit != HEFT_PARTS)
			json_member_uint(j, name, (of_base ? row->base : row->now)[m]);
		else if (!isnan(exact[m]))
			json_member_pss(j, name, exact[m]);
	}
}

static void out_json_put_aliases(struct json *j, const struct heft_row *row)
{
	if (row->alias_count == 0)
		return;
	json_member_open(j, "aliases", '[');
	for (size_t i = 0; i < row->alias_count; i++)
		json_text(j, str_of(row->aliases[i]));
	json_close(j, ']');
}

/* Opens the object of a row. The array of its children stays open. */
static void out_json_open_row(struct json *j, const struct report *r, const struct heft_row *row)
{
	const struct heft_table *t = &r->table;
	json_open(j, '{');
	json_member_text(j, "label", str_of(row->label));
	for (size_t i = 0; row->texts && i < t->text_count; i++) {
		const struct str text = str_of(row->texts[i]);
		if (text.len > 0 && t->texts[i].number) {
			json_key(j, t->texts[i].name);
			json_raw(j, text);
		} else if (text.len > 0) {
			json_member_text(j, t->texts[i].name, text);
		}
	}
	if (t->has_changes && row != t->top && row->others == 0)
		json_member_text(j, "change", str_of(change_word(row->change)));
	out_json_put_values(j, &r->table, row, false);
	if (r->table.diff)
		out_json_put_values(j, &r->table, row, true);
	if (row->others > 0)
		json_member_uint(j, "others", row->others);
	out_json_put_aliases(j, row);
	if (r->kind->row && row->others == 0 && row != r->table.top)
		fields_members(j, r->kind->row, row, r);
	json_member_open(j, "children", '[');
}

static void close_rows(struct json *j, size_t count)
{
	for (; count > 0; count--) {
		json_close(j, ']');
		json_close(j, '}');
	}
}

static void out_json_put_rows(struct json *j, const struct report *r, const struct sink *s)
{
	struct row_walk walk;
	size_t open = 1; /* Number of rows with open children, including the top */
	json_line(j);
	json_key(j, "total");
	out_json_open_row(j, r, r->table.top);
	row_walk_init(&walk, r->table.top);
	for (const struct heft_row *row; !s->failed && (row = row_next(&walk)) != NULL;) {
		const size_t depth = walk.levels.count - 1;
		close_rows(j, open - depth);
		json_line(j);
		out_json_open_row(j, r, row);
		open = depth + 1;
	}
	row_walk_release(&walk);
	close_rows(j, open);
}

void json_record(struct json *j, const struct report *r, const struct heft_row *row)
{
	json_open(j, '{');
	for (size_t i = 0; i < r->table.text_count; i++) {
		json_key(j, r->table.texts[i].name);
		if (!row->texts[i])
			json_null(j);
		else if (r->table.texts[i].number)
			json_raw(j, str_of(row->texts[i]));
		else
			json_text(j, str_of(row->texts[i]));
	}
	json_close(j, '}');
}

static void out_records(const struct report *r, struct sink *s)
{
	const struct heft_row *top = r->table.top;
	sink_text(s, r->goes_on ? STR("") : STR("["));
	for (size_t i = 0; i < top->child_count && !s->failed; i++) {
		struct json j = sink_json(s);
		sink_text(s, r->goes_on || i > 0 ? STR(",\n ") : STR("\n "));
		json_record(&j, r, top->children[i]);
	}
	if (!r->not_all)
		sink_text(s, r->goes_on || top->child_count > 0 ? STR("\n]\n") : STR("]\n"));
}

void out_json(const struct report *r, struct sink *s)
{
	struct json j = sink_json(s);
	if (!has_labels(r)) {
		out_records(r, s);
		return;
	}
	json_open(&j, '{');
	fields_members(&j, &document_fields, r, NULL);
	if (r->kind->document)
		fields_members(&j, r->kind->document, r->ctx, r);
	out_json_put_rows(&j, r, s);
	ASSERT(s->failed || j.depth == 1);
	json_line(&j);
	json_close(&j, '}');
	sink_text(s, STR("\n"));
}
