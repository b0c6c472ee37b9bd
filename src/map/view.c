#include "map/view.h"

#include "base/pool.h"
#include "names/demangle.h"

enum { CHUNK = 1024 };

struct work {
	const struct view *view;
	const struct labels *labels;
	struct notes *notes;
	const label_id *todo;
	size_t todo_count;
	struct str *result; /* p NULL: shown as it is */
	struct worker {
		struct demangler demangler;
		struct text rewritten;
		struct arena texts;
	} *workers;
};

bool view_is_plain(const struct view *v)
{
	return v->style == HEFT_NAMES_RAW && !v->rules;
}

static void show_one(struct work *w, struct worker *me, size_t i)
{
	const struct str raw = label_text(w->labels, w->todo[i]);
	struct str text = raw;
	if (w->view->style != HEFT_NAMES_RAW)
		text = demangle(&me->demangler, raw, w->view->style);
	if (w->view->rules && rules_apply(w->view->rules, text, &me->rewritten, w->notes))
		text = (struct str){ me->rewritten.p, me->rewritten.len };
	if (text.p != raw.p)
		w->result[i] = (struct str){ arena_copy(&me->texts, text), text.len };
}

static void show_chunk(void *ctx, size_t chunk, unsigned worker)
{
	struct work *w = ctx;
	const size_t end = min_u64((chunk + 1) * CHUNK, w->todo_count);
	for (size_t i = chunk * CHUNK; i < end; i++)
		show_one(w, &w->workers[worker], i);
}

static void make_room(struct view *v, size_t count)
{
	if (count <= v->count)
		return;
	v->shown = xrealloc(v->shown, count * sizeof *v->shown);
	memset(v->shown + v->count, 0xff, (count - v->count) * sizeof *v->shown);
	v->count = count;
}

typedef VEC(label_id) label_vec;

/* The labels nobody asked for yet, each once, marked as asked for. */
static label_vec list_new(struct view *v, const struct spans *spans)
{
	label_vec todo = { 0 };
	for (size_t i = 0; i < spans->list.count; i++) {
		const label_id id = spans->list.data[i].label;
		if (v->shown[id] != LABEL_NONE)
			continue;
		v->shown[id] = id;
		vec_push(&todo, id);
	}
	return todo;
}

void view_update(struct view *v, struct labels *labels, const struct spans *spans, unsigned threads,
		 struct notes *notes)
{
	make_room(v, labels->names.entries.count);
	label_vec todo = list_new(v, spans);
	const unsigned n = pool_threads(threads);
	struct work w = { .view = v,
			  .labels = labels,
			  .notes = notes,
			  .todo = todo.data,
			  .todo_count = todo.count,
			  .result = xcalloc(todo.count, sizeof(struct str)),
			  .workers = xcalloc(n, sizeof(struct worker)) };
	parallel_for(n, (todo.count + CHUNK - 1) / CHUNK, show_chunk, &w);
	for (size_t i = 0; i < todo.count; i++)
		if (w.result[i].p)
			v->shown[todo.data[i]] = label_borrow(labels, w.result[i]);
	for (unsigned i = 0; i < n; i++) {
		arena_adopt(&v->texts, &w.workers[i].texts);
		demangler_release(&w.workers[i].demangler);
		text_release(&w.workers[i].rewritten);
	}
	free(w.workers);
	free(w.result);
	vec_release(&todo);
}

void view_release(struct view *v)
{
	free(v->shown);
	arena_release(&v->texts);
	v->shown = NULL;
	v->count = 0;
}
