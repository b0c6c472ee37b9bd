/* Implements reports about one heap, or about the difference of two: heft_heap_report_*. */
#include "api/structs.h"
#include "report/heap_report.h"

static bool heap_report_new(struct heft_heap_report **ret, struct heft_heap *h,
			    struct heft_heap *base, const struct heft_heap_query *query,
			    struct heft_err *err)
{
	struct heft_heap_query q = { 0 };
	*ret = NULL;
	return TAKE(heft_heap_query, &q, query, err) &&
	       GUARDED(h->memory, err, heap_report_make(ret, h, base, &q, err));
}

/* Both heaps learn names of frames during the call. If it fails halfway, both are broken. */
struct heft_heap_report *heft_heap_report_new(struct heft_heap *h, struct heft_heap *base,
					      const struct heft_heap_query *query,
					      struct heft_err *err)
{
	struct heft_heap_report *r;
	const bool made = heap_report_new(&r, h, base, query, err);
	if (base && memory_is_broken(h->memory))
		memory_break(base->memory, h->memory);
	return made ? r : NULL;
}

/* Frees a report. Reports of a broken heap are freed with the heap. */
void heft_heap_report_free(struct heft_heap_report *r)
{
	if (r && !memory_is_broken(r->memory))
		heap_report_release(r);
}

const struct heft_table *heft_heap_report_table(const struct heft_heap_report *r)
{
	return &r->report.table;
}

/* Returns the index in report.steps of a row's innermost frame. 0 if the row is not a stack. */
static uint32_t innermost_step(const struct heft_heap_report *r, const struct heft_row *row)
{
	const bool stack = r->report.query.by == HEFT_HEAP_BY_STACK && row->texts;
	ASSERT(!stack || row_ref(row) < r->report.steps.count);
	return stack ? row_ref(row) : 0;
}

size_t heft_heap_report_frame_count(const struct heft_heap_report *r, const struct heft_row *row)
{
	size_t count = 0;
	for (uint32_t step = innermost_step(r, row); step != 0;
	     step = r->report.steps.data[step].parent)
		count++;
	return count;
}

const struct heft_frame *heft_heap_report_frame(const struct heft_heap_report *r,
						const struct heft_row *row, size_t i)
{
	uint32_t step = innermost_step(r, row);
	for (; step != 0 && i > 0; i--)
		step = r->report.steps.data[step].parent;
	return step != 0 ? &heap_step_site(&r->report, step)->frame : NULL;
}

static bool heap_report_handle_write(const struct heft_heap_report *r,
				     const struct heft_write_opts *opts,
				     const struct heft_sink *sink, struct heft_err *err)
{
	struct heft_write_opts o = { .frames = 8 };
	struct sink s;
	if (!TAKE(heft_write_opts, &o, opts, err))
		return false;
	if (r->report.base && o.format == HEFT_PPROF)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
			    "this format holds one profile, not the difference of two");
	sink_start(&s, sink);
	return heap_report_write(&r->report, &o, &s, err);
}

bool heft_heap_report_write(const struct heft_heap_report *r, const struct heft_write_opts *opts,
			    const struct heft_sink *sink, struct heft_err *err)
{
	return GUARDED(r->memory, err, heap_report_handle_write(r, opts, sink, err));
}
