/* Implements proposals that make a program smaller: heft_advice_*. */
#include "api/structs.h"
#include "measure/advice_rows.h"
#include "measure/snapshot_handle.h"
#include "report/report.h"

struct heft_advice {
	struct memory *memory; /* Must be the first field: see handle_new(). */
	struct advice_rows rows;
};

static bool advice_handle_find(struct heft_advice *a, const struct heft_snapshot *s,
			       const struct heft_info *info, struct heft_err *err)
{
	if (!s->open || info->files.count != 1)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
			    "advice needs an open snapshot, and facts of one file");
	memory_need_whole(s->memory);
	memory_take_progress(s->memory);
	progress_tell("advice", 0, 0);
	return advice_rows_find(&a->rows, &s->snapshot, &info->files.data[0], err);
}

struct heft_advice *heft_advice_new(const struct heft_snapshot *s, const struct heft_info *info,
				    struct heft_err *err)
{
	struct heft_advice *a = handle_new(sizeof *a);
	if (GUARDED(a ? a->memory : NULL, err, advice_handle_find(a, s, info, err)))
		return a;
	heft_advice_free(a);
	return NULL;
}

bool heft_advice_add_graph(struct heft_advice *a, struct heft_graph *g, struct heft_err *err)
{
	if (!g->is_read)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "no program is open");
	memory_need_whole(g->memory);
	return GUARDED(a->memory, err, (advice_rows_add_graph(&a->rows, g), true));
}

void heft_advice_free(struct heft_advice *a)
{
	handle_free(a);
}

const struct heft_table *heft_advice_table(struct heft_advice *a, uint32_t rows)
{
	return GUARDED(a->memory, NULL, (advice_rows_make(&a->rows, rows), true)) ? &a->rows.table
										  : NULL;
}

bool heft_advice_prove(struct heft_advice *a, const char *label, int64_t saved, int64_t padding,
		       const char *failure, struct heft_err *err)
{
	return GUARDED(a->memory, err,
		       advice_rows_prove(&a->rows, label, saved, padding, failure, err));
}

static bool advice_handle_write(struct heft_advice *a, uint32_t rows,
				const struct heft_write_opts *opts, const struct heft_sink *sink,
				struct heft_err *err)
{
	struct heft_write_opts o = { 0 };
	struct sink out;
	if (!TAKE(heft_write_opts, &o, opts, err) || !list_has_format(o.format, HEFT_TABLE, err))
		return false;
	advice_rows_make(&a->rows, rows);
	sink_start(&out, sink);
	return advice_report_write(&a->rows.table, &o, &out, err);
}

bool heft_advice_write(struct heft_advice *a, uint32_t rows, const struct heft_write_opts *opts,
		       const struct heft_sink *sink, struct heft_err *err)
{
	return GUARDED(a->memory, err, advice_handle_write(a, rows, opts, sink, err));
}
