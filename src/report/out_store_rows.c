/* Rows for stores: texts that all of them have, labels, measures. */
#include "base/err.h"
#include "report/report.h"
#include "report/row_walk.h"

/* ---- an object a line ------------------------------------------------------------------------ */

static void put_object(const struct report *r, const struct row_walk *walk, struct sink *s)
{
	struct json j = sink_json(s);
	const size_t depth = walk->levels.count;
	const struct heft_row *row = walk->levels.data[depth - 1].row;
	json_open(&j, '{');
	for (size_t i = 0; i < r->opts.constant_count; i++) {
		json_key(&j, r->opts.constants[i].name);
		json_text(&j, str_of(r->opts.constants[i].value));
	}
	json_key(&j, "labels");
	json_open(&j, '[');
	for (size_t i = 1; i < depth; i++)
		json_text(&j, str_of(walk->levels.data[i].row->label));
	json_close(&j, ']');
	for (size_t m = 0; m < r->table.measure_count; m++)
		json_member_uint(&j, r->table.measures[m].name, row->now[m].whole);
	json_close(&j, '}');
	sink_text(s, STR("\n"));
}

/* ---- RowBinary ------------------------------------------------------------------------------- */

static void put_leb(struct sink *s, uint64_t n)
{
	do {
		const char byte = (char)((n & 0x7f) | (n > 0x7f ? 0x80 : 0));
		sink_text(s, (struct str){ &byte, 1 });
		n >>= 7;
	} while (n > 0);
}

static void put_string(struct sink *s, const char *text)
{
	const struct str t = str_of(text);
	put_leb(s, t.len);
	sink_text(s, t);
}

static void put_whole(struct sink *s, uint64_t n)
{
	char bytes[8];
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (char)(n >> (8 * i));
	sink_text(s, (struct str){ bytes, sizeof bytes });
}

static void put_binary(const struct report *r, const struct row_walk *walk, struct sink *s)
{
	const size_t depth = walk->levels.count;
	for (size_t i = 0; i < r->opts.constant_count; i++)
		put_string(s, r->opts.constants[i].value);
	put_leb(s, depth - 1);
	for (size_t i = 1; i < depth; i++)
		put_string(s, walk->levels.data[i].row->label);
	for (size_t m = 0; m < r->table.measure_count; m++)
		put_whole(s, walk->levels.data[depth - 1].row->now[m].whole);
}

/* ---- records --------------------------------------------------------------------------------- */

/* A column is a number or a text in all records of a report. */
static void put_record(const struct report *r, const struct heft_row *row, struct sink *s)
{
	struct json j = sink_json(s);
	json_open(&j, '{');
	for (size_t i = 0; i < r->table.text_count; i++) {
		const char *text = row->texts[i];
		json_key(&j, r->table.texts[i].name);
		if (!text)
			json_null(&j);
		else if (r->table.texts[i].number)
			json_raw(&j, str_of(text));
		else
			json_text(&j, str_of(text));
	}
	json_close(&j, '}');
	sink_text(s, STR("\n"));
}

/* ---- all rows -------------------------------------------------------------------------------- */

static bool has_rows_for_stores(const struct report *r)
{
	for (size_t m = 0; m < r->table.measure_count; m++)
		if (r->table.measures[m].unit == HEFT_PARTS)
			return false;
	return has_labels(r) && !r->table.diff;
}

bool out_store_rows(const struct report *r, struct sink *s, struct heft_err *err)
{
	struct row_walk walk;
	if (r->kind && r->kind->draws_records && r->opts.format == HEFT_NDJSON) {
		for (size_t i = 0; !s->failed && i < r->table.top->child_count; i++)
			put_record(r, r->table.top->children[i], s);
		return true;
	}
	if (!has_rows_for_stores(r))
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "this report has no such format");
	row_walk_init(&walk, r->table.top);
	for (const struct heft_row *row; !s->failed && (row = row_next(&walk)) != NULL;)
		if (row->child_count == 0 && r->opts.format == HEFT_NDJSON)
			put_object(r, &walk, s);
		else if (row->child_count == 0)
			put_binary(r, &walk, s);
	row_walk_release(&walk);
	return true;
}
