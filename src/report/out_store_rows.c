/* Rows for stores: texts that all of them have, labels, measures. */
#include "base/err.h"
#include "report/report.h"
#include "report/row_walk.h"

/* ---- an object a line ------------------------------------------------------------------------ */

static void out_store_rows_put_json(void *ctx, const char *p, size_t size)
{
	text_add(ctx, (struct str){ p, size });
}

static void put_object(const struct report *r, const struct row_walk *walk, struct text *line)
{
	struct json j = { .put = out_store_rows_put_json, .ctx = line };
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
	text_add_char(line, '\n');
}

/* ---- records --------------------------------------------------------------------------------- */

/* A column is a number or a text in all records of a report. */
static void out_store_rows_put_record(const struct report *r, const struct heft_row *row,
				      struct text *line)
{
	struct json j = { .put = out_store_rows_put_json, .ctx = line };
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
	text_add_char(line, '\n');
}

/* ---- all rows -------------------------------------------------------------------------------- */

static bool has_rows_for_stores(const struct report *r)
{
	for (size_t m = 0; m < r->table.measure_count; m++)
		if (r->table.measures[m].unit == HEFT_PARTS)
			return false;
	return has_labels(r) && !r->table.diff;
}

/* A row is one text for the sink, which hands over whole texts: no piece ends within a row. */
static void end_row(struct text *line, struct sink *s)
{
	sink_text(s, text_str(line));
	line->len = 0;
}

static void put_records(const struct report *r, struct text *line, struct sink *s)
{
	for (size_t i = 0; !s->failed && i < r->table.top->child_count; i++) {
		out_store_rows_put_record(r, r->table.top->children[i], line);
		end_row(line, s);
	}
}

static void put_leaves(const struct report *r, struct text *line, struct sink *s)
{
	struct row_walk walk;
	row_walk_init(&walk, r->table.top);
	walk.maker = r->maker;
	for (const struct heft_row *row; !s->failed && (row = row_next(&walk)) != NULL;) {
		if (row->child_count > 0)
			continue;
		put_object(r, &walk, line);
		end_row(line, s);
	}
	row_walk_release(&walk);
}

bool out_store_rows(const struct report *r, struct sink *s, struct heft_err *err)
{
	struct text line = { 0 };
	const bool records = r->kind && r->kind->draws_records;
	if (!records && !has_rows_for_stores(r))
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "this report has no such format");
	if (records)
		put_records(r, &line, s);
	else
		put_leaves(r, &line, s);
	text_release(&line);
	return true;
}
