/* Makes the rows of a report: adds the bytes of each stack to its rows and their parents. */
#include "holders/holders.h"

static const char *const heap_by_names[] = {
	[HEFT_HEAP_BY_STACK] = "stack",     [HEFT_HEAP_BY_TREE] = "tree",
	[HEFT_HEAP_BY_CALLERS] = "callers", [HEFT_HEAP_BY_FUNCTION] = "function",
	[HEFT_HEAP_BY_MODULE] = "module",   [HEFT_HEAP_BY_FILE] = "file",
	[HEFT_HEAP_BY_LINE] = "line",       [HEFT_HEAP_BY_THREAD] = "thread",
	[HEFT_HEAP_BY_SIZE] = "size",       [HEFT_HEAP_BY_AGE] = "age",
};

const struct heft_measure heap_measures[HEFT_HEAP_WITH_CALLEES + 1] = {
	[HEFT_HEAP_LIVE_BYTES] = { "live_bytes", "live", HEFT_BYTES, false, false,
				   "bytes that were asked for and not freed" },
	[HEFT_HEAP_LIVE] = { "live_blocks", "blocks", HEFT_COUNT, false, false,
			     "blocks that were not freed" },
	[HEFT_HEAP_PEAK_BYTES] = { "peak_bytes", "peak", HEFT_BYTES, false, false,
				   "bytes that were live when the process held most" },
	[HEFT_HEAP_PEAK] = { "peak_blocks", "at peak", HEFT_COUNT, false, false,
			     "blocks that were live then" },
	[HEFT_HEAP_ALLOC_BYTES] = { "alloc_bytes", "allocated", HEFT_BYTES, false, false,
				    "bytes that were asked for" },
	[HEFT_HEAP_ALLOCS] = { "allocs", "calls", HEFT_COUNT, false, false,
			       "calls that asked for them" },
	[HEFT_HEAP_TEMPORARY] = { "temporary", "temporary", HEFT_COUNT, false, false,
				  "allocations freed before their thread asked for another" },
	[HEFT_HEAP_WITH_CALLEES] = { "with_callees", "with callees", HEFT_COUNT, true, false,
				     "of functions, modules, files and lines: the measure that "
				     "they are sorted by, with all that was called from there" },
};

const struct heft_text heap_texts[HEAP_TEXTS] = {
	[HEAP_MODULE] = { "module", false, "path of the program or library" },
	[HEAP_FILE] = { "file", false, "of the source" },
	[HEAP_LINE] = { "line", true, "in this file" },
	[HEAP_REACH] = { "reach", false, "of leaks: `lost` or `indirect`" },
};

void heap_path_of(struct heap_path *path, const struct heap_report *r, uint32_t step)
{
	path->steps.count = 0;
	ASSERT(step < r->steps.count || step == 0);
	for (; step != 0; step = r->steps.data[step].parent) {
		ASSERT(r->steps.data[step].parent < step);
		vec_push(&path->steps, step);
	}
	for (size_t i = 0, k = path->steps.count; i + 1 < k; i++, k--) {
		const uint32_t first = path->steps.data[i];
		path->steps.data[i] = path->steps.data[k - 1];
		path->steps.data[k - 1] = first;
	}
}

struct rower {
	struct heap_report *r;
	const struct intern *classes;
	struct arena *arena;
	uint32_t *keys;     /* Per site: its key. Sites with equal keys share a row */
	VEC(uint32_t) site; /* Per key: one site with that key */
};

static bool by_class(enum heft_heap_by by)
{
	return by >= HEFT_HEAP_BY_THREAD;
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

/* Gives each site a key: the number of its function, module, file or line. */
static void make_keys(struct rower *w)
{
	struct heap_report *r = w->r;
	struct intern seen = { 0 };
	struct text text = { 0 };
	w->keys = mem_zeroed(r->sites.count + 1, sizeof *w->keys);
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

static void heap_rows_add_leaf(struct rower *w, uint32_t node, const struct heap_leaf *l)
{
	uint64_t *now = tree_sums(&w->r->tree, node, HEFT_INPUT);
	uint64_t *base = tree_sums(&w->r->tree, node, HEFT_BASE);
	for (size_t m = 0; m < HEAP_MEASURES; m++) {
		now[m] += l->now[m];
		base[m] += l->base[m];
	}
}

static uint32_t step_node(struct rower *w, uint32_t parent, uint32_t step)
{
	return tree_get(&w->r->tree, parent, w->keys[w->r->steps.data[step].site]);
}

/* Adds a leaf's bytes to rows of its functions, from the outermost inward. */
static void add_down(struct rower *w, const struct heap_leaf *l, struct heap_path *path)
{
	uint32_t node = 0;
	heap_path_of(path, w->r, l->step);
	if (path->steps.count == 0)
		vec_push(&path->steps, 0);
	for (size_t i = 0; i < path->steps.count; i++) {
		node = step_node(w, node, path->steps.data[i]);
		heap_rows_add_leaf(w, node, l);
	}
}

/* Adds a leaf's bytes to rows of its functions, from the owner outward, as deep as rows are
 * shown. */
static void heap_rows_add_up(struct rower *w, const struct heap_leaf *l)
{
	uint32_t step = heap_owner_step(w->r, l->step), node = 0;
	do {
		node = step_node(w, node, step);
		heap_rows_add_leaf(w, node, l);
		step = step > 0 ? w->r->steps.data[step].parent : 0;
	} while (step > 0 && w->r->query.by == HEFT_HEAP_BY_CALLERS);
}

/* Adds a row per class that leaves have, in the order of classes. */
static void add_classes(struct rower *w)
{
	uint8_t *used = mem_zeroed(w->classes->entries.count + 1, 1);
	for (size_t i = 0; i < w->r->leaves.count; i++)
		used[w->r->leaves.data[i].class] = 1;
	for (uint32_t c = 0; c < w->classes->entries.count; c++)
		if (used[c])
			tree_get(&w->r->tree, 0, c);
	mem_free(used);
}

static void make_tree(struct rower *w)
{
	const enum heft_heap_by by = w->r->query.by;
	struct heap_path path = { 0 };
	if (by_class(by))
		add_classes(w);
	for (size_t i = 0; i < w->r->leaves.count; i++) {
		const struct heap_leaf *l = &w->r->leaves.data[i];
		heap_rows_add_leaf(w, 0, l);
		if (by == HEFT_HEAP_BY_STACK)
			heap_rows_add_leaf(w, tree_add(&w->r->tree, 0, (uint32_t)i), l);
		else if (by_class(by))
			heap_rows_add_leaf(w, tree_get(&w->r->tree, 0, l->class), l);
		else if (by == HEFT_HEAP_BY_TREE)
			add_down(w, l, &path);
		else
			heap_rows_add_up(w, l);
	}
	vec_release(&path.steps);
}

/* Adds each leaf once to every row to which one of its frames belongs. */
static void add_callees(struct rower *w)
{
	const struct heap_report *r = w->r;
	uint32_t *seen = mem_zeroed(w->site.count + 1, sizeof *seen);
	for (size_t i = 0; i < r->leaves.count; i++) {
		const struct heap_leaf *l = &r->leaves.data[i];
		for (uint32_t step = l->step; step != 0; step = r->steps.data[step].parent) {
			const uint32_t key = w->keys[r->steps.data[step].site];
			const uint32_t node = tree_top(&r->tree, key);
			if (seen[key] == i + 1 || node == 0)
				continue;
			seen[key] = (uint32_t)i + 1;
			tree_sums(&r->tree, node,
				  HEFT_INPUT)[HEFT_HEAP_WITH_CALLEES] += l->now[r->query.sort];
			tree_sums(&r->tree, node,
				  HEFT_BASE)[HEFT_HEAP_WITH_CALLEES] += l->base[r->query.sort];
		}
	}
	mem_free(seen);
}

/* Returns the call site whose function names the row of a node. */
static const struct heap_site *node_site(const struct rower *w, uint32_t node)
{
	const uint32_t key = w->r->tree.nodes.data[node].key;
	if (w->r->query.by != HEFT_HEAP_BY_STACK)
		return &w->r->sites.data[w->site.data[key]];
	return heap_step_site(w->r, heap_owner_step(w->r, w->r->leaves.data[key].step));
}

static const char *heap_rows_node_label(void *ctx, uint32_t node)
{
	const struct rower *w = ctx;
	if (by_class(w->r->query.by))
		return intern_get(w->classes, w->r->tree.nodes.data[node].key).p;
	const char *text = site_text(w->r, node_site(w, node)).p;
	return *text ? text : "(not known)";
}

static void heap_rows_fill(void *ctx, uint32_t node, uint32_t level, struct heft_row *row)
{
	const struct rower *w = ctx;
	const enum heft_heap_by by = w->r->query.by;
	(void)level;
	if (by_class(by))
		return;
	const struct heap_site *s = node_site(w, node);
	const struct heap_leaf *l = &w->r->leaves.data[w->r->tree.nodes.data[node].key];
	const bool lines = by == HEFT_HEAP_BY_LINE || by == HEFT_HEAP_BY_STACK;
	const char **texts = arena_new(w->arena, const char *, HEAP_TEXTS);
	texts[HEAP_MODULE] = by != HEFT_HEAP_BY_FILE ? s->frame.module : "";
	texts[HEAP_FILE] = by != HEFT_HEAP_BY_FILE && by != HEFT_HEAP_BY_MODULE ? s->frame.file
										: "";
	texts[HEAP_LINE] = lines && s->frame.line > 0
				   ? arena_format(w->arena, "%" PRIu32, s->frame.line)
				   : "";
	texts[HEAP_REACH] = "";
	row_set_ref(row, (uint32_t)(s - w->r->sites.data));
	if (by == HEFT_HEAP_BY_STACK) {
		texts[HEAP_REACH] = l->class == LEAF_LOST       ? "lost"
				    : l->class == LEAF_INDIRECT ? "indirect"
								: "";
		row_set_ref(row, l->step);
	}
	row->texts = texts;
}

/* Tree rows below 1/SMALL of the total are joined into one row. */
enum { SMALL = 200 };

static uint64_t least_below(const struct heap_report *r)
{
	const uint64_t now = tree_sums(&r->tree, 0, HEFT_INPUT)[r->query.sort];
	const uint64_t base = tree_sums(&r->tree, 0, HEFT_BASE)[r->query.sort];
	const uint64_t all = !r->base ? now : now > base ? now - base : base - now;
	return r->query.rows > 0 ? all / SMALL : 0;
}

static const struct heft_row *build_rows(struct rower *w)
{
	const struct heap_report *r = w->r;
	const enum heft_heap_by by = r->query.by;
	const struct rows_opts opts = {
		.measures = r->measures,
		.limit = r->query.rows,
		.sort = by == HEFT_HEAP_BY_SIZE || by == HEFT_HEAP_BY_AGE ? HEFT_SORT_NONE
			: r->query.order != HEFT_SORT_AUTO                ? r->query.order
			: r->base                                         ? HEFT_SORT_DELTA
									  : HEFT_SORT_SIZE,
		.keys = 1u << r->query.sort,
		.told = r->base && !r->query.unchanged ? (1u << HEAP_MEASURES) - 1 : 0,
		.diff = r->base != NULL,
		.others_last = true,
		.least = r->base && r->query.rows > 0,
		.least_below = least_below(r),
		.label = heap_rows_node_label,
		.fill = heap_rows_fill,
		.ctx = w,
	};
	return rows_build(&r->tree, &opts, w->arena);
}

void heap_rows_make(struct heft_heap_report *hr)
{
	struct heap_report *r = &hr->report;
	struct rower w = { .r = r, .classes = &hr->classes, .arena = &hr->arena };
	ASSERT(r->steps.count > 0 && r->sites.count > 0);
	const bool callees = r->query.by >= HEFT_HEAP_BY_FUNCTION &&
			     r->query.by <= HEFT_HEAP_BY_LINE;
	const uint32_t count = HEAP_MEASURES + (callees ? 1 : 0);
	memcpy(r->measures, heap_measures, sizeof heap_measures);
	r->measures[HEFT_HEAP_WITH_CALLEES].unit = heap_measures[r->query.sort].unit;
	tree_init(&r->tree, count, 2);
	make_keys(&w);
	make_tree(&w);
	if (callees)
		add_callees(&w);
	r->table = (struct heft_table){ .size = sizeof r->table,
					.levels = &heap_by_names[r->query.by],
					.level_count = 1,
					.measures = r->measures,
					.measure_count = count,
					.texts = heap_texts,
					.text_count = HEAP_TEXTS,
					.sorted_by = r->query.sort,
					.diff = r->base != NULL,
					.top = build_rows(&w) };
	mem_free(w.keys);
	vec_release(&w.site);
}
