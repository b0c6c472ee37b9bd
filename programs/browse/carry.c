/* Transfers the user's state of a tree (open rows, marks) to the tree of a newer table. */
#include "browse/browse_tree.h"

#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

/* Lists of up to this many rows are searched linearly. Longer ones are sorted first. */
enum { FEW = 8 };

#define NOWHERE UINT32_MAX

struct labelled {
	const char *label;
	uint32_t node;
};

static int carry_compare_labels(const void *a, const void *b)
{
	const struct labelled *x = a, *y = b;
	const int order = strcmp(x->label, y->label);
	return order != 0 ? order : (x->node > y->node) - (x->node < y->node);
}

static struct labelled *sort_labels(const struct tree *t, uint32_t node)
{
	ASSERT(node < t->count);
	const struct tree_node *n = &t->nodes[node];
	struct labelled *list = malloc((n->children + 1) * sizeof *list);
	if (list == NULL)
		return NULL;
	for (uint32_t i = 0; i < n->children; i++)
		list[i] = (struct labelled){ t->nodes[n->first + i].row->label, n->first + i };
	qsort(list, n->children, sizeof *list, carry_compare_labels);
	return list;
}

/* Finds the child with a label. `list`: the children sorted by label. NULL: searches linearly. */
static uint32_t find_child(const struct tree *t, uint32_t node, const struct labelled *list,
			   const char *label)
{
	const struct tree_node *n = &t->nodes[node];
	size_t low;
	BISECT(low, 0, list != NULL ? n->children : 0, i, strcmp(list[i].label, label) < 0);
	if (list != NULL)
		return low < n->children && strcmp(list[low].label, label) == 0 ? list[low].node
										: NOWHERE;
	for (uint32_t i = n->first; i < n->first + n->children; i++)
		if (strcmp(t->nodes[i].row->label, label) == 0)
			return i;
	return NOWHERE;
}

/* Selects the rows with state (open, marked, root, under the cursor), and all rows above them: sets
 * their now[i] to 0. Sets now[i] of all other rows to NOWHERE. */
static void carry_choose(const struct tree *from, uint32_t cursor, uint32_t *now)
{
	for (uint32_t i = 0; i < from->count; i++)
		now[i] = from->nodes[i].open || from->nodes[i].marked || i == cursor ||
					 i == from->root
				 ? 0
				 : NOWHERE;
	for (uint32_t i = from->count; i-- > 1;)
		if (now[i] == 0)
			now[from->nodes[i].parent] = 0;
}

/* Finds a row of the same table by its pointer heft_row.now, which rises over the children. */
static uint32_t find_same(const struct tree *t, uint32_t node, const struct heft_row *row)
{
	const struct tree_node *n = &t->nodes[node];
	const uint32_t end = n->first + n->children;
	size_t low;
	BISECT(low, n->first, end, i, t->nodes[i].row->now < row->now);
	return low < end && t->nodes[low].row->now == row->now ? (uint32_t)low : NOWHERE;
}

/* Sets now[] of a row's selected children: nodes of the new tree, or NOWHERE. False: no memory. */
static bool match_children(const struct tree *from, struct tree *to, uint32_t node, uint32_t *now)
{
	ASSERT(node < from->count);
	const struct tree_node *n = &from->nodes[node];
	struct labelled *list = NULL;
	uint32_t count = 0;
	for (uint32_t i = n->first; i < n->first + n->children; i++)
		count += now[i] == 0;
	if (now[node] != NOWHERE && count > 0 && !tree_make_children(to, now[node]))
		return false;
	const bool same = from->table == to->table;
	if (now[node] != NOWHERE && count > FEW && !same)
		list = sort_labels(to, now[node]);
	for (uint32_t i = n->first; i < n->first + n->children; i++) {
		const struct heft_row *row = from->nodes[i].row;
		if (now[i] != 0)
			continue;
		now[i] = now[node] == NOWHERE ? NOWHERE
			 : same               ? find_same(to, now[node], row)
					      : find_child(to, now[node], list, row->label);
	}
	free(list);
	return true;
}

/* Returns the node of the new tree for `node` of the old tree `from`. If the new tree lacks the
 * row, returns the node of the nearest row above it. */
static uint32_t found(const struct tree *from, const uint32_t *now, uint32_t node)
{
	ASSERT(node < from->count);
	while (node != 0 && now[node] == NOWHERE)
		node = from->nodes[node].parent;
	return now[node];
}

bool tree_carry(struct tree *to, const struct tree *from, uint32_t *cursor)
{
	uint32_t *now = malloc(from->count * sizeof *now);
	if (now == NULL)
		return false;
	carry_choose(from, *cursor, now);
	now[0] = 0;
	bool good = true;
	for (uint32_t i = 0; good && i < from->count; i++) {
		const struct tree_node *n = &from->nodes[i];
		good = match_children(from, to, i, now);
		if (now[i] == NOWHERE)
			continue;
		to->nodes[now[i]].open = n->open && (now[i] == 0 || tree_has_children(to, now[i]));
		to->nodes[now[i]].by_filter = n->by_filter;
		tree_mark(to, now[i], n->marked);
	}
	to->root = found(from, now, from->root);
	*cursor = found(from, now, *cursor < from->count ? *cursor : 0);
	if (from->measure == from->table->sorted_by) /* The user did not choose another measure. */
		tree_set_order(to, to->table->sorted_by, from->sort, from->reversed);
	else if (from->measure < to->table->measure_count)
		tree_set_order(to, from->measure, from->sort, from->reversed);
	free(now);
	return good;
}
