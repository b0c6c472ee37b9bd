/* Makes sorted and limited rows from a tree of sums. */
#include "map/rows.h"

#include "base/sort.h"

#include <math.h>
#include <stdlib.h>

static void group_by_parent(struct rows_maker *b)
{
	const struct tree *t = b->tree;
	const uint32_t n = (uint32_t)t->nodes.count;
	b->next = mem_zeroed(n, sizeof *b->next);
	b->first = mem_zeroed(n, sizeof *b->first);
	for (uint32_t i = n; i-- > 1;) {
		uint32_t *const first = &b->first[t->nodes.data[i].parent];
		b->next[i] = *first;
		*first = i;
	}
}

/* A value as sign and magnitude. Magnitudes of one measure compare as integers */
struct weight {
	bool negative;
	uint64_t size;
};

/* Measures of a node, of the inputs or of the bases */
struct numbers {
	const uint64_t *whole;
	const double *exact; /* NULL in a tree without fractions */
};

static struct numbers numbers_now(const struct rows_maker *b, uint32_t node)
{
	return (struct numbers){ tree_sums(b->tree, node, HEFT_INPUT),
				 tree_exact(b->tree, node, HEFT_INPUT) };
}

static struct numbers numbers_base(const struct rows_maker *b, uint32_t node)
{
	return (struct numbers){ tree_base(b->tree, node), tree_exact(b->tree, node, HEFT_BASE) };
}

static struct weight weight_of_change(uint64_t now, uint64_t base)
{
	return now >= base ? (struct weight){ false, now - base }
			   : (struct weight){ true, base - now };
}

static struct weight weight_of_fraction(double change)
{
	/* Non-negative doubles sort like their bits. fabs() also makes 0.0 of -0.0. */
	const double size = fabs(change);
	struct weight w = { .negative = change < 0 };
	memcpy(&w.size, &size, sizeof w.size);
	return w;
}

void rows_add_values(const struct rows_maker *b, uint64_t *to, const uint64_t *more)
{
	for (uint32_t m = 0; m < b->tree->measures; m++)
		if (!b->opts->measures[m].shared)
			to[m] += more[m];
}

static struct weight rows_weigh(const struct rows_maker *b, struct numbers now, struct numbers base)
{
	const struct rows_opts *o = b->opts;
	const bool sized = !o->diff || o->sort == HEFT_SORT_SIZE || o->sort == HEFT_SORT_BASE;
	struct weight best = { 0 };
	for (uint32_t m = 0; o->keys >> m; m++) {
		if (!(o->keys >> m & 1))
			continue;
		const struct numbers of = o->sort == HEFT_SORT_BASE ? base : now;
		const struct weight w =
			o->measures[m].unit == HEFT_PARTS
				? weight_of_fraction(of.exact[m] - (sized ? 0 : base.exact[m]))
				: weight_of_change(of.whole[m], sized ? 0 : base.whole[m]);
		if (w.size > best.size)
			best = w;
	}
	return best;
}

static bool says_nothing(const struct rows_maker *b, struct numbers now, struct numbers base)
{
	const struct rows_opts *o = b->opts;
	if (!o->diff)
		base.whole = tree_nothing;
	/* Tiny differences of fractions are rounding errors. */
	for (uint32_t m = 0; o->told >> m; m++)
		if (o->told >> m & 1 &&
		    (o->measures[m].unit == HEFT_PARTS ? fabs(now.exact[m] - base.exact[m]) >= 1e-6
						       : now.whole[m] != base.whole[m]))
			return false;
	return o->told != 0;
}

/* A node that will become a row. Sorted by group, rank and label */
struct row_item {
	uint64_t rank;
	const char *label; /* NULL until needed */
	uint32_t node;     /* 0 for "[N Others]" */
	uint8_t group;
	bool negative;
};

struct rows_items {
	struct row_item *list;
	size_t count;
	struct numbers others_now, others_base;
	size_t others;
};

COMPARISON(by_label, struct row_item, strcmp(a->label, b->label), ORDER(a->node, b->node))

static int rows_by_name(const void *a, const void *b)
{
	const struct row_item *x = a, *y = b;
	if ((x->node == 0) != (y->node == 0))
		return x->node == 0 ? 1 : -1;
	return by_label(a, b);
}

static void set_label(const struct rows_maker *b, struct row_item *item)
{
	if (!item->label)
		item->label = rows_label(b, item->node);
}

static bool rows_is_before(const struct rows_maker *m, struct row_item *a, struct row_item *b)
{
	if (a->group != b->group)
		return a->group < b->group;
	if (a->rank != b->rank)
		return a->rank < b->rank;
	set_label(m, a);
	set_label(m, b);
	return by_label(a, b) < 0;
}

static void swap_items(struct row_item *a, struct row_item *b)
{
	const struct row_item t = *a;
	*a = *b;
	*b = t;
}

/* Moves item i of a heap down to its place. The root of a heap is the item that sorts last. */
static void sift_down(const struct rows_maker *b, struct row_item *heap, size_t count, size_t i)
{
	for (;;) {
		size_t last = i;
		for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < count; k++)
			if (rows_is_before(b, &heap[last], &heap[k]))
				last = k;
		if (last == i)
			return;
		swap_items(&heap[i], &heap[last]);
		i = last;
	}
}

/* Moves the n items that sort first to the front, in no order. O(count log n): sorting a million
 * rows to show twenty would take most of the time. */
static void select_first(const struct rows_maker *b, struct row_item *list, size_t count, size_t n)
{
	for (size_t i = n / 2; i-- > 0;)
		sift_down(b, list, n, i);
	for (size_t i = n; i < count; i++) {
		if (!rows_is_before(b, &list[i], &list[0]))
			continue;
		swap_items(&list[i], &list[0]);
		sift_down(b, list, n, 0);
	}
}

/* Moves the items for which `is_front` is true to the front. Returns their number. */
static size_t part_items(struct row_item *list, size_t count,
			 bool (*is_front)(struct row_item, uint64_t), uint64_t value)
{
	size_t front = 0;
	for (size_t i = 0; i < count; i++)
		if (is_front(list[i], value))
			swap_items(&list[i], &list[front++]);
	return front;
}

static bool is_ranked(struct row_item item, uint64_t worst)
{
	return item.rank <= worst;
}

static bool is_of_group(struct row_item item, uint64_t group)
{
	return item.group == group;
}

static bool is_growth(struct row_item item, uint64_t unused)
{
	(void)unused;
	return !item.negative;
}

static struct row_item make_item(const struct rows_maker *b, struct numbers now,
				 struct numbers base)
{
	const struct weight w = rows_weigh(b, now, base);
	return (struct row_item){ .rank = UINT64_MAX - w.size, .negative = w.negative };
}

/* Adds up the items' measures from index `from` on: the inputs' or the bases' measures, by `of`. */
static struct numbers numbers_add_up(const struct rows_maker *b, const struct rows_items *items,
				     size_t from,
				     struct numbers (*of)(const struct rows_maker *, uint32_t))
{
	const uint32_t measures = b->tree->measures;
	const bool fractions = b->tree->fractions;
	uint64_t *whole = arena_new(b->arena, uint64_t, measures);
	double *exact = fractions ? arena_new(b->arena, double, measures) : NULL;
	for (size_t i = from; i < items->count; i++) {
		const struct numbers more = of(b, items->list[i].node);
		rows_add_values(b, whole, more.whole);
		for (uint32_t m = 0; fractions && m < measures; m++)
			exact[m] += more.exact[m];
	}
	for (uint32_t m = 0; fractions && m < measures; m++)
		if (b->opts->measures[m].unit == HEFT_PARTS)
			whole[m] = whole_of(exact[m]);
	return (struct numbers){ whole, exact };
}

/* Replaces the items from `from` on by one with their sums. */
static void fold_others(struct rows_maker *b, struct rows_items *items, size_t from)
{
	items->others = items->count - from;
	items->others_now = numbers_add_up(b, items, from, numbers_now);
	items->others_base = numbers_add_up(b, items, from, numbers_base);
	items->count = from;
	if (says_nothing(b, items->others_now, items->others_base))
		return;
	struct row_item *item = &items->list[items->count++];
	*item = make_item(b, items->others_now, items->others_base);
	item->label = arena_format(b->arena, "[%zu Others]", items->others);
	item->group = b->opts->group ? UINT8_MAX : 0;
}

/* Keeps the rows within the limits, and folds the others. */
static void cut_items(struct rows_maker *b, struct rows_items *items, uint32_t level)
{
	const struct rows_opts *o = b->opts;
	const uint64_t bytes = level > 0 ? o->least_below : o->least;
	const uint64_t least = b->tree->fractions ? weight_of_fraction((double)bytes).size : bytes;
	size_t wanted = items->count;
	if (o->sort == HEFT_SORT_NONE)
		return;
	if (least > 0)
		wanted = part_items(items->list, wanted, is_ranked, UINT64_MAX - least);
	if (o->limit && wanted > o->limit) {
		select_first(b, items->list, wanted, o->limit);
		wanted = o->limit;
	}
	if (wanted < items->count)
		fold_others(b, items, wanted);
}

static void sort_items(const struct rows_opts *o, struct row_item *list, size_t count)
{
	if (o->sort == HEFT_SORT_NONE || count < 2)
		return;
	if (o->sort == HEFT_SORT_NAME) {
		qsort(list, count, sizeof *list, rows_by_name);
		return;
	}
	const bool is_signed = o->diff && o->sort == HEFT_SORT_GROWTH;
	if (o->others_last && list[count - 1].node == 0)
		count--;
	for (size_t from = 0, end; from < count; from = end) {
		struct row_item *some = list + from;
		uint8_t lowest = some->group;
		for (size_t i = from; i < count; i++)
			lowest = list[i].group < lowest ? list[i].group : lowest;
		end = o->group ? from + part_items(some, count - from, is_of_group, lowest) : count;
		const size_t n = end - from,
			     growth = is_signed ? part_items(some, n, is_growth, 0) : n;
		for (size_t i = growth; i < n; i++)
			some[i].rank = UINT64_MAX - some[i].rank;
		sort_by_key_then(some, growth, sizeof *some, by_label);
		sort_by_key_then(some + growth, n - growth, sizeof *some, by_label);
	}
}

/* A row whose children are not made yet */
struct pending {
	struct heft_row *row;
	uint32_t node;
	uint32_t level; /* Level of the children */
};

typedef VEC(struct pending) pending_vec;

bool rows_is_row(const struct rows_maker *b, uint32_t node)
{
	return (node >= b->opts->empty_from && node < b->opts->empty_to) ||
	       !says_nothing(b, numbers_now(b, node), numbers_base(b, node));
}

/* Returns the number of rows below a node, and the last of them. */
static size_t count_rows(const struct rows_maker *b, uint32_t node, uint32_t *ret_last)
{
	size_t count = 0;
	*ret_last = 0;
	for (uint32_t i = b->first[node]; i != 0; i = b->next[i])
		if (rows_is_row(b, i)) {
			count++;
			*ret_last = i;
		}
	return count;
}

/* True if a row's single child only repeats its label, and so does all below it, so that the child
 * is skipped. A child with other rows below it is shown: they would be lost. */
static bool is_repeat(const struct rows_maker *b, uint32_t child, const char *above, bool is_top)
{
	if (!b->opts->drop_repeats)
		return false;
	for (size_t count = 1; count > 0; count = count_rows(b, child, &child)) {
		const char *label = rows_label(b, child);
		const bool nobody = !is_top && (strcmp(label, "[None]") == 0 ||
						strcmp(label, "[Unmapped]") == 0);
		if (count > 1 || (!nobody && strcmp(label, above) != 0))
			return false;
	}
	return true;
}

static size_t nodes_below(const struct rows_maker *b, uint32_t node)
{
	size_t count = 0;
	for (uint32_t i = b->first[node]; i != 0; i = b->next[i])
		count++;
	return count;
}

size_t rows_below(const struct rows_maker *b, uint32_t node, const char *label, uint32_t *ret_last)
{
	const size_t count = count_rows(b, node, ret_last);
	return count == 1 && is_repeat(b, *ret_last, label, node == 0) ? 0 : count;
}

enum heft_row_kind rows_kind(struct str label)
{
	if (!str_starts(label, STR("[")))
		return HEFT_ROW_NAME;
	if (str_starts(label, STR("[section ")))
		return HEFT_ROW_SECTION;
	return str_ends(label, STR(" Headers]")) || str_ends(label, STR(" Header]"))
		       ? HEFT_ROW_HEADER
		       : HEFT_ROW_FALLBACK;
}

void rows_describe(const struct rows_maker *b, uint32_t node, const char *label, uint32_t level,
		   struct heft_row *row)
{
	const struct numbers now = numbers_now(b, node), base = numbers_base(b, node);
	row_set_ref(row, 0);
	*row = (struct heft_row){ .label = label,
				  .now = now.whole,
				  .base = base.whole,
				  .now_exact = now.exact,
				  .base_exact = base.exact,
				  .kind = rows_kind(str_of(label)) };
	if (b->opts->fill)
		b->opts->fill(b->opts->ctx, node, level, row);
}

static void make_row(struct rows_maker *b, const struct rows_items *items,
		     const struct row_item *item, uint32_t level, struct heft_row *row)
{
	if (item->node > 0)
		rows_describe(b, item->node, item->label, level, row);
	else
		*row = (struct heft_row){ .label = item->label,
					  .now = items->others_now.whole,
					  .base = items->others_base.whole,
					  .now_exact = items->others_now.exact,
					  .base_exact = items->others_base.exact,
					  .others = items->others,
					  .kind = HEFT_ROW_SUM };
}

/* Makes the rows of a level. If todo is not NULL, lists there the rows whose children to make next.
 * Otherwise only sets their number of children. */
static void rows_make(struct rows_maker *b, const struct rows_items *items, struct pending p,
		      pending_vec *todo)
{
	/* One allocation for all rows. The larger it is, the larger are the arena's next blocks. */
	struct ref_row *rows = arena_alloc(b->arena,
					   items->count * (sizeof *rows + sizeof *p.row->children),
					   _Alignof(struct ref_row));
	const struct heft_row **children = (const struct heft_row **)(rows + items->count);
	uint32_t last;
	for (size_t i = 0; i < items->count; i++) {
		struct heft_row *const row = &rows[i].row;
		const struct pending below = { row, items->list[i].node, p.level + 1 };
		children[i] = row;
		make_row(b, items, &items->list[i], p.level, row);
		if (below.node == 0 || b->first[below.node] == 0)
			continue;
		if (todo)
			vec_push(todo, below);
		else if (b->visiting)
			row->child_count = nodes_below(b, below.node);
		else
			row->child_count = rows_below(b, below.node, row->label, &last);
	}
	p.row->children = children;
	p.row->child_count = items->count;
}

static void rows_add_children(struct rows_maker *b, struct pending p, pending_vec *todo)
{
	const size_t n = nodes_below(b, p.node);
	if (n > b->item_room) {
		mem_free(b->items);
		b->items = mem_alloc(n * sizeof *b->items);
		b->item_room = n;
	}
	struct rows_items items = { .list = b->items };
	for (uint32_t node = b->first[p.node]; node != 0; node = b->next[node]) {
		if (!rows_is_row(b, node))
			continue;
		struct row_item *item = &items.list[items.count++];
		*item = make_item(b, numbers_now(b, node), numbers_base(b, node));
		item->node = node;
		item->group = b->opts->group ? b->opts->group(b->opts->ctx, node) : 0;
	}
	cut_items(b, &items, p.level);
	for (size_t i = 0; i < items.count; i++)
		set_label(b, &items.list[i]);
	sort_items(b->opts, items.list, items.count);
	const uint32_t only = items.count == 1 ? items.list[0].node : 0;
	if (only == 0 || !is_repeat(b, only, p.row->label, p.node == 0))
		rows_make(b, &items, p, todo);
	else
		p.row->child_count = 0;
}

static void forget_items(struct rows_maker *b)
{
	mem_free(b->items);
	b->items = NULL;
	b->item_room = 0;
}

const struct heft_row *const *rows_make_some(struct rows_maker *b, uint32_t node, size_t count,
					     bool (*wanted)(const struct rows_maker *b,
							    uint32_t node))
{
	struct rows_items items = { .list = mem_zeroed(count, sizeof *items.list) };
	struct heft_row above = { .label = NULL };
	for (uint32_t i = b->first[node]; items.count < count; i = b->next[i])
		if (wanted(b, i))
			items.list[items.count++] = (struct row_item){ .node = i,
								       .label = rows_label(b, i) };
	rows_make(b, &items, (struct pending){ &above, node, rows_depth(b, node) }, NULL);
	mem_free(items.list);
	return above.children;
}

static struct heft_row *map_rows_begin(struct rows_maker *b, const struct tree *t,
				       const struct rows_opts *opts, const struct rows_maker *other,
				       struct arena *arena)
{
	*b = (struct rows_maker){ .tree = t, .opts = opts, .arena = arena };
	struct heft_row *top = &arena_new(arena, struct ref_row, 1)->row;
	*top = (struct heft_row){ .label = rows_label(b, 0),
				  .now = tree_sums(t, 0, HEFT_INPUT),
				  .base = tree_base(t, 0),
				  .now_exact = tree_exact(t, 0, HEFT_INPUT),
				  .base_exact = tree_exact(t, 0, HEFT_BASE),
				  .kind = HEFT_ROW_SUM };
	b->borrows = other != NULL;
	if (other) {
		b->first = other->first;
		b->next = other->next;
	} else {
		group_by_parent(b);
	}
	if (HEFT_CHECKS)
		tree_verify(t);
	return top;
}

const struct heft_row *rows_build(const struct tree *t, const struct rows_opts *opts,
				  struct arena *arena)
{
	struct rows_maker b;
	pending_vec todo = { 0 };
	struct heft_row *const top = map_rows_begin(&b, t, opts, NULL, arena);
	vec_push(&todo, (struct pending){ top, 0, 0 });
	while (todo.count > 0)
		rows_add_children(&b, todo.data[--todo.count], &todo);
	vec_release(&todo);
	rows_end(&b);
	return top;
}

const struct heft_row *rows_begin(struct rows_maker *b, const struct tree *t,
				  const struct rows_opts *opts, struct arena *arena)
{
	ASSERT(opts->sort == HEFT_SORT_NONE);
	struct heft_row *const top = map_rows_begin(b, t, opts, NULL, arena);
	rows_add_children(b, (struct pending){ top, 0, 0 }, NULL);
	forget_items(b);
	return top;
}

uint32_t rows_node(const struct rows_maker *b, const struct heft_row *row)
{
	const struct tree *t = b->tree;
	return (uint32_t)((size_t)(row->now - t->sums.data) / ((size_t)t->sides * t->measures));
}

uint32_t rows_depth(const struct rows_maker *b, uint32_t node)
{
	uint32_t depth = 0;
	for (; node != 0; node = b->tree->nodes.data[node].parent)
		depth++;
	return depth;
}

/* Casting const away is safe, because the arena of the maker owns the row. */
static void rows_open_row(struct rows_maker *b, const struct heft_row *row, uint32_t level)
{
	struct heft_row *const own = (struct heft_row *)(uintptr_t)row;
	rows_add_children(b, (struct pending){ own, rows_node(b, row), level }, NULL);
}

void rows_open(struct rows_maker *b, const struct heft_row *row)
{
	if (row->children || row->child_count == 0)
		return;
	rows_open_row(b, row, rows_depth(b, rows_node(b, row)));
	forget_items(b);
}

const struct heft_row *rows_visit_all(struct rows_maker *b, const struct tree *t,
				      const struct rows_opts *opts, const struct rows_maker *other,
				      struct arena *arena)
{
	ASSERT(opts->limit == 0 && opts->least == 0 && opts->least_below == 0);
	struct heft_row *const top = map_rows_begin(b, t, opts, other, arena);
	b->visiting = true;
	top->child_count = nodes_below(b, 0);
	rows_visit(b, top, 0);
	return top;
}

void rows_visit(struct rows_maker *b, const struct heft_row *row, size_t level)
{
	if (row->children || row->child_count == 0)
		return;
	while (b->rooms.count <= level)
		vec_push(&b->rooms, (struct arena){ 0 });
	b->arena = &b->rooms.data[level];
	arena_reset(b->arena);
	rows_open_row(b, row, (uint32_t)level);
}

void rows_end(struct rows_maker *b)
{
	if (!b->borrows) {
		mem_free_all(b->next, b->first);
	}
	forget_items(b);
	for (size_t i = 0; i < b->rooms.count; i++)
		arena_release(&b->rooms.data[i]);
	vec_release(&b->rooms);
	if (b->filter.state)
		(void)rows_filter(b, NULL);
	*b = (struct rows_maker){ 0 };
}
