/* Makes the shown text of labels, on several threads. */
#include "map/view.h"

#include "base/pool.h"
#include "base/sort.h"
#include "names/generic.h"
#include "names/namespace.h"

/* Labels are shown SLICE at a time. Of each slice, only distinct texts are kept. */
enum { CHUNK = 1024, SLICE = 128 * CHUNK };

/* Names are prefetched this many ahead, because neighbours are far apart in memory. */
enum { AHEAD = 4 };

struct view_worker {
	struct demangler demangler;
	struct text made, rewritten;
	struct arena texts;
	/* VIEW_BLOCK: the function of the previous block, and its shown name. */
	label_id function;
	struct hashed_text shown_function;
	/* VIEW_STACK, VIEW_BLOCK: shown names of frames so far, because most stacks share them. */
	struct intern frames;
	VEC(struct str) shown_frames;
};

struct work {
	const struct view *view;
	const struct labels *labels;
	struct notes *notes;
	const label_id *todo;
	size_t todo_count;
	struct hashed_text *result; /* text.p is NULL for a text that is shown as it is */
	struct view_worker *workers;
};

bool view_is_plain(const struct view *v)
{
	if (v->rules)
		return false;
	switch (v->form) {
	case VIEW_NAME: return v->style == HEFT_NAMES_RAW;
	case VIEW_STACK: return v->style == HEFT_NAMES_RAW && v->level == 0;
	case VIEW_PATH: return paths_empty(v->paths);
	case VIEW_BLOCK:
	case VIEW_NAMESPACE:
	case VIEW_GENERIC:
	case VIEW_DIRECTORY: break;
	}
	return false;
}

static struct str show_frame(const struct view *v, struct view_worker *me, struct str raw)
{
	const uint32_t id = intern_borrow(&me->frames, raw);
	if (id == me->shown_frames.count) {
		const struct str text = demangle(&me->demangler, raw, v->style);
		vec_push(&me->shown_frames,
			 (struct str){ arena_copy(&me->frames.arena, text), text.len });
	}
	return me->shown_frames.data[id];
}

/* Returns the shown frames of a stack or, if the view has a level, the frame of that level. */
static struct str show_stack(const struct view *v, struct view_worker *me, struct str raw)
{
	if (!memchr(raw.p, ';', raw.len))
		return demangle(&me->demangler, raw, v->style);
	text_set(&me->made, STR(""));
	for (size_t at = 0, level = 1;; level++) {
		const char *const end = memchr(raw.p + at, ';', raw.len - at);
		const size_t len = end ? (size_t)(end - raw.p) - at : raw.len - at;
		const struct str frame = { raw.p + at, len };
		if (v->level > 0 && (!end || level == v->level))
			return show_frame(v, me, frame);
		if (v->level == 0)
			text_add(&me->made, show_frame(v, me, frame));
		if (!end)
			return text_str(&me->made);
		if (v->level == 0)
			text_add_char(&me->made, ';');
		at += len + 1;
	}
}

/* Returns the shown name of a block's function. text.p is NULL if it is shown as it is. */
static struct hashed_text show_function(const struct view *v, const struct labels *labels,
					struct view_worker *me, label_id function)
{
	if (me->function == function)
		return me->shown_function;
	const struct str raw = label_text(labels, function), text = show_frame(v, me, raw);
	me->function = function;
	me->shown_function = (struct hashed_text){ { NULL, 0 }, 0 };
	if (!str_eq(text, raw))
		me->shown_function = (struct hashed_text){ text, hash_bytes(text.p, text.len) };
	return me->shown_function;
}

static struct str show_block(const struct view *v, const struct labels *labels,
			     struct view_worker *me, label_id id)
{
	if (!label_is_numbered(labels, id))
		return label_text(labels, id);
	const struct label_number block = label_numbered(labels, id);
	text_set(&me->made, show_frame(v, me, label_text(labels, block.of)));
	text_add_char(&me->made, '#');
	text_add_number(&me->made, block.number);
	return text_str(&me->made);
}

/* Returns the shown name of a symbol, or of "(after SYMBOL)". */
static struct str show_name(const struct view *v, struct view_worker *me, struct str raw)
{
	if (!label_is_after(raw))
		return demangle(&me->demangler, raw, v->style);
	text_set(&me->made, STR(LABEL_AFTER));
	text_adds(&me->made, demangle(&me->demangler, label_after_whom(raw), v->style), STR(")"));
	return text_str(&me->made);
}

/* Returns the namespace of a symbol. Labels of bytes without an owner stay. Debug info has the
 * label "(debug info)". */
static struct str show_namespace(const struct view *v, struct view_worker *me, struct str raw)
{
	if (str_starts(raw, STR("[")))
		return raw;
	if (str_ends(raw, STR(" (debug info)")))
		return STR("(debug info)");
	const struct str space = namespace_of(v->spaces, &me->demangler, raw);
	return space.len > 0 ? space : STR("(global)");
}

static struct str show(const struct view *v, const struct labels *labels, struct view_worker *me,
		       label_id id)
{
	if (v->form == VIEW_BLOCK)
		return show_block(v, labels, me, id);
	const struct str raw = label_text(labels, id);
	switch (v->form) {
	case VIEW_NAME: return show_name(v, me, raw);
	case VIEW_STACK: return show_stack(v, me, raw);
	case VIEW_NAMESPACE: return show_namespace(v, me, raw);
	case VIEW_GENERIC: return generic_name(&me->demangler, raw, &me->made);
	case VIEW_BLOCK:
	case VIEW_PATH:
	case VIEW_DIRECTORY: break;
	}
	const bool other = !paths_empty(v->paths) && paths_apply(v->paths, raw, &me->made);
	const struct str path = other ? text_str(&me->made) : raw;
	return v->form == VIEW_DIRECTORY ? path_directory(path, v->level) : path;
}

/* True if a block is shown by its function's shown name and its number. */
static bool shows_function(const struct view *v, const struct labels *labels, label_id id)
{
	return v->form == VIEW_BLOCK && !v->rules && label_is_numbered(labels, id);
}

static void show_one(struct work *w, struct view_worker *me, size_t i)
{
	if (shows_function(w->view, w->labels, w->todo[i])) {
		const label_id function = label_numbered(w->labels, w->todo[i]).of;
		w->result[i] = show_function(w->view, w->labels, me, function);
		return;
	}
	const struct str raw = label_text(w->labels, w->todo[i]);
	struct str text = show(w->view, w->labels, me, w->todo[i]);
	if (w->view->rules && rules_apply(w->view->rules, text, &me->rewritten, w->notes))
		text = (struct str){ me->rewritten.p, me->rewritten.len };
	if (text.p != raw.p || text.len != raw.len)
		w->result[i] = (struct hashed_text){ { arena_copy(&me->texts, text), text.len },
						     hash_bytes(text.p, text.len) };
}

static void show_chunk(void *ctx, size_t chunk, unsigned worker)
{
	struct work *w = ctx;
	const size_t end = min_u64((chunk + 1) * CHUNK, w->todo_count);
	for (size_t i = chunk * CHUNK; i < end; i++) {
		if (i + 2 * AHEAD < end)
			label_prefetch(w->labels, w->todo[i + AHEAD], w->todo[i + 2 * AHEAD]);
		show_one(w, &w->workers[worker], i);
	}
}

typedef VEC(label_id) label_vec;

/* True if a label is shown by its parts. */
static bool shows_parts(const struct view *v, const struct labels *labels, label_id id)
{
	return v->form == VIEW_STACK && !v->rules && label_is_chain(labels, id);
}

/* Lists the labels that are not shown yet, and marks them. Of chains, lists the parts. */
static label_vec list_new(struct view *v, const struct labels *labels, const struct spans *spans)
{
	label_vec todo = { 0 };
	for (size_t i = 0; i < spans->list.count; i++) {
		label_id id = spans->list.data[i].label;
		while (v->shown[id] == LABEL_NONE) {
			const bool parts = shows_parts(v, labels, id);
			const struct label_number n = label_numbered(labels, id);
			const label_id part = parts ? n.number : id;
			v->shown[id] = id;
			if (part == id || v->shown[part] == LABEL_NONE) {
				vec_push(&todo, part);
				v->shown[part] = part;
			}
			id = parts ? n.of : id;
		}
	}
	return todo;
}

/* Returns the shown label of a chain or, if the view has a level, of the part of that level. */
static label_id view_chain(const struct view *v, struct labels *labels, label_id id)
{
	const struct label_number n = label_numbered(labels, id);
	unsigned parts = 1;
	if (v->level == 0)
		return label_chain(labels, v->shown[n.of], v->shown[n.number]);
	for (label_id at = id; label_is_chain(labels, at); at = label_numbered(labels, at).of)
		parts++;
	for (; label_is_chain(labels, id) && parts > v->level; parts--)
		id = label_numbered(labels, id).of;
	return v->shown[label_is_chain(labels, id) ? label_numbered(labels, id).number : id];
}

static void show_slice(struct work *w, struct view *v, struct labels *labels, unsigned threads,
		       label_id *ids)
{
	memset(w->result, 0, w->todo_count * sizeof *w->result);
	parallel_for(threads, (w->todo_count + CHUNK - 1) / CHUNK, show_chunk, w);
	label_copy_all(labels, w->result, w->todo_count, ids);
	for (size_t i = 0; i < w->todo_count; i++) {
		const label_id id = w->todo[i];
		if (ids[i] != LABEL_NONE && shows_function(v, labels, id))
			ids[i] = label_block(labels, ids[i], label_numbered(labels, id).number);
		if (ids[i] != LABEL_NONE)
			v->shown[id] = ids[i];
	}
	for (unsigned i = 0; i < threads; i++)
		arena_release(&w->workers[i].texts);
}

void view_update(struct view *v, struct labels *labels, const struct spans *spans, unsigned threads,
		 struct notes *notes)
{
	const size_t count = labels->names.entries.count;
	if (count > v->count) {
		v->shown = mem_resize(v->shown, count * sizeof *v->shown);
		memset(v->shown + v->count, 0xff, (count - v->count) * sizeof *v->shown);
		v->count = count;
	}
	label_vec todo = list_new(v, labels, spans);
	if (v->form == VIEW_NAMESPACE) {
		struct demangler d = { 0 };
		for (size_t i = 0; i < todo.count; i++)
			namespaces_learn(v->spaces, &d, label_text(labels, todo.data[i]));
		demangler_release(&d);
	}
	const unsigned n = pool_threads(threads);
	const size_t most = min_u64(todo.count, SLICE);
	struct work w = { .view = v,
			  .labels = labels,
			  .notes = notes,
			  .result = mem_zeroed(most, sizeof(struct hashed_text)),
			  .workers = mem_zeroed(n, sizeof(struct view_worker)) };
	label_id *ids = mem_zeroed(most, sizeof *ids);
	for (unsigned i = 0; i < n; i++)
		w.workers[i].function = LABEL_NONE;
	for (size_t i = 0; i < todo.count; i += SLICE) {
		w.todo = todo.data + i;
		w.todo_count = min_u64(todo.count - i, SLICE);
		show_slice(&w, v, labels, n, ids);
	}
	/* The parts of a chain have smaller numbers than the chain. */
	for (label_id id = 0; id < count; id++)
		if (v->shown[id] == id && shows_parts(v, labels, id))
			v->shown[id] = view_chain(v, labels, id);
	mem_free(ids);
	for (unsigned i = 0; i < n; i++) {
		demangler_release(&w.workers[i].demangler);
		intern_release(&w.workers[i].frames);
		vec_release(&w.workers[i].shown_frames);
		text_release(&w.workers[i].made);
		text_release(&w.workers[i].rewritten);
	}
	mem_free_all(w.workers, w.result);
	vec_release(&todo);
}

void view_release(struct view *v)
{
	mem_free(v->shown);
	v->shown = NULL;
	v->count = 0;
}

const char *view_full_name(struct view_names *n, const struct view *v, const struct labels *labels,
			   label_id shown, size_t i)
{
	const bool names = v->form == VIEW_GENERIC ||
			   (v->form == VIEW_NAME && v->style == HEFT_NAMES_SHORT);
	if (!names || v->rules)
		return NULL;
	if (!n->read) {
		for (size_t k = 0; k < v->count; k++)
			if (v->shown[k] != LABEL_NONE && v->shown[k] != k)
				vec_push(&n->list, (struct view_name){ v->shown[k], (label_id)k });
		vec_sort(&n->list);
		n->read = true;
	}
	const size_t at = i + vec_lower(&n->list, shown);
	if (at >= n->list.count || n->list.data[at].shown != shown)
		return NULL;
	const struct str raw = label_text(labels, n->list.data[at].raw);
	text_set(&n->text, demangle(&n->demangler, raw, HEFT_NAMES_FULL));
	text_add_char(&n->text, '\0');
	return n->text.p;
}
