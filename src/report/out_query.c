/* Writes the results of SQL statements. */
#include "report/query_report.h"

#include "report/pss.h"

#include <math.h>

enum { ROWS_AT_ONCE = 4096 };

static void out_query_put_above(const struct report *r, struct sink *s)
{
	const struct query_report *q = r->ctx;
	sink_text(s, q->statements > 0 ? STR("\n") : STR(""));
}

static void out_query_put_below(const struct report *r, struct sink *s)
{
	const struct query_report *q = r->ctx;
	if (q->over > 0)
		sink_printf(s, "[%" PRIu64 " more rows]\n", q->over);
}

static void out_query_markdown_foot(const struct report *r, struct sink *s)
{
	const struct query_report *q = r->ctx;
	if (q->over > 0)
		sink_printf(s, "\n%" PRIu64 " more rows\n", q->over);
}

static const struct report_kind kind = {
	.above = out_query_put_above,
	.below = out_query_put_below,
	.markdown_head = out_query_put_above,
	.markdown_foot = out_query_markdown_foot,
	.no_total = true,
	.draws_records = true,
};

/* Lists the stored rows as the children of `top`. */
static void out_query_list_rows(const struct query_report *q, struct heft_row *top,
				struct arena *arena)
{
	ASSERT(q->columns.count > 0 && q->cells.count % q->columns.count == 0);
	const size_t count = q->cells.count / q->columns.count;
	struct heft_row *rows = arena_new(arena, struct heft_row, count);
	const struct heft_row **children = arena_new(arena, const struct heft_row *, count);
	for (size_t i = 0; i < count; i++) {
		rows[i] = (struct heft_row){ .label = "",
					     .texts = &q->cells.data[i * q->columns.count] };
		children[i] = &rows[i];
	}
	*top = (struct heft_row){ .label = "", .children = children, .child_count = count };
}

/* Writes the stored rows. */
static bool out_query_write_rows(struct query_report *q, bool all)
{
	const size_t count = q->columns.count;
	struct arena arena = { 0 };
	struct heft_text *texts = arena_new(&arena, struct heft_text, count);
	struct column *columns = arena_new(&arena, struct column, count);
	struct heft_row top;
	/* Describes the texts and columns of the stored rows. */
	for (size_t i = 0; i < q->columns.count; i++) {
		const struct query_column *c = &q->columns.data[i];
		const bool number = c->numbers && !c->texts;
		texts[i] = (struct heft_text){ c->name, number };
		columns[i] = (struct column){ .title = c->name,
					      .cell = CELL_TEXT,
					      .index = (unsigned)i,
					      .gap = i > 0 ? 2 : 0,
					      .number = number };
	}
	out_query_list_rows(q, &top, &arena);
	const struct report r = { .table = { .texts = texts, .text_count = count, .top = &top },
				  .opts = { .format = q->opts.format,
					    .width = q->opts.width,
					    .csv_safe = q->opts.csv_safe },
				  .kind = &kind,
				  .ctx = q,
				  .columns = columns,
				  .fields = columns,
				  .column_count = count,
				  .field_count = count,
				  .goes_on = q->goes_on,
				  .not_all = !all };
	const bool ok = report_write(&r, q->s, &q->err);
	q->goes_on = true;
	q->cells.count = 0;
	arena_reset(&q->texts);
	arena_release(&arena);
	return ok;
}

static bool out_query_start(void *ctx, const char *const *names, size_t count)
{
	struct query_report *q = ctx;
	if (q->opts.format == HEFT_SVG && q->statements > 0)
		return fail(&q->err, HEFT_EARG, HEFT_NO_OFFSET,
			    "a picture shows what one statement gives");
	q->rows = q->over = 0;
	q->columns.count = q->cells.count = 0;
	q->goes_on = false;
	arena_reset(&q->names);
	for (size_t i = 0; i < count; i++)
		vec_push(&q->columns,
			 (struct query_column){ .name = arena_copy(&q->names, str_of(names[i])) });
	return true;
}

static bool out_query_is_number(const struct query_cell *c)
{
	return c->kind == QUERY_INTEGER || (c->kind == QUERY_REAL && isfinite(c->real));
}

static void out_query_keep(struct query_report *q, const struct query_cell *c,
			   struct query_column *column)
{
	char room[PSS_MAX];
	if (c->kind == QUERY_NULL) {
		vec_push(&q->cells, NULL);
		return;
	}
	/* Sums of fractions of bytes are written with at most three decimals. */
	const bool real = c->kind == QUERY_REAL && fabs(c->real) <= 1e15;
	if (real)
		pss_exact(room, c->real);
	column->numbers |= out_query_is_number(c);
	column->texts |= !out_query_is_number(c);
	vec_push(&q->cells, arena_copy(&q->texts, real ? str_of(room) : c->text));
}

static bool out_query_add_row(void *ctx, const struct query_cell *cells, size_t count)
{
	struct query_report *q = ctx;
	if (q->opts.rows > 0 && q->rows == q->opts.rows) {
		q->over++;
		return true;
	}
	ASSERT(count == q->columns.count);
	q->rows++;
	for (size_t i = 0; i < count; i++)
		out_query_keep(q, &cells[i], &q->columns.data[i]);
	const bool waits = q->opts.format == HEFT_TABLE || q->opts.format == HEFT_SVG;
	return waits || q->rows % ROWS_AT_ONCE != 0 || out_query_write_rows(q, false);
}

static bool out_query_end(void *ctx)
{
	struct query_report *q = ctx;
	const bool ok = out_query_write_rows(q, true);
	q->statements++;
	return ok;
}

struct query_visitor query_report_visitor(struct query_report *r)
{
	return (struct query_visitor){ out_query_start, out_query_add_row, out_query_end, r };
}

void query_report_release(struct query_report *r)
{
	vec_release_all(&r->columns, &r->cells);
	arena_release(&r->names);
	arena_release(&r->texts);
}
