/* Turns records (rows that have only texts) into rows with labels and a size, for pictures. */
#include "report/record_rows.h"

#include "base/err.h"
#include "map/rows.h"

#include <stdlib.h>

static const char *record_rows_label_of(void *ctx, uint32_t node)
{
	const struct record_rows *rows = ctx;
	return intern_get(&rows->labels, rows->tree.nodes.data[node].key).p;
}

static void record_rows_add(struct record_rows *rows, uint32_t node, uint64_t size)
{
	uint64_t *sum = tree_sums(&rows->tree, node, HEFT_INPUT);
	*sum = add_sat(*sum, size);
}

static void add_record(struct record_rows *rows, const struct heft_table *t, size_t measure,
		       const struct heft_row *record)
{
	const double v = record->texts[measure] ? strtod(record->texts[measure], NULL) : 0;
	const uint64_t size = v > 0 && v < 0x1p63 ? (uint64_t)(v + 0.5) : 0;
	uint32_t node = 0;
	size_t levels = 0;
	record_rows_add(rows, node, size);
	for (size_t i = 0; i < t->text_count && levels < rows->table.level_count; i++) {
		const char *label = record->texts[i] != NULL ? record->texts[i] : "";
		if (t->texts[i].number)
			continue;
		levels++;
		const uint32_t id = intern_add(&rows->labels,
					       str_of(label[0] != '\0' ? label : "[none]"));
		node = tree_get(&rows->tree, node, id);
		record_rows_add(rows, node, size);
	}
}

/* Chooses the columns that are levels, and the column that is the size. */
static bool choose_columns(struct record_rows *rows, const struct heft_table *t,
			   size_t *ret_measure, struct heft_err *err)
{
	bool found = false;
	rows->table = (struct heft_table){ .size = sizeof rows->table };
	for (size_t i = 0; i < t->text_count; i++) {
		if (!t->texts[i].number && rows->table.level_count < COLUMNS_MAX)
			rows->levels[rows->table.level_count++] = t->texts[i].name;
		if (t->texts[i].number && !found)
			*ret_measure = i;
		found |= t->texts[i].number;
	}
	return (found && rows->table.level_count > 0) ||
	       fail(err, HEFT_EARG, HEFT_NO_OFFSET,
		    "a picture needs a column of text, the labels, and a column of numbers, the "
		    "sizes");
}

bool record_rows_make(struct record_rows *rows, const struct report *r, struct heft_err *err)
{
	const struct heft_table *t = &r->table;
	size_t measure = 0;
	*rows = (struct record_rows){ 0 };
	tree_init(&rows->tree, 1, 1);
	if (!choose_columns(rows, t, &measure, err))
		return false;
	for (size_t i = 0; i < t->top->child_count; i++)
		add_record(rows, t, measure, t->top->children[i]);
	const char *name = t->texts[measure].name;
	ASSERT(measure < t->text_count && t->texts[measure].number);
	rows->measure = (struct heft_measure){ .name = name, .title = name, .unit = HEFT_COUNT };
	const struct rows_opts opts = {
		.measures = &rows->measure, .keys = 1, .label = record_rows_label_of, .ctx = rows
	};
	rows->table.levels = rows->levels;
	rows->table.measures = &rows->measure;
	rows->table.measure_count = 1;
	rows->table.top = rows_build(&rows->tree, &opts, &rows->arena);
	return true;
}

void record_rows_release(struct record_rows *rows)
{
	tree_release(&rows->tree);
	intern_release(&rows->labels);
	arena_release(&rows->arena);
}
