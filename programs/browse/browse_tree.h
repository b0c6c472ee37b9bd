/* browse_tree.h - keeps the state of a table's rows on the screen: open, closed, sorted, filtered,
 * marked.
 *
 * Rows are nodes. Node 0 is the top row. Children of one row are adjacent and come after it. A row
 * whose only child repeats it shares one node with that child. Nodes are made when the row above is
 * opened. A filter makes the nodes of all rows. If the table filters its rows itself (struct
 * browse_rows), the tree is made again from the shown rows.
 *
 * Cost: 44 bytes per node. A filter takes three passes over all rows. A sort reads the children of
 * the open rows. Does not depend on a terminal. One thread. */
#pragma once

#include "browse/browse.h"

#include <stdbool.h>
#include <stdint.h>

struct tree_node {
	const struct heft_row *row;
	uint32_t parent; /* Index of the row's parent. 0 for node 0 */
	uint32_t first;  /* Index of the first child. 0 if the children were not made yet */
	uint32_t children;
	uint32_t below;  /* Number of rows directly below. A filter may make fewer children */
	uint32_t sorted; /* Value of order_number when its children were sorted. 0 if unsorted */
	bool open, marked;
	bool by_filter; /* True if the filter opened the row. The next filter closes it */
	bool shown;     /* True if the row or a row below it passes the filter */
};

enum tree_sort {
	/* Larger rows first; in a diff, larger changes first. Rows of equal size are sorted by
	 * their largest other measure, then by name unless there are thousands. */
	TREE_BY_SIZE,
	TREE_BY_GROWTH,
	TREE_BY_BASE, /* Rows that are larger in the base come first */
	TREE_BY_NAME,
};

struct tree {
	const struct heft_table *table;
	bool diff; /* True if the table is a diff: the base's numbers are used */
	struct browse_rows rows;
	bool by_table;   /* True if the table filters its rows itself */
	uint64_t leaves; /* Number of rows without children that pass the filter */
	struct tree_node *nodes;
	uint32_t count;
	size_t room;     /* Capacity of all lists with an entry per node */
	uint32_t *order; /* order[first], order[first + 1] ...: children in the shown order */
	/* Sums of the rows that pass the filter. Per node: the measures of the table, then those of
	 * its base. NULL if there is no filter. */
	double *sums;
	size_t measure; /* Measure that sorts the rows */
	enum tree_sort sort;
	bool reversed;
	uint32_t order_number; /* Number of the current order: each change gives a new one */
	uint32_t root;         /* Row that is shown as the top */
	uint32_t marked;       /* Number of marked nodes */
	uint32_t *lines;       /* Visible nodes below the root, from top to bottom */
	uint32_t line_count;
	uint32_t *waiting; /* Stack for computing the lines */
};

/* Starts a tree. `from` is borrowed. False if out of memory, or if there are at least 2^32 rows. */
bool tree_init(struct tree *t, const struct browse_table *from);
void tree_release(struct tree *t);
/* Carries the state of an older tree (open rows, marks, order, root) to a new tree. Two rows are
 * the same if all labels of their paths are equal; in the same table, if they share heft_row.now.
 * *cursor becomes the same node of the new tree, or the nearest existing row above it. The caller
 * sets the filter. False if there is no memory; then nothing changes. */
bool tree_carry(struct tree *to, const struct tree *from, uint32_t *cursor);

/* Make the missing nodes below a node, or below all nodes. False if there is no memory; existing
 * nodes stay valid. */
bool tree_make_children(struct tree *t, uint32_t node);
bool tree_make_all(struct tree *t);
/* Makes all nodes again from the rows that pass the table's filter. Updates *cursor as tree_carry()
 * does. False if there is no memory; then nothing changes. */
bool tree_make_again(struct tree *t, uint64_t leaves, bool by_table, uint32_t *cursor);

/* Return a measure of a node: of the whole row or, with a filter, of the rows below it that pass.
 * NaN if the row has none. */
double tree_now(const struct tree *t, uint32_t node, size_t measure);
double tree_base(const struct tree *t, uint32_t node, size_t measure);
/* Returns the number now minus the number of the base. */
double tree_change(const struct tree *t, uint32_t node, size_t measure);

/* Returns the depth of a node below the root: 0 for the root's children. */
unsigned tree_depth(const struct tree *t, uint32_t node);
bool tree_has_children(const struct tree *t, uint32_t node);

void tree_set_order(struct tree *t, size_t measure, enum tree_sort sort, bool reversed);
/* True if a row only repeats the label of the row above. */
bool tree_same_label(const char *above, const char *label);
/* Filters leaf rows. Each word of `text` must occur in a label, alias or text of the leaf or of a
 * row above it. A word that begins with "!" must not occur. A word with a capital letter is matched
 * exactly. All rows pass an empty text. *cursor gets the node's new number. False if there is no
 * memory; then the filter is unchanged, unless the table filters its rows itself. */
bool tree_filter(struct tree *t, const char *text, uint32_t *cursor);
/* Computes the visible lines. Call it after each change that affects them. False without memory. */
bool tree_list(struct tree *t);

/* Opens or closes the node and all its siblings. */
void tree_open_beside(struct tree *t, uint32_t node, bool open);
/* Opens all rows that pass the filter, if they have at most `most` leaves. */
void tree_open_shown(struct tree *t, uint32_t most);
/* Closes the rows that tree_open_shown() opened, except the rows above the cursor. */
void tree_close_opened(struct tree *t, uint32_t cursor);
void tree_mark(struct tree *t, uint32_t node, bool marked);
void tree_unmark_all(struct tree *t);
/* Adds up the marked nodes, except those below another marked node: now, and in a diff the base. */
void tree_marked(const struct tree *t, size_t measure, double *ret_now, double *ret_base);
