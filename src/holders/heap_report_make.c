/* Makes reports about one heap, or about the difference of two. */
#include "holders/holders.h"

#include "map/rules.h"

/* Marks functions whose names match the pattern of helpers. False if the pattern is invalid. */
static bool mark_helpers(struct heft_heap_report *r, struct heft_err *err)
{
	const struct heft_heap_query *q = &r->report.query;
	struct pattern *p = q->helpers ? pattern_new(str_of(q->helpers), err) : NULL;
	if (q->helpers && !p)
		return false;
	for (size_t i = 1; i < r->report.sites.count; i++) {
		struct heap_site *s = &r->report.sites.data[i];
		if (s->kind == PROCESS_FRAME_HELPER && q->all_frames)
			s->kind = PROCESS_FRAME_PLAIN;
		if (s->kind == PROCESS_FRAME_PLAIN && p &&
		    pattern_matches(p, str_of(s->frame.function), r->notes))
			s->kind = PROCESS_FRAME_HELPER;
	}
	pattern_free(p);
	return true;
}

static void name_calls(struct heft_heap *h)
{
	struct memory *before = memory_enter(h->memory);
	process_name_calls(&h->process);
	memory_enter(before);
}

static bool report_fill(struct heft_heap_report *r, struct heft_heap *h, struct heft_heap *base,
			struct heft_err *err)
{
	uint32_t *base_steps;
	progress_begin(0);
	progress_tell("names", 0, 0);
	name_calls(h);
	if (base)
		name_calls(base);
	uint32_t *steps = heap_join(r, h, base, &base_steps);
	const struct paths *paths = &h->context.wish.paths;
	/* Notes path options that no dump has used. In a diff, each dump may need its own. */
	if (!paths_used(paths) && !(base && paths_used(&base->context.wish.paths)))
		paths_note_unused(paths, h->info.of.path, r->notes);
	const bool good = mark_helpers(r, err) && heap_leaves_add(r, h, steps, false, err) &&
			  (!base || heap_leaves_add(r, base, base_steps, true, err)) &&
			  heap_leaves_finish(r, err);
	mem_free_all(steps, base_steps);
	if (good)
		heap_rows_make(r);
	return good;
}

void heap_report_release(struct heft_heap_report *r)
{
	vec_release_all(&r->report.modules, &r->report.sites, &r->report.steps, &r->report.leaves);
	tree_release(&r->report.tree);
	vec_release(&r->all_notes);
	intern_release(&r->classes);
	arena_release(&r->arena);
	mem_free(r);
}

static void take_notes(struct heft_heap_report *r, const struct heft_heap *h)
{
	for (size_t i = 0; i < h->context.notes.count; i++)
		vec_push(&r->all_notes, h->context.notes.data[i]);
}

bool heap_report_make(struct heft_heap_report **ret, struct heft_heap *h, struct heft_heap *base,
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
	r->report.query = *query;
	if (!report_fill(r, h, base, err)) {
		heap_report_release(r);
		return false;
	}
	take_notes(r, h);
	if (base)
		take_notes(r, base);
	r->report.notes = r->all_notes.data;
	r->report.note_count = r->all_notes.count;
	ASSERT(r->report.table.top);
	*ret = r;
	return true;
}
