#include "browse/browse_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- making ---------------------------------------------------------------------------------- */

static bool same_numbers(const struct tree *t, const struct heft_row *a, const struct heft_row *b)
{
	const size_t size = t->table->measure_count * sizeof *a->now;
	return memcmp(a->now, b->now, size) == 0 &&
	       (!t->diff || memcmp(a->base, b->base, size) == 0);
}

/* "[section .text]" below ".text" says it again as well. */
static bool same_label(const char *label, const char *below)
{
	static const char section[] = "[section ";
	const size_t size = strlen(label), start = sizeof section - 1;
	return strcmp(label, below) == 0 ||
	       (strncmp(below, section, start) == 0 && strncmp(below + start, label, size) == 0 &&
		strcmp(below + start + size, "]") == 0);
}

/* False where there is no memory. */
static bool open_row(const struct tree *t, const struct heft_row *row)
{
	return row->children != NULL || row->child_count == 0 || t->open_row(t->of, row);
}

/* The row whose children stand below this one: levels that only say again what the one above
 * says are passed over.  NULL where there is no memory. */
static const struct heft_row *inner_row(const struct tree *t, const struct heft_row *row)
{
	for (;;) {
		if (row->child_count != 1)
			return row;
		if (!open_row(t, row))
			return NULL;
		if (!same_label(row->label, row->children[0]->label) ||
		    !same_numbers(t, row, row->children[0]))
			return row;
		row = row->children[0];
	}
}

static bool grow_numbers(uint32_t **list, size_t room)
{
	uint32_t *const grown = realloc(*list, room * sizeof *grown);
	if (grown != NULL)
		*list = grown;
	return grown != NULL;
}

static bool grow(struct tree *t, size_t more)
{
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

static bool add_node(struct tree *t, const struct heft_row *row, uint32_t parent)
{
	const struct heft_row *const inner = inner_row(t, row);
	if (inner == NULL)
		return false;
	t->nodes[t->count++] = (struct tree_node){
		.row = row,
		.parent = parent,
		.children = (uint32_t)inner->child_count,
		.shown = true,
	};
	return true;
}

bool tree_make_children(struct tree *t, uint32_t node)
{
	const struct tree_node *const n = &t->nodes[node];
	if (n->children == 0 || n->first != 0)
		return true;
	const struct heft_row *const row = inner_row(t, n->row);
	if (row == NULL || !open_row(t, row) || !grow(t, row->child_count))
		return false;
	const uint32_t first = t->count;
	bool good = true;
	for (size_t i = 0; good && i < row->child_count; i++)
		good = add_node(t, row->children[i], node);
	if (good)
		t->nodes[node].first = first;
	else
		t->count = first;
	return good;
}

bool tree_make_all(struct tree *t)
{
	bool good = true;
	for (uint32_t i = 0; good && i < t->count; i++)
		good = tree_make_children(t, i);
	return good;
}

bool tree_init(struct tree *t, const struct browse_table *from)
{
	const struct heft_table *const table = from->table;
	*t = (struct tree){ .table = table,
			    .diff = table->diff && !from->only_now,
			    .open_row = from->open_row,
			    .of = from->of,
			    .order_number = 1 };
	t->measure = table->sorted_by;
	if (!grow(t, 1024) || !add_node(t, table->top, 0))
		return false;
	t->nodes[0].open = true;
	return tree_list(t);
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

/* ---- numbers --------------------------------------------------------------------------------- */

static union heft_value *sums_of(const struct tree *t, uint32_t node)
{
	return t->sums + (size_t)node * t->table->measure_count * 2;
}

/* Rows that share what they count do not add up: those of the table are left as they are. */
static bool is_summed(const struct tree *t, uint32_t node, size_t measure)
{
	return t->sums != NULL &&
	       !(t->table->measures[measure].shared && !tree_has_children(t, node));
}

union heft_value tree_now(const struct tree *t, uint32_t node, size_t measure)
{
	return is_summed(t, node, measure) ? sums_of(t, node)[measure]
					   : t->nodes[node].row->now[measure];
}

union heft_value tree_base(const struct tree *t, uint32_t node, size_t measure)
{
	if (is_summed(t, node, measure))
		return sums_of(t, node)[t->table->measure_count + measure];
	return t->nodes[node].row->base[measure];
}

double tree_number(const struct tree *t, union heft_value v, size_t measure)
{
	return t->table->measures[measure].unit == HEFT_PARTS ? v.parts : (double)v.whole;
}

double tree_change(const struct tree *t, uint32_t node, size_t measure)
{
	const union heft_value now = tree_now(t, node, measure), base = tree_base(t, node, measure);
	if (t->table->measures[measure].unit == HEFT_PARTS)
		return now.parts - base.parts;
	return now.whole < base.whole ? -(double)(base.whole - now.whole)
				      : (double)(now.whole - base.whole);
}

/* ---- the order ------------------------------------------------------------------------------- */

void tree_set_order(struct tree *t, size_t measure, enum tree_sort sort, bool reversed)
{
	t->measure = measure;
	t->sort = sort;
	t->reversed = reversed;
	t->order_number++;
}

struct key {
	double size; /* larger first */
	double most; /* the same of the measure that is largest */
	const char *label;
	uint32_t node;
};

/* So many rows of one size are told apart by name; comparing a million names takes long. */
enum { ALIKE_MOST = 4096 };

static int compare_sizes(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	if (x->size != y->size)
		return x->size < y->size ? 1 : -1;
	if (x->most != y->most)
		return x->most < y->most ? 1 : -1;
	return (x->node > y->node) - (x->node < y->node);
}

static int compare_labels(const void *a, const void *b)
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

/* Keys that are in the order of their sizes: those of one size by name. */
static void sort_alike(struct key *keys, size_t count)
{
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && keys[end].size == keys[i].size &&
				  keys[end].most == keys[i].most;)
			end++;
		if (end - i > 1 && end - i <= ALIKE_MOST)
			sort_unless_sorted(&keys[i], end - i, compare_labels);
	}
}

static double size_in(const struct tree *t, uint32_t node, size_t measure)
{
	double size = 0;
	switch (t->sort) {
	case TREE_BY_NAME: return 0;
	case TREE_BY_GROWTH: size = tree_change(t, node, measure); break;
	case TREE_BY_BASE: size = tree_number(t, tree_base(t, node, measure), measure); break;
	case TREE_BY_SIZE:
		size = t->diff ? fabs(tree_change(t, node, measure))
			       : tree_number(t, tree_now(t, node, measure), measure);
		break;
	}
	return isnan(size) ? 0 : size;
}

static struct key key_of(const struct tree *t, uint32_t node)
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
		keys[i] = key_of(t, first + i);
	if (t->sort == TREE_BY_NAME) {
		sort_unless_sorted(keys, count, compare_labels);
	} else {
		sort_unless_sorted(keys, count, compare_sizes);
		sort_alike(keys, count);
	}
	for (uint32_t i = 0; i < count; i++)
		t->order[first + i] = keys[t->reversed ? count - 1 - i : i].node;
	free(keys);
	t->nodes[node].sorted = t->order_number;
	return true;
}

/* ---- lines ----------------------------------------------------------------------------------- */

bool tree_has_children(const struct tree *t, uint32_t node)
{
	return t->nodes[node].children > 0;
}

unsigned tree_depth(const struct tree *t, uint32_t node)
{
	unsigned depth = 0;
	for (uint32_t at = t->nodes[node].parent; at != t->root && at != 0;
	     at = t->nodes[at].parent)
		depth++;
	return depth;
}

/* Puts the children that are shown behind those that wait, the last one first. */
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
	uint32_t leaves = 0;
	for (uint32_t i = 0; i < t->count; i++)
		leaves += t->nodes[i].shown && !tree_has_children(t, i);
	for (uint32_t i = 0; leaves <= most && i < t->count; i++)
		if (t->nodes[i].shown && tree_has_children(t, i))
			t->nodes[i].open = true;
}

/* ---- marks ----------------------------------------------------------------------------------- */

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

static bool is_below_marked(const struct tree *t, uint32_t node)
{
	while (node != 0) {
		node = t->nodes[node].parent;
		if (t->nodes[node].marked)
			return true;
	}
	return false;
}

void tree_marked(const struct tree *t, size_t measure, double *ret_now, double *ret_base)
{
	*ret_now = *ret_base = 0;
	for (uint32_t i = 0; i < t->count; i++) {
		if (!t->nodes[i].marked || !t->nodes[i].shown || is_below_marked(t, i))
			continue;
		const double now = tree_number(t, tree_now(t, i, measure), measure);
		*ret_now += isnan(now) ? 0 : now;
		*ret_base += now - tree_change(t, i, measure);
	}
}
