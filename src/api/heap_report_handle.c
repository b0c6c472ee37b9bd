/* Makes reports about one heap, or about the difference of two. */
#include "api/heap.h"
#include "api/structs.h"

#include "map/rules.h"

#include <stdlib.h>

static void take_notes(struct heft_heap_report *r, const struct heft_heap *h)
{
	for (size_t i = 0; h && i < h->context.notes.count; i++)
		vec_push(&r->all_notes, h->context.notes.data[i]);
}

/* Marks the functions that the user calls helpers. Only their names count. */
static bool mark_helpers(struct heft_heap_report *r, struct heft_err *err)
{
	for (size_t i = 1; r->report.query.all_frames && i < r->report.sites.count; i++)
		if (r->report.sites.data[i].kind == PROCESS_FRAME_HELPER)
			r->report.sites.data[i].kind = PROCESS_FRAME_PLAIN;
	if (!r->report.query.helpers)
		return true;
	struct pattern *p = pattern_new(str_of(r->report.query.helpers), err);
	for (size_t i = 1; p && i < r->report.sites.count; i++) {
		struct heap_site *s = &r->report.sites.data[i];
		if (s->kind == PROCESS_FRAME_PLAIN &&
		    pattern_matches(p, str_of(s->frame.function), r->notes))
			s->kind = PROCESS_FRAME_HELPER;
	}
	pattern_free(p);
	return p != NULL;
}

/* Notes unused options of paths. For two dumps, either may need options of its own machine. */
static void note_paths(struct heft_heap_report *r, const struct heft_heap *h,
		       const struct heft_heap *base)
{
	const bool used = paths_used(&h->context.wish.paths) ||
			  (base && paths_used(&base->context.wish.paths));
	if (!used)
		paths_note_unused(&h->context.wish.paths, h->info.of.path, r->notes);
}

static bool heap_report_handle_make(struct heft_heap_report *r, struct heft_heap *h,
				    struct heft_heap *base, struct heft_err *err)
{
	progress_begin(0);
	progress_tell("names", 0, 0);
	process_name_calls(&h->process);
	if (base) {
		struct memory *before = memory_enter(base->memory);
		process_name_calls(&base->process);
		memory_enter(before);
	}
	struct heap_join *j = heap_join_new(r, h, base);
	uint32_t *now_steps = heap_join_steps(j, h);
	uint32_t *base_steps = base ? heap_join_steps(j, base) : NULL;
	heap_join_free(j);
	note_paths(r, h, base);
	const bool good = mark_helpers(r, err) && heap_leaves_add(r, h, now_steps, false, err) &&
			  (!base || heap_leaves_add(r, base, base_steps, true, err)) &&
			  heap_leaves_finish(r, err);
	mem_free(now_steps);
	mem_free(base_steps);
	if (good)
		heap_rows_make(r);
	return good;
}

static void heap_report_handle_release(struct heft_heap_report *r)
{
	vec_release(&r->report.modules);
	vec_release(&r->report.sites);
	vec_release(&r->report.steps);
	vec_release(&r->report.leaves);
	tree_release(&r->report.tree);
	vec_release(&r->all_notes);
	intern_release(&r->classes);
	arena_release(&r->arena);
	mem_free(r);
}

static bool report_new(struct heft_heap_report **ret, struct heft_heap *h, struct heft_heap *base,
		       const struct heft_heap_query *query, struct heft_err *err)
{
	if (!h->open || (base && !base->open))
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "no dump is open");
	if (base)
		memory_need_whole(base->memory);
	struct heft_heap_report *r = mem_zeroed(1, sizeof *r);
	r->memory = h->memory;
	r->notes = &h->context.notes;
	r->report.info = &h->info;
	r->report.base = base ? &base->info : NULL;
	if (!TAKE(heft_heap_query, &r->report.query, query, err) ||
	    !heap_report_handle_make(r, h, base, err)) {
		heap_report_handle_release(r);
		return false;
	}
	take_notes(r, h);
	take_notes(r, base);
	r->report.notes = r->all_notes.data;
	r->report.note_count = r->all_notes.count;
	*ret = r;
	return true;
}

static bool guarded_new(struct heft_heap_report **ret, struct heft_heap *h, struct heft_heap *base,
			const struct heft_heap_query *query, struct heft_err *err)
{
	return GUARDED(h->memory, err, report_new(ret, h, base, query, err));
}

/* Makes a report. Both heaps learn names of frames meanwhile. If the call is left early, both are
 * broken. */
struct heft_heap_report *heft_heap_report_new(struct heft_heap *h, struct heft_heap *base,
					      const struct heft_heap_query *query,
					      struct heft_err *err)
{
	struct heft_heap_report *r = NULL;
	const bool made = guarded_new(&r, h, base, query, err);
	if (base && memory_is_broken(h->memory))
		memory_break(base->memory, h->memory);
	return made ? r : NULL;
}

/* Frees a report. Reports of a broken heap are freed with the heap. */
void heft_heap_report_free(struct heft_heap_report *r)
{
	if (r && !memory_is_broken(r->memory))
		heap_report_handle_release(r);
}

const struct heft_table *heft_heap_report_table(const struct heft_heap_report *r)
{
	return &r->report.table;
}

/* Returns the innermost step of a row that is a stack. 0 for other rows. */
static uint32_t heap_report_handle_innermost(const struct heft_heap_report *r,
					     const struct heft_row *row)
{
	return r->report.query.by == HEFT_HEAP_BY_STACK && row->texts ? row->ref : 0;
}

size_t heft_heap_report_frame_count(const struct heft_heap_report *r, const struct heft_row *row)
{
	size_t count = 0;
	for (uint32_t step = heap_report_handle_innermost(r, row); step != 0;
	     step = r->report.steps.data[step].parent)
		count++;
	return count;
}

const struct heft_frame *heft_heap_report_frame(const struct heft_heap_report *r,
						const struct heft_row *row, size_t i)
{
	uint32_t step = heap_report_handle_innermost(r, row);
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
