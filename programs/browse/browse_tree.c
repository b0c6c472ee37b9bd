/* Makes, sorts, lists and marks the nodes of the tree of rows. */
#include "browse/browse_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* True if a label repeats the label above. "[section .text]" below ".text" is also a repetition. */
bool tree_same_label(const char *above, const char *label)
{
	static const char section[] = "[section ";
	const size_t size = strlen(above), start = sizeof section - 1;
	return strcmp(above, label) == 0 ||
	       (strncmp(label, section, start) == 0 && strncmp(label + start, above, size) == 0 &&
		strcmp(label + start + size, "]") == 0);
}

/* Makes the children of a row. False if there is no memory. */
static bool browse_tree_open_row(const struct tree *t, const struct heft_row *row)
{
	return row->children != NULL || row->child_count == 0 || t->rows.open(t->rows.of, row);
}

/* Returns the row whose children are shown below this row: skips levels that only repeat the level
 * above. NULL if there is no memory. */
static const struct heft_row *inner_row(const struct tree *t, const struct heft_row *row)
{
	const size_t size = t->table->measure_count * sizeof *row->now;
	ASSERT(row != NULL && size > 0);
	for (;;) {
		if (row->child_count != 1)
			return row;
		if (!browse_tree_open_row(t, row))
			return NULL;
		const struct heft_row *child = row->children[0];
		if (!tree_same_label(row->label, child->label) ||
		    memcmp(row->now, child->now, size) != 0 ||
		    (t->diff && memcmp(row->base, child->base, size) != 0))
			return row;
		row = child;
	}
}

static bool grow_numbers(uint32_t **list, size_t room)
{
	uint32_t *const grown = realloc(*list, room * sizeof *grown);
	if (grown != NULL)
		*list = grown;
	return grown != NULL;
}

static bool browse_tree_grow(struct tree *t, size_t more)
{
	ASSERT(t->count <= t->room);
	if (more > UINT32_MAX - t->count)
		return false;
	if (t->count + more <= t->room)
		return true;
	const size_t room = t->count + more > t->room * 2 ? t->count + more : t->room * 2;
	struct tree_node *const grown = realloc(t->nodes, room * sizeof *grown);
	if (grown != NULL)
		t->nodes = grown;
	if (grown == NULL || !grow_numbers(&t->order, room) || !grow_numbers(&t->lines, room) ||
	    !grow_numbers(&t->waiting, room))
		return false;
	t->room = room;
	return true;
}

static enum heft_filtered browse_tree_filtered(const struct tree *t, const struct heft_row *row,
					       const uint64_t **now, const uint64_t **base)
{
	return t->rows.filtered(t->rows.of, row, now, base);
}

/* Adds a node, unless the table hides the row. False if out of memory. */
static bool add_node(struct tree *t, const struct heft_row *row, uint32_t parent)
{
	const uint64_t *now, *base;
	const enum heft_filtered how = t->by_table ? browse_tree_filtered(t, row, &now, &base)
						   : HEFT_ROW_SHOWN;
	if (how == HEFT_ROW_HIDDEN)
		return true;
	const struct heft_row *const inner = inner_row(t, row);
	if (inner == NULL)
		return false;
	t->nodes[t->count++] = (struct tree_node){
		.row = row,
		.parent = parent,
		.below = (uint32_t)inner->child_count,
		.shown = how == HEFT_ROW_SHOWN,
	};
	return true;
}

/* Lists the rows below a row, perhaps including hidden rows. False if memory runs out. */
static bool browse_tree_list_rows(const struct tree *t, const struct heft_row *row,
				  const struct heft_row *const **ret, size_t *ret_count)
{
	if (t->by_table)
		return t->rows.open_filtered(t->rows.of, row, ret, ret_count);
	if (!browse_tree_open_row(t, row))
		return false;
	*ret = row->children;
	*ret_count = row->child_count;
	return true;
}

bool tree_make_children(struct tree *t, uint32_t node)
{
	ASSERT(node < t->count);
	const struct tree_node *const n = &t->nodes[node];
	const struct heft_row *const *list;
	size_t count;
	if (n->below == 0 || n->first != 0)
		return true;
	const struct heft_row *const row = inner_row(t, n->row);
	if (row == NULL || !browse_tree_list_rows(t, row, &list, &count) ||
	    !browse_tree_grow(t, count))
		return false;
	const uint32_t first = t->count;
	bool good = true;
	for (size_t i = 0; good && i < count; i++)
		good = add_node(t, list[i], node);
	if (good) {
		t->nodes[node].first = first;
		t->nodes[node].children = t->count - first;
	} else {
		t->count = first;
	}
	return good;
}

bool tree_make_all(struct tree *t)
{
	bool good = true;
	for (uint32_t i = 0; good && i < t->count; i++)
		good = tree_make_children(t, i);
	return good;
}

static bool browse_tree_begin(struct tree *t)
{
	t->order_number = 1;
	t->measure = t->table->sorted_by;
	if (!browse_tree_grow(t, 1024) || !add_node(t, t->table->top, 0))
		return false;
	t->nodes[0].open = true;
	return true;
}

bool tree_init(struct tree *t, const struct browse_table *from)
{
	*t = (struct tree){ .table = from->table,
			    .diff = from->table->diff && !from->only_now,
			    .rows = from->rows };
	return browse_tree_begin(t) && tree_list(t);
}

bool tree_make_again(struct tree *t, uint64_t leaves, bool by_table, uint32_t *cursor)
{
	struct tree made = { .table = t->table,
			     .diff = t->diff,
			     .rows = t->rows,
			     .by_table = by_table,
			     .leaves = leaves };
	const bool good = browse_tree_begin(&made) && tree_carry(&made, t, cursor);
	tree_release(good ? t : &made);
	if (good)
		*t = made;
	return good;
}

void tree_release(struct tree *t)
{
	free(t->nodes);
	free(t->order);
	free(t->sums);
	free(t->lines);
	free(t->waiting);
	*t = (struct tree){ 0 };
}

static double *browse_tree_sums_of(const struct tree *t, uint32_t node)
{
	return t->sums + (size_t)node * t->table->measure_count * 2;
}

/* True if a node's value is its sum in t->sums. If rows count the same things (`shared`), a leaf
 * has the value of the table, because a sum would count repeatedly. */
static bool is_summed(const struct tree *t, uint32_t node, size_t measure)
{
	return t->sums != NULL &&
	       !(t->table->measures[measure].shared && !tree_has_children(t, node));
}

/* Returns a node's sums over the rows that pass the table's filter. NULL if all rows pass. */
static const uint64_t *sums_by_table(const struct tree *t, uint32_t node, bool base)
{
	const uint64_t *now, *was;
	if (!t->by_table || !tree_has_children(t, node))
		return NULL;
	(void)browse_tree_filtered(t, t->nodes[node].row, &now, &was);
	return base ? was : now;
}

double tree_now(const struct tree *t, uint32_t node, size_t measure)
{
	const uint64_t *sums = sums_by_table(t, node, false);
	if (sums != NULL)
		return (double)sums[measure];
	return is_summed(t, node, measure)
		       ? browse_tree_sums_of(t, node)[measure]
		       : heft_row_number(t->table, t->nodes[node].row, measure, HEFT_INPUT);
}

double tree_base(const struct tree *t, uint32_t node, size_t measure)
{
	const uint64_t *sums = sums_by_table(t, node, true);
	if (sums != NULL)
		return (double)sums[measure];
	return is_summed(t, node, measure)
		       ? browse_tree_sums_of(t, node)[t->table->measure_count + measure]
		       : heft_row_number(t->table, t->nodes[node].row, measure, HEFT_BASE);
}

double tree_change(const struct tree *t, uint32_t node, size_t measure)
{
	return tree_now(t, node, measure) - tree_base(t, node, measure);
}

void tree_set_order(struct tree *t, size_t measure, enum tree_sort sort, bool reversed)
{
	t->measure = measure;
	t->sort = sort;
	t->reversed = reversed;
	t->order_number++;
}

struct key {
	double size; /* Value of the sort measure. Larger first */
	double most; /* Greatest of its sizes, by any measure. Larger first */
	const char *label;
	uint32_t node;
};

/* Maximal number of rows of equal size that are sorted by name. Longer runs are not sorted, because
 * comparing a million names takes long. */
enum { ALIKE_MOST = 4096 };

static int browse_tree_compare_sizes(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	if (x->size != y->size)
		return x->size < y->size ? 1 : -1;
	if (x->most != y->most)
		return x->most < y->most ? 1 : -1;
	return (x->node > y->node) - (x->node < y->node);
}

static int browse_tree_compare_labels(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	const int by_name = strcmp(x->label, y->label);
	return by_name != 0 ? by_name : (x->node > y->node) - (x->node < y->node);
}

static void sort_unless_sorted(struct key *keys, size_t count,
			       int (*compare)(const void *, const void *))
{
	size_t i = 1;
	while (i < count && compare(&keys[i - 1], &keys[i]) <= 0)
		i++;
	if (i < count)
		qsort(keys, count, sizeof *keys, compare);
}

/* Sorts runs of equal size by name. The keys are already sorted by size. */
static void sort_alike(struct key *keys, size_t count)
{
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && keys[end].size == keys[i].size &&
				  keys[end].most == keys[i].most;)
			end++;
		if (end - i > 1 && end - i <= ALIKE_MOST)
			sort_unless_sorted(&keys[i], end - i, browse_tree_compare_labels);
	}
}

static double size_in(const struct tree *t, uint32_t node, size_t measure)
{
	double size = 0;
	switch (t->sort) {
	case TREE_BY_NAME: return 0;
	case TREE_BY_GROWTH: size = tree_change(t, node, measure); break;
	case TREE_BY_BASE: size = tree_base(t, node, measure); break;
	case TREE_BY_SIZE:
		size = t->diff ? fabs(tree_change(t, node, measure)) : tree_now(t, node, measure);
		break;
	}
	return isnan(size) ? 0 : size;
}

static struct key browse_tree_key_of(const struct tree *t, uint32_t node)
{
	struct key key = { .size = size_in(t, node, t->measure),
			   .label = t->nodes[node].row->label,
			   .node = node };
	key.most = key.size;
	for (size_t m = 0; m < t->table->measure_count; m++)
		key.most = fmax(key.most, size_in(t, node, m));
	return key;
}

static bool sort_children(struct tree *t, uint32_t node)
{
	const uint32_t first = t->nodes[node].first;
	const uint32_t count = t->nodes[node].children;
	if (t->nodes[node].sorted == t->order_number || count == 0)
		return true;
	struct key *keys = malloc(count * sizeof *keys);
	if (keys == NULL)
		return false;
	for (uint32_t i = 0; i < count; i++)
		keys[i] = browse_tree_key_of(t, first + i);
	if (t->sort == TREE_BY_NAME) {
		sort_unless_sorted(keys, count, browse_tree_compare_labels);
	} else {
		sort_unless_sorted(keys, count, browse_tree_compare_sizes);
		sort_alike(keys, count);
	}
	for (uint32_t i = 0; i < count; i++)
		t->order[first + i] = keys[t->reversed ? count - 1 - i : i].node;
	free(keys);
	t->nodes[node].sorted = t->order_number;
	return true;
}

bool tree_has_children(const struct tree *t, uint32_t node)
{
	return t->nodes[node].below > 0;
}

unsigned tree_depth(const struct tree *t, uint32_t node)
{
	unsigned depth = 0;
	for (uint32_t at = t->nodes[node].parent; at != t->root && at != 0;
	     at = t->nodes[at].parent)
		depth++;
	return depth;
}

/* Pushes the visible children on t->waiting, the last child first. False if out of memory. */
static bool list_children(struct tree *t, uint32_t node, uint32_t *count)
{
	if (!tree_make_children(t, node) || !sort_children(t, node))
		return false;
	for (uint32_t i = t->nodes[node].children; i-- > 0;) {
		const uint32_t child = t->order[t->nodes[node].first + i];
		if (t->nodes[child].shown)
			t->waiting[(*count)++] = child;
	}
	return true;
}

bool tree_list(struct tree *t)
{
	uint32_t count = 0;
	t->line_count = 0;
	bool good = list_children(t, t->root, &count);
	while (good && count > 0) {
		const uint32_t node = t->waiting[--count];
		t->lines[t->line_count++] = node;
		if (t->nodes[node].open)
			good = list_children(t, node, &count);
	}
	return good;
}

void tree_open_beside(struct tree *t, uint32_t node, bool open)
{
	const struct tree_node *above = &t->nodes[t->nodes[node].parent];
	for (uint32_t i = 0; i < above->children; i++)
		t->nodes[above->first + i].open = open && tree_has_children(t, above->first + i);
}

void tree_open_shown(struct tree *t, uint32_t most)
{
	uint64_t leaves = t->leaves;
	for (uint32_t i = 0; !t->by_table && i < t->count; i++)
		leaves += t->nodes[i].shown && !tree_has_children(t, i);
	for (uint32_t i = 0; leaves <= most && i < t->count; i++) {
		if (!t->nodes[i].shown || !tree_has_children(t, i))
			continue;
		t->nodes[i].by_filter |= !t->nodes[i].open;
		t->nodes[i].open = true;
		if (!tree_make_children(t, i))
			return;
	}
}

void tree_mark(struct tree *t, uint32_t node, bool marked)
{
	if (t->nodes[node].marked == marked)
		return;
	t->nodes[node].marked = marked;
	t->marked = marked ? t->marked + 1 : t->marked - 1;
}

void tree_unmark_all(struct tree *t)
{
	for (uint32_t i = 0; i < t->count; i++)
		t->nodes[i].marked = false;
	t->marked = 0;
}

void tree_marked(const struct tree *t, size_t measure, double *ret_now, double *ret_base)
{
	ASSERT(measure < t->table->measure_count);
	*ret_now = *ret_base = 0;
	for (uint32_t i = 0; i < t->count; i++) {
		bool counted = !t->nodes[i].marked || !t->nodes[i].shown;
		for (uint32_t above = i; above != 0 && !counted;) {
			above = t->nodes[above].parent;
			counted = t->nodes[above].marked;
		}
		if (counted) /* The marked row above already includes this row. */
			continue;
		const double now = tree_now(t, i, measure);
		*ret_now += isnan(now) ? 0 : now;
		*ret_base += now - tree_change(t, i, measure);
	}
}
