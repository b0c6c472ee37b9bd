/* Implements pages: heft_page_*. */
#include "api/structs.h"
#include "image/kinds.h"
#include "page/page_tabs.h"

#include <stdio.h>

struct heft_page {
	struct memory *memory; /* Must be the first field: see handle_new(). */
	struct context context;
	struct page page;
};

struct heft_page *heft_page_new(struct heft_session *session)
{
	return context_handle_new(session, CONTEXT_HANDLE(struct heft_page));
}

void heft_page_free(struct heft_page *p)
{
	CONTEXT_FREE(struct heft_page, p);
}

static bool page_handle_look(const struct heft_session *s, const char *path,
			     enum heft_input_kind *ret, struct heft_err *err)
{
	static const enum heft_input_kind kinds[KIND_COUNT] = {
		[KIND_CORE] = HEFT_INPUT_DUMP,        [KIND_RECORDING] = HEFT_INPUT_DUMP,
		[KIND_PACKAGE] = HEFT_INPUT_LIST,     [KIND_DEX] = HEFT_INPUT_LIST,
		[KIND_PAK] = HEFT_INPUT_LIST,         [KIND_SIZE] = HEFT_INPUT_LIST,
		[KIND_SIZEDIFF] = HEFT_INPUT_LISTS,   [KIND_SAMPLES] = HEFT_INPUT_SAMPLES,
		[KIND_DATABASE] = HEFT_INPUT_HISTORY,
	};
	struct file f;
	_Static_assert(HEFT_INPUT_PROGRAM == 0, "all other kinds are for a profile");
	memory_set_inputs(&s->finder.wish.inputs);
	if (str_starts(str_of(path), STR("postgresql://"))) {
		*ret = HEFT_INPUT_HISTORY;
		return true;
	}
	if (!file_open(&f, path, err))
		return false;
	*ret = kinds[file_format_of(f.bytes, NULL)->kind];
	file_close(&f);
	return true;
}

bool heft_input_look(const struct heft_session *s, const char *path, enum heft_input_kind *ret,
		     struct heft_err *err)
{
	return GUARDED_ALONE(err, page_handle_look(s, path, ret, err));
}

static bool has_run(const struct heft_profile *profile, struct heft_err *err)
{
	memory_need_whole(profile->memory);
	return profile->table.top ||
	       fail(err, HEFT_EARG, HEFT_NO_OFFSET, "the profile has not run");
}

bool heft_page_add_profile(struct heft_page *p, const char *title, struct heft_profile *profile,
			   struct heft_err *err)
{
	return GUARDED(p->memory, err,
		       has_run(profile, err) &&
			       (page_add_profile(&p->page, title, profile, NULL), true));
}

bool heft_page_add_profile_code(struct heft_page *p, const char *title,
				struct heft_profile *profile, struct heft_blocks *blocks,
				struct heft_samples *samples, struct heft_err *err)
{
	struct symbol_code code;
	if (!GUARDED(blocks ? blocks->memory : p->memory, err,
		     has_run(profile, err) &&
			     symbol_code_make(&code, profile, blocks, samples, err)))
		return false;
	const bool good = GUARDED(p->memory, err,
				  (page_add_profile(&p->page, title, profile, &code), true));
	symbol_code_release(&code);
	return good;
}

static bool page_add_snapshots(struct heft_page *p, const char *title,
			       const struct heft_snapshot *before,
			       const struct heft_snapshot *after, struct heft_err *err)
{
	if (!after->open || (before && !before->open))
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "the snapshot is not open");
	memory_need_whole(after->memory);
	if (before)
		memory_need_whole(before->memory);
	const struct snapshot *half = after->is_diff ? &after->before : NULL;
	page_add_lists(&p->page, title, before ? &before->snapshot : half, after);
	return true;
}

bool heft_page_add_snapshot(struct heft_page *p, const char *title,
			    const struct heft_snapshot *before, const struct heft_snapshot *after,
			    struct heft_err *err)
{
	return GUARDED(p->memory, err, page_add_snapshots(p, title, before, after, err));
}

/* Adds a tab for leaked blocks, if leaks are known and there are any. */
static bool add_leaks(struct heft_page *p, const char *title, struct heft_heap *heap,
		      struct heft_err *err)
{
	const struct heft_heap_query query = { .size = sizeof query, .leaks = true };
	char name[300];
	if (heap->process.heap.blocks.live.count == 0)
		return true;
	struct heft_heap_report *r = heft_heap_report_new(heap, NULL, &query, err);
	if (!r)
		return err->code == HEFT_EUNSUPPORTED;
	snprintf(name, sizeof name, "%s: leaks", title);
	const bool good = r->report.table.top->child_count == 0 ||
			  GUARDED(p->memory, err,
				  (page_add_stacks(&p->page, name, heap, r, NULL), true));
	heft_heap_report_free(r);
	return good;
}

bool heft_page_add_heap(struct heft_page *p, const char *title, struct heft_heap *heap,
			struct heft_heap *base, struct heft_err *err)
{
	/* Includes unchanged rows, as `heft heap diff` does, to show all rows below a changed
	 * function. */
	const struct heft_heap_query query = { .size = sizeof query, .unchanged = true };
	struct heft_buffer damage = { 0 };
	const struct heft_sink to = heft_sink_buffer(&damage);
	size_t count;
	/* Searches for damage first: that reads the stacks of running threads, so that their
	 * functions are named together with those of the blocks. */
	struct heft_heap_report *r =
		heft_heap_find_damage(heap, &count, err) &&
				(count == 0 ||
				 heft_heap_write(heap, HEFT_HEAP_CHECK, HEFT_TABLE, &to, err))
			? heft_heap_report_new(heap, base, &query, err)
			: NULL;
	const bool good = r &&
			  GUARDED(p->memory, err,
				  (page_add_stacks(&p->page, title, heap, r, damage.data), true));
	heft_buffer_release(&damage);
	heft_heap_report_free(r);
	return good && (base || add_leaks(p, title, heap, err));
}

bool heft_page_add_samples(struct heft_page *p, const char *title, struct heft_samples *s,
			   struct heft_err *err)
{
	return GUARDED(p->memory, err, (page_add_samples(&p->page, title, s), true));
}

static bool page_add_timeline(struct heft_page *p, const char *title,
			      const struct heft_page_timeline *given, struct heft_err *err)
{
	struct heft_page_timeline t = { 0 };
	if (!TAKE(heft_page_timeline, &t, given, err))
		return false;
	if (!t.table)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "a timeline needs a table");
	page_add(&p->page, &(struct page_tab){ .title = title,
					       .kind = "history",
					       .table = t.table,
					       .facts = t.facts,
					       .fact_count = t.fact_count,
					       .timeline = &t });
	return true;
}

bool heft_page_add_timeline(struct heft_page *p, const char *title,
			    const struct heft_page_timeline *t, struct heft_err *err)
{
	return GUARDED(p->memory, err, page_add_timeline(p, title, t, err));
}

bool heft_page_write(struct heft_page *p, const struct heft_sink *sink, struct heft_err *err)
{
	return GUARDED(p->memory, err, page_write(&p->page, sink, err));
}
