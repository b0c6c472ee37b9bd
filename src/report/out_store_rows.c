/* Writes rows for stores (databases): common texts, labels, measures. */
#include "base/err.h"
#include "report/report.h"
#include "report/row_walk.h"

static void put_object(const struct report *r, const struct row_walk *walk, struct text *line)
{
	struct json j = text_json(line);
	const size_t depth = walk->levels.count;
	const struct heft_row *row = walk->levels.data[depth - 1].row;
	json_open(&j, '{');
	for (size_t i = 0; i < r->opts.constant_count; i++) {
		json_key(&j, r->opts.constants[i].name);
		json_text(&j, str_of(r->opts.constants[i].value));
	}
	json_member_open(&j, "labels", '[');
	for (size_t i = 1; i < depth; i++)
		json_text(&j, str_of(walk->levels.data[i].row->label));
	json_close(&j, ']');
	for (size_t m = 0; m < r->table.measure_count; m++)
		json_member_uint(&j, r->table.measures[m].name, row->now[m]);
	json_close(&j, '}');
}

/* Writes a row as one text. The sink passes on whole texts, so no piece ends inside a row. */
static void end_row(struct text *line, struct sink *s)
{
	text_add_char(line, '\n');
	sink_text(s, text_str(line));
	line->len = 0;
}

bool out_store_rows(const struct report *r, struct sink *s, struct heft_err *err)
{
	const struct heft_row *top = r->table.top;
	struct text line = { 0 };
	struct row_walk walk;
	const bool records = r->kind && r->kind->draws_records;
	bool fits = records || (has_labels(r) && !r->table.diff);
	for (size_t m = 0; m < r->table.measure_count && !records; m++)
		fits &= r->table.measures[m].unit != HEFT_PARTS;
	if (!fits)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "this report has no such format");
	for (size_t i = 0; records && !s->failed && i < top->child_count; i++) {
		struct json j = text_json(&line);
		json_record(&j, r, top->children[i]);
		end_row(&line, s);
	}
	row_walk_init(&walk, top);
	walk.maker = r->maker;
	ASSERT(records || has_labels(r));
	for (const struct heft_row *row;
	     !records && !s->failed && (row = row_next(&walk)) != NULL;) {
		if (row->child_count > 0)
			continue;
		put_object(r, &walk, &line);
		end_row(&line, s);
	}
	row_walk_release(&walk);
	text_release(&line);
	return true;
}
