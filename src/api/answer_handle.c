/* Writes rows that a program computed itself: heft_answer_*. */
#include "api/structs.h"
#include "report/query_report.h"

#include <stdio.h>

enum { CELL_ROOM = 32 };

struct heft_answer {
	struct memory *memory; /* Must be the first field: see handle_new(). */
	struct heft_sink to;
	struct sink sink;
	struct query_report report;
	struct query_visitor visitor;
	VEC(struct query_cell) cells;
	char (*room)[CELL_ROOM]; /* Buffers for the texts of numbers, one per cell */
	size_t columns;          /* Number of columns of the table. 0 if none has begun */
};

static bool answer_open(struct heft_answer *a, const struct heft_query_opts *given,
			const struct heft_sink *sink, struct heft_err *err)
{
	struct heft_query_opts opts = { 0 };
	if (!TAKE(heft_query_opts, &opts, given, err) ||
	    !list_has_format(opts.format, HEFT_NDJSON, err))
		return false;
	a->to = *sink;
	sink_start(&a->sink, &a->to);
	a->report = (struct query_report){ .s = &a->sink, .opts = opts };
	a->visitor = query_report_visitor(&a->report);
	return true;
}

struct heft_answer *heft_answer_new(const struct heft_query_opts *opts,
				    const struct heft_sink *sink, struct heft_err *err)
{
	struct heft_answer *a = handle_new(sizeof *a);
	if (GUARDED(a ? a->memory : NULL, err, answer_open(a, opts, sink, err)))
		return a;
	heft_answer_free(a);
	return NULL;
}

void heft_answer_free(struct heft_answer *a)
{
	handle_free(a);
}

/* Sets *err to the reason why the report accepts no more rows. */
static bool answer_failed(const struct heft_answer *a, struct heft_err *err)
{
	if (a->report.err.code == HEFT_OK)
		return fail(err, HEFT_EIO, HEFT_NO_OFFSET, "the output took no more");
	if (err)
		*err = a->report.err;
	return false;
}

static bool answer_columns(struct heft_answer *a, const char *const *names, size_t count,
			   struct heft_err *err)
{
	if (count == 0 || a->columns > 0)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
			    count == 0 ? "a table needs a column" : "the table before has no end");
	a->room = mem_resize(a->room, count * sizeof *a->room);
	a->columns = count;
	return a->visitor.columns(a->visitor.ctx, names, count) || answer_failed(a, err);
}

bool heft_answer_columns(struct heft_answer *a, const char *const *names, size_t count,
			 struct heft_err *err)
{
	return GUARDED(a->memory, err, answer_columns(a, names, count, err));
}

static struct query_cell answer_handle_cell_of(const struct heft_cell *c, char room[CELL_ROOM])
{
	switch (c->kind) {
	case HEFT_CELL_INTEGER:
		snprintf(room, CELL_ROOM, "%" PRId64, c->integer);
		return (struct query_cell){ QUERY_INTEGER, c->integer, (double)c->integer,
					    str_of(room) };
	case HEFT_CELL_REAL:
		snprintf(room, CELL_ROOM, "%.17g", c->real);
		return (struct query_cell){ .kind = QUERY_REAL,
					    .real = c->real,
					    .text = str_of(room) };
	case HEFT_CELL_TEXT:
		return (struct query_cell){ .kind = QUERY_TEXT, .text = str_of(c->text) };
	case HEFT_CELL_NULL: break;
	}
	return (struct query_cell){ .kind = QUERY_NULL };
}

static bool answer_handle_row(struct heft_answer *a, const struct heft_cell *cells,
			      struct heft_err *err)
{
	if (a->columns == 0)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "a row needs columns");
	ASSERT(a->room);
	a->cells.count = 0;
	for (size_t i = 0; i < a->columns; i++)
		vec_push(&a->cells, answer_handle_cell_of(&cells[i], a->room[i]));
	return a->visitor.row(a->visitor.ctx, a->cells.data, a->columns) || answer_failed(a, err);
}

bool heft_answer_row(struct heft_answer *a, const struct heft_cell *cells, struct heft_err *err)
{
	return GUARDED(a->memory, err, answer_handle_row(a, cells, err));
}

static bool answer_table_end(struct heft_answer *a, struct heft_err *err)
{
	if (a->columns == 0)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "there is no table to end");
	a->columns = 0;
	return a->visitor.end(a->visitor.ctx) || answer_failed(a, err);
}

bool heft_answer_table_end(struct heft_answer *a, struct heft_err *err)
{
	return GUARDED(a->memory, err, answer_table_end(a, err));
}

bool heft_answer_end(struct heft_answer *a, struct heft_err *err)
{
	return GUARDED(a->memory, err,
		       (a->columns == 0 || answer_table_end(a, err)) && sink_end(&a->sink, err));
}
