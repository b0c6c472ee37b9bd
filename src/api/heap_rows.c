/* The rows of a report: leaves in groups, each row's leaves in groups in turn. */
#include "api/heap.h"

#include "base/sort.h"

#include <stdlib.h>

/* A leaf on its way down the rows. */
struct item {
	uint64_t key;
	uint32_t leaf;
	uint32_t cursor; /* callers: the step of the row; tree: how far along its path */
};

/* Rows yet to be written, the next one last, with their items. */
struct task {
	struct heft_heap_row row;
	size_t start, count;
};

struct rower {
	struct heft_heap_report *hr;
	struct heap_report *r;
	struct item *items;
	VEC(struct task) tasks, groups;
	uint32_t *keys;     /* by site: what makes it the same row */
	VEC(uint32_t) site; /* by key: one that has it */
	/* tree: the sites of each leaf, outermost first, are path[path_of[leaf] ...) */
	VEC(uint32_t) path;
	size_t *path_of;
};

/* ---- what rows are by ----------------------------------------------------------------------- */

static bool by_class(enum heft_heap_by by)
{
	return by >= HEFT_HEAP_BY_THREAD;
}

static bool by_site(enum heft_heap_by by)
{
	return by >= HEFT_HEAP_BY_TREE && by <= HEFT_HEAP_BY_LINE;
}

static struct str site_text(const struct heap_report *r, const struct heap_site *s)
{
	switch (r->query.by) {
	case HEFT_HEAP_BY_MODULE: return str_of(r->modules.data[s->module].name);
	case HEFT_HEAP_BY_FILE:
		return str_of(*s->frame.file ? s->frame.file : r->modules.data[s->module].name);
	default: return str_of(s->label);
	}
}

/* Numbers the distinct functions, modules, files or lines. */
static void make_keys(struct rower *w)
{
	struct heap_report *r = w->r;
	struct intern seen = { 0 };
	struct text text = { 0 };
	w->keys = xcalloc(r->sites.count + 1, sizeof *w->keys);
	for (size_t i = 0; i < r->sites.count; i++) {
		const struct heap_site *s = &r->sites.data[i];
		text_set(&text, site_text(r, s));
		text_add_char(&text, '\0');
		if (r->query.by != HEFT_HEAP_BY_FILE)
			text_add_number(&text, s->module);
		if (r->query.by == HEFT_HEAP_BY_LINE) {
			text_add_char(&text, ' ');
			text_add_number(&text, i);
		}
		w->keys[i] = intern_add(&seen, text_str(&text));
		if (w->keys[i] == w->site.count)
			vec_push(&w->site, (uint32_t)i);
	}
	intern_release(&seen);
	text_release(&text);
}

static void make_paths(struct rower *w)
{
	struct heap_path path = { 0 };
	w->path_of = xcalloc(w->r->leaves.count + 1, sizeof *w->path_of);
	for (size_t i = 0; i < w->r->leaves.count; i++) {
		w->path_of[i] = w->path.count;
		heap_path_of(&path, w->r, w->r->leaves.data[i].step);
		for (size_t k = 0; k < path.steps.count; k++)
			vec_push(&w->path, w->r->steps.data[path.steps.data[k]].site);
	}
	w->path_of[w->r->leaves.count] = w->path.count;
	vec_release(&path.steps);
}

/* The group that an item belongs to in the rows below its cursor; false: in none, it ends here. */
static bool next_key(const struct rower *w, struct item *it)
{
	const struct heap_report *r = w->r;
	const struct heap_leaf *l = &r->leaves.data[it->leaf];
	switch (r->query.by) {
	case HEFT_HEAP_BY_STACK: it->key = (uint64_t)l->step << 32 | l->class; return true;
	case HEFT_HEAP_BY_THREAD:
	case HEFT_HEAP_BY_SIZE:
	case HEFT_HEAP_BY_AGE: it->key = l->class; return true;
	case HEFT_HEAP_BY_TREE:
		if (w->path_of[it->leaf] + it->cursor >= w->path_of[it->leaf + 1])
			return false;
		it->key = w->keys[w->path.data[w->path_of[it->leaf] + it->cursor++]];
		return true;
	default: break;
	}
	if (it->cursor == UINT32_MAX)
		return false;
	it->key = w->keys[r->steps.data[it->cursor].site];
	it->cursor = it->cursor == 0 || r->steps.data[it->cursor].parent == 0
			     ? UINT32_MAX
			     : r->steps.data[it->cursor].parent;
	return true;
}

/* ---- groups --------------------------------------------------------------------------------- */

static void add_measures(struct heft_heap_row *row, const uint64_t *now, const uint64_t *base)
{
	for (size_t m = 0; m < HEFT_HEAP_MEASURES; m++) {
		row->now[m] += now[m];
		row->base[m] += base[m];
	}
}

static void label_site(struct heft_heap_row *row, const struct rower *w, uint32_t site)
{
	const struct heap_site *s = &w->r->sites.data[site];
	const enum heft_heap_by by = w->r->query.by;
	row->site = site;
	row->label = site_text(w->r, s).p;
	if (by == HEFT_HEAP_BY_MODULE) {
		row->module = s->frame.module;
	} else if (by != HEFT_HEAP_BY_FILE) {
		row->module = s->frame.module;
		row->file = s->frame.file;
		if (by == HEFT_HEAP_BY_LINE || by == HEFT_HEAP_BY_STACK)
			row->line = s->frame.line;
	}
	if (!*row->label)
		row->label = "(not known)";
}

static struct heft_heap_row new_row(const struct rower *w, const struct item *it, uint32_t depth)
{
	const struct heap_leaf *l = &w->r->leaves.data[it->leaf];
	const enum heft_heap_by by = w->r->query.by;
	struct heft_heap_row row = { .label = "", .module = "", .file = "", .depth = depth };
	if (by_class(by)) {
		row.label = intern_get(&w->hr->classes, l->class).p;
	} else if (by_site(by)) {
		label_site(&row, w, w->site.data[it->key]);
	} else {
		row.node = l->step;
		row.reach = (enum heft_heap_reach)l->class;
		label_site(&row, w, w->r->steps.data[heap_owner_step(w->r, l->step)].site);
	}
	return row;
}

static uint64_t rank(const struct heap_report *r, const struct heft_heap_row *row)
{
	const uint64_t now = row->now[r->query.sort], base = row->base[r->query.sort];
	if (!r->base)
		return now;
	return now > base ? now - base : base - now;
}

struct ranked {
	uint64_t rank; /* smaller first */
	struct task *task;
};

static int compare_labels(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	const int c = strcmp(x->task->row.label, y->task->row.label);
	return c != 0 ? c : x->task->start < y->task->start ? -1 : x->task->start > y->task->start;
}

static bool unchanged(const struct heft_heap_row *row)
{
	return memcmp(row->now, row->base, sizeof row->now) == 0;
}

/* A diff has no rows for what did not change. */
static void drop_unchanged(struct rower *w)
{
	size_t kept = 0;
	for (size_t i = 0; i < w->groups.count; i++)
		if (!w->r->base || !unchanged(&w->groups.data[i].row))
			w->groups.data[kept++] = w->groups.data[i];
	w->groups.count = kept;
}

/* Puts the items [start, start + count) in groups, in the order of their rows. */
static void make_groups(struct rower *w, size_t start, size_t count, uint32_t depth)
{
	struct item *items = w->items + start;
	size_t kept = 0;
	w->groups.count = 0;
	for (size_t i = 0; i < count; i++)
		if (next_key(w, &items[i]))
			items[kept++] = items[i];
	sort_by_key(items, kept, sizeof *items);
	for (size_t i = 0; i < kept; i++) {
		const struct heap_leaf *l = &w->r->leaves.data[items[i].leaf];
		if (i == 0 || items[i].key != items[i - 1].key)
			vec_push(&w->groups,
				 (struct task){ new_row(w, &items[i], depth), start + i, 0 });
		struct task *t = &w->groups.data[w->groups.count - 1];
		add_measures(&t->row, l->now, l->base);
		t->count++;
	}
	drop_unchanged(w);
}

/* Classes of size and age keep their order. */
static struct ranked *rank_groups(const struct rower *w)
{
	const enum heft_heap_by by = w->r->query.by;
	struct ranked *order = xcalloc(w->groups.count + 1, sizeof *order);
	for (size_t i = 0; i < w->groups.count; i++) {
		struct task *t = &w->groups.data[i];
		order[i] = (struct ranked){ UINT64_MAX - rank(w->r, &t->row), t };
		if (by == HEFT_HEAP_BY_SIZE || by == HEFT_HEAP_BY_AGE)
			order[i].rank = i;
	}
	sort_by_key_then(order, w->groups.count, sizeof *order, compare_labels);
	return order;
}

/* How many of the groups become rows: up to the limit, below the first level none that is small, in a
 * diff none that is the same in what is sorted by. */
static size_t rows_wanted(const struct rower *w, const struct ranked *order, uint32_t depth)
{
	enum { SMALL = 200 }; /* part of the whole */
	const struct heap_report *r = w->r;
	const bool ordered = r->query.by == HEFT_HEAP_BY_SIZE || r->query.by == HEFT_HEAP_BY_AGE;
	size_t count = w->groups.count;
	if (r->query.rows == 0 || ordered)
		return count;
	if (count > r->query.rows)
		count = r->query.rows;
	const uint64_t least = depth > 0 ? rank(r, &r->total) / SMALL : r->base != NULL;
	while (count > 0 && rank(r, &order[count - 1].task->row) < least)
		count--;
	return count;
}

/* Makes tasks of the groups, the first one on top. */
static void push_groups(struct rower *w, uint32_t depth)
{
	struct ranked *order = rank_groups(w);
	const size_t wanted = rows_wanted(w, order, depth);
	if (wanted < w->groups.count) {
		struct task rest = { .row = { .label = "",
					      .module = "",
					      .file = "",
					      .depth = depth,
					      .others = w->groups.count - wanted } };
		for (size_t i = wanted; i < w->groups.count; i++)
			add_measures(&rest.row, order[i].task->row.now, order[i].task->row.base);
		vec_push(&w->tasks, rest);
	}
	for (size_t i = wanted; i-- > 0;)
		vec_push(&w->tasks, *order[i].task);
	free(order);
}

/* ---- with all that was called from there ---------------------------------------------------- */

/* Adds each leaf to every row that one of its frames belongs to, once. */
static void add_below(struct rower *w)
{
	const struct heap_report *r = w->r;
	const size_t keys = w->site.count;
	uint32_t *row_of = xcalloc(keys + 1, sizeof *row_of),
		 *seen = xcalloc(keys + 1, sizeof *seen);
	for (size_t i = 0; i < r->rows.count; i++)
		if (r->rows.data[i].others == 0)
			row_of[w->keys[r->rows.data[i].site]] = (uint32_t)i + 1;
	for (size_t i = 0; i < r->leaves.count; i++) {
		const struct heap_leaf *l = &r->leaves.data[i];
		for (uint32_t step = l->step; step != 0; step = r->steps.data[step].parent) {
			const uint32_t key = w->keys[r->steps.data[step].site];
			if (seen[key] == i + 1 || row_of[key] == 0)
				continue;
			seen[key] = (uint32_t)i + 1;
			struct heft_heap_row *row = &r->rows.data[row_of[key] - 1];
			row->now_below += l->now[r->query.sort];
			row->base_below += l->base[r->query.sort];
		}
	}
	free(row_of);
	free(seen);
}

/* ---- all together --------------------------------------------------------------------------- */

static void start_items(struct rower *w)
{
	const struct heap_report *r = w->r;
	w->items = xcalloc(r->leaves.count + 1, sizeof *w->items);
	for (size_t i = 0; i < r->leaves.count; i++) {
		w->items[i].leaf = (uint32_t)i;
		if (r->query.by != HEFT_HEAP_BY_TREE)
			w->items[i].cursor = heap_owner_step(r, r->leaves.data[i].step);
	}
}

void heap_rows_make(struct heft_heap_report *hr)
{
	struct heap_report *r = &hr->report;
	struct rower w = { .hr = hr, .r = r };
	const enum heft_heap_by by = r->query.by;
	r->total = (struct heft_heap_row){ .label = "TOTAL", .module = "", .file = "" };
	for (size_t i = 0; i < r->leaves.count; i++)
		add_measures(&r->total, r->leaves.data[i].now, r->leaves.data[i].base);
	start_items(&w);
	make_keys(&w);
	if (by == HEFT_HEAP_BY_TREE)
		make_paths(&w);
	make_groups(&w, 0, r->leaves.count, 0);
	push_groups(&w, 0);
	while (w.tasks.count > 0) {
		const struct task t = w.tasks.data[--w.tasks.count];
		vec_push(&r->rows, t.row);
		if ((by != HEFT_HEAP_BY_TREE && by != HEFT_HEAP_BY_CALLERS) || t.row.others > 0)
			continue;
		make_groups(&w, t.start, t.count, t.row.depth + 1);
		push_groups(&w, t.row.depth + 1);
	}
	if (by_site(by) && by != HEFT_HEAP_BY_TREE && by != HEFT_HEAP_BY_CALLERS)
		add_below(&w);
	free(w.items);
	free(w.keys);
	free(w.path_of);
	vec_release(&w.tasks);
	vec_release(&w.groups);
	vec_release(&w.site);
	vec_release(&w.path);
}
