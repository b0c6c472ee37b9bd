#include "browse/browse_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- making ---------------------------------------------------------------------------------- */

static bool same_numbers(const struct heft_table *t, const struct heft_row *a,
			 const struct heft_row *b)
{
	const size_t size = t->measure_count * sizeof *a->now;
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

/* The row whose children stand below this one: levels that only say again what the one above
 * says are passed over. */
static const struct heft_row *inner_row(const struct heft_table *t, const struct heft_row *row)
{
	while (row->child_count == 1 && same_label(row->label, row->children[0]->label) &&
	       same_numbers(t, row, row->children[0]))
		row = row->children[0];
	return row;
}

static bool grow(struct tree *t, size_t *room, size_t more)
{
	if (more > UINT32_MAX - t->count)
		return false;
	if (t->count + more <= *room)
		return true;
	*room = t->count + more > *room * 2 ? t->count + more : *room * 2;
	struct tree_node *grown = realloc(t->nodes, *room * sizeof *grown);
	if (grown != NULL)
		t->nodes = grown;
	return grown != NULL;
}

static bool add_children(struct tree *t, size_t *room, uint32_t parent)
{
	const struct heft_row *row = inner_row(t->table, t->nodes[parent].row);
	if (!grow(t, room, row->child_count))
		return false;
	t->nodes[parent].first = t->count;
	t->nodes[parent].children = (uint32_t)row->child_count;
	for (size_t i = 0; i < row->child_count; i++)
		t->nodes[t->count++] = (struct tree_node){
			.row = row->children[i],
			.parent = parent,
			.shown = true,
		};
	return true;
}

bool tree_init(struct tree *t, const struct heft_table *table, bool diff)
{
	size_t room = 1024;
	*t = (struct tree){ .table = table, .diff = diff, .order_number = 1 };
	t->measure = table->sorted_by;
	t->nodes = malloc(room * sizeof *t->nodes);
	if (t->nodes == NULL)
		return false;
	t->nodes[t->count++] = (struct tree_node){ .row = table->top, .open = true, .shown = true };
	for (uint32_t i = 0; i < t->count; i++)
		if (!add_children(t, &room, i))
			return false;
	t->order = malloc(t->count * sizeof *t->order);
	t->lines = malloc(t->count * sizeof *t->lines);
	return t->order != NULL && t->lines != NULL && tree_list(t);
}

void tree_release(struct tree *t)
{
	free(t->nodes);
	free(t->order);
	free(t->sums);
	free(t->lines);
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
static bool list_children(struct tree *t, uint32_t node, uint32_t *waiting, uint32_t *count)
{
	if (!sort_children(t, node))
		return false;
	for (uint32_t i = t->nodes[node].children; i-- > 0;) {
		const uint32_t child = t->order[t->nodes[node].first + i];
		if (t->nodes[child].shown)
			waiting[(*count)++] = child;
	}
	return true;
}

bool tree_list(struct tree *t)
{
	uint32_t *waiting = malloc(t->count * sizeof *waiting);
	uint32_t count = 0;
	t->line_count = 0;
	bool good = waiting != NULL && list_children(t, t->root, waiting, &count);
	while (good && count > 0) {
		const uint32_t node = waiting[--count];
		t->lines[t->line_count++] = node;
		if (t->nodes[node].open)
			good = list_children(t, node, waiting, &count);
	}
	free(waiting);
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
