/* browse_tree.h - the rows of a table as somebody looks at them: opened, closed, sorted,
 * filtered, marked.  Rows are nodes: node 0 is the top row, children of one row are neighbours and
 * come behind it.  A row whose only child says again what it says is one node with that child.
 * Nodes are made when the row above them is listed; a filter makes those of all rows, unless the
 * table filters itself (struct browse_rows): then the tree is made anew, of what is shown.  Costs:
 * 44 bytes a node; a filter, three passes over all rows; to sort, the children of the rows that
 * are open.
 * Knows nothing of terminals.  One thread. */
#ifndef HEFT_BROWSE_TREE_H
#define HEFT_BROWSE_TREE_H

#include "browse/browse.h"

#include <stdbool.h>
#include <stdint.h>

struct tree_node {
	const struct heft_row *row;
	uint32_t parent; /* of node 0: 0 */
	uint32_t first;  /* its first child; 0: they are not made yet */
	uint32_t children;
	uint32_t below;  /* rows right below it, of which a filter may have made fewer children */
	uint32_t sorted; /* the order that its children are in; 0: none */
	bool open, marked;
	bool by_filter; /* that opened it; another one closes it */
	bool shown;     /* the filter lets it through, or something below it */
};

enum tree_sort {
	/* Larger first; in a diff larger changes first.  Rows of one size: larger ones by another
	 * measure first, then by name unless there are thousands of them. */
	TREE_BY_SIZE,
	TREE_BY_GROWTH,
	TREE_BY_BASE, /* what was larger first */
	TREE_BY_NAME,
};

struct tree {
	const struct heft_table *table;
	bool diff; /* numbers of the base count */
	struct browse_rows rows;
	bool by_table;   /* the table filters */
	uint64_t leaves; /* that it lets through */
	struct tree_node *nodes;
	uint32_t count;
	size_t room;     /* of all lists by node */
	uint32_t *order; /* order[first], order[first + 1] ...: the children in the order shown */
	/* What the filter lets through: of each node the measures now, then those of the base;
	 * NULL: there is no filter. */
	union heft_value *sums;
	size_t measure; /* that decides the order */
	enum tree_sort sort;
	bool reversed;
	uint32_t order_number; /* changes with everything that decides the order */
	uint32_t root;         /* the row that is the whole */
	uint32_t marked;       /* how many */
	uint32_t *lines;       /* the nodes below the root that are in sight, from the top */
	uint32_t line_count;
	uint32_t *waiting; /* while lines are found */
};

/* What `from` names is borrowed.  False where there is no memory, or where there are more rows than
 * a number of 32 bits can name. */
bool tree_init(struct tree *t, const struct browse_table *from);
void tree_release(struct tree *t);
/* Opens, marks and sorts in a new tree what is so in an older one, and takes its root; rows are the
 * same whose labels from the top on are, of one table those with the same sums.  *cursor, a node of
 * the old tree, becomes that of the new one, or the one nearest above it that is there.  The filter
 * is the caller's.  False where there is no memory; nothing changes then. */
bool tree_carry(struct tree *to, const struct tree *from, uint32_t *cursor);

/* Makes the nodes below a node, or below all of them, that are not there yet.  False where there is
 * no memory; what is there stays good. */
bool tree_make_children(struct tree *t, uint32_t node);
bool tree_make_all(struct tree *t);
/* Makes all nodes anew, of what the table lets through now.  *cursor as in tree_carry.  False where
 * there is no memory; nothing changes then. */
bool tree_make_again(struct tree *t, uint64_t leaves, bool by_table, uint32_t *cursor);

/* What a measure of a node is: all of the row, or what the filter lets through of it. */
union heft_value tree_now(const struct tree *t, uint32_t node, size_t measure);
union heft_value tree_base(const struct tree *t, uint32_t node, size_t measure);
/* The same as a number; NaN where the row has none. */
double tree_number(const struct tree *t, union heft_value v, size_t measure);
/* now - base. */
double tree_change(const struct tree *t, uint32_t node, size_t measure);

/* Rows below the root: 0 of its children. */
unsigned tree_depth(const struct tree *t, uint32_t node);
bool tree_has_children(const struct tree *t, uint32_t node);

void tree_set_order(struct tree *t, size_t measure, enum tree_sort sort, bool reversed);
/* Whether a row below one only says again what that says. */
bool tree_same_label(const char *above, const char *label);
/* Lets through the leaf rows on whose way from the top every word of `text` is in a label, alias
 * or text, and none of the words that begin with "!".  Words with a capital letter are matched
 * exactly.  Empty text: everything.  *cursor, a node, gets the number that it has then.  False
 * where there is no memory; the filter is then what it was, unless the table filters. */
bool tree_filter(struct tree *t, const char *text, uint32_t *cursor);
/* Finds the lines anew, after anything that changes them.  False where there is no memory. */
bool tree_list(struct tree *t);

/* Rows beside the node, itself included, are opened or closed with it. */
void tree_open_beside(struct tree *t, uint32_t node, bool open);
/* Opens all that the filter lets through, if these are at most so many leaves. */
void tree_open_shown(struct tree *t, uint32_t most);
/* Closes what that opened, but for the rows above the cursor: they stay open. */
void tree_close_opened(struct tree *t, uint32_t cursor);
void tree_mark(struct tree *t, uint32_t node, bool marked);
void tree_unmark_all(struct tree *t);
/* Adds up what is marked and not below something marked: now, and of a diff the base. */
void tree_marked(const struct tree *t, size_t measure, double *ret_now, double *ret_base);

#endif
