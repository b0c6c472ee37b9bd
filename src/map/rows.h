/* rows.h - the one engine of rows: from a tree of sums to the rows people see, sorted, filtered,
 * cut to a limit, with the rest summed up as "[N Others]".
 *
 * Cost: O(n log limit) where there is a limit, else O(n log n), in memory of the caller's arena:
 * about 88 bytes a row that is shown.  The rows point into the tree, which must not change any
 * more. */
#ifndef HEFT_MAP_ROWS_H
#define HEFT_MAP_ROWS_H

#include "base/arena.h"
#include "map/tree.h"

enum { ROWS_DEPTH_MAX = 16 }; /* of rows with filters */

struct rows_opts {
	const struct heft_measure *measures; /* as many as the tree has */
	uint32_t limit;                      /* rows a level, 0 = all */
	enum heft_sort sort;                 /* not HEFT_SORT_AUTO; AUTO is HEFT_SORT_SIZE */
	uint32_t keys; /* bit m: measure m decides the order; of several the one that is largest */
	/* Rows of a lower group come before all of a higher one, whatever their size; NULL: all are
	 * of one.  HEFT_SORT_NAME does not ask. */
	uint8_t (*group)(void *ctx, uint32_t node);
	/* Bit m: a row is left out where all of these measures are 0, in a diff where none of them
	 * changed.  0: no row is left out. */
	uint32_t told;
	uint32_t empty_from, empty_to; /* nodes that are rows all the same */
	bool diff;
	bool others_last; /* "[N Others]" stands last; else where its size belongs */
	/* Left out are single rows that have the label of the row above, and those of bytes without
	 * an owner. */
	bool drop_repeats;
	uint32_t keep; /* bit k: of level k only the latter, as further levels follow */
	/* Rows below this much of what decides the order are among the others: on the first level,
	 * and on those below. */
	union heft_value least, least_below;
	/* The label of a node; NUL-terminated, and as long-lived as the tree. */
	const char *(*label)(void *ctx, uint32_t node);
	/* The i-th full name of the symbols of a node whose label is shorter, until the next call;
	 * NULL: there are no more.  Filters ask for them; NULL: there are none. */
	const char *(*full_name)(void *ctx, uint32_t node, uint32_t level, size_t i);
	/* Sets what else a row has: texts, aliases, change, ref; NULL: nothing.  Level 0 is the
	 * first. */
	void (*fill)(void *ctx, uint32_t node, uint32_t level, struct heft_row *row);
	void *ctx;
};

/* The row of node 0, labelled "TOTAL", with all below it. */
const struct heft_row *rows_build(const struct tree *t, const struct rows_opts *opts,
				  struct arena *arena);

/* What a label stands for, by the form that fallback labels have. */
enum heft_row_kind rows_kind(struct str label);

/* Makes rows level by level: a row that is not opened yet has the number of its children, but
 * `children` is NULL.  They are in no order and all there: opts->sort is HEFT_SORT_NONE.  Cost: 8
 * bytes a node, and O(children) to open a row, with a look at the sums of all children of these.
 * What is borrowed lasts until rows_end; the rows are the arena's. */
struct rows_maker {
	const struct tree *tree;
	const struct rows_opts *opts;
	struct arena *arena;
	/* By node: the first one below it, and the next one below the same; 0: none. */
	uint32_t *first, *next;
	struct rows_filter {
		uint8_t *state;  /* by node; NULL: there is no filter */
		uint32_t *place; /* by node that has others below it: of its sums */
		/* What is let through, as the tree has them. */
		union heft_value *sums;
	} filter;
	/* private */
	bool borrows;           /* `first` and `next` are another maker's */
	struct row_item *items; /* room for those of a level */
	size_t item_room;
	bool visiting;
	VEC(struct arena) rooms; /* by level: rows that are visited */
};

/* The row of node 0, which is opened. */
const struct heft_row *rows_begin(struct rows_maker *m, const struct tree *t,
				  const struct rows_opts *opts, struct arena *arena);
/* Makes the children of a row that was made by `m`, unless they are there. */
void rows_open(struct rows_maker *m, const struct heft_row *row);

/* Makes rows while they are walked, parents before their children: no more of them are there than a
 * walk needs, where those of rows_build take more memory than all else.  No limit cuts them.  The
 * row of node 0, whose children are there, is the arena's.  `other` is a maker of the same tree,
 * which lasts as long and is asked what lies below what, or NULL. */
const struct heft_row *rows_visit_all(struct rows_maker *m, const struct tree *t,
				      const struct rows_opts *opts, const struct rows_maker *other,
				      struct arena *arena);
/* Makes the children of a row, to which so many rows lead from the top; before that child_count is
 * no more than an upper bound.  They take the place of those that were made last as deep. */
void rows_visit(struct rows_maker *m, const struct heft_row *row, size_t level);
void rows_end(struct rows_maker *m);

/* ---- filters of rows that are made level by level (row_filter.c) ----------------------------- */

/* Lets through what a filter does, NULL: all.  Returns how many rows without others below them that
 * are; 0 where all are.  Cost: two passes over the nodes; a look at each label once a level. */
uint64_t rows_filter(struct rows_maker *m, const struct heft_row_filter *f);
/* What it does to a row, and the sums of what it lets through. */
enum heft_filtered rows_filtered(const struct rows_maker *m, const struct heft_row *row,
				 const union heft_value **ret_now,
				 const union heft_value **ret_base);
/* The rows below one that the filter lets through or that are kept, perhaps with others.  No row of
 * a list is the one of another list, but the sums that they point to are the same. */
const struct heft_row *const *rows_open_filtered(struct rows_maker *m, const struct heft_row *row,
						 size_t *ret_count);

/* Of a node: whether it is a row at all, its label, how many are above it, the row. */
bool rows_is_row(const struct rows_maker *m, uint32_t node);
static inline const char *rows_label(const struct rows_maker *m, uint32_t node)
{
	return node > 0 ? m->opts->label(m->opts->ctx, node) : "TOTAL";
}
uint32_t rows_depth(const struct rows_maker *m, uint32_t node);
void rows_describe(const struct rows_maker *m, uint32_t node, const char *label, uint32_t level,
		   struct heft_row *ret);
/* The node of a row. */
uint32_t rows_node(const struct rows_maker *m, const struct heft_row *row);
/* How many rows there will be below a node with a label, where none are cut; the last of them. */
size_t rows_below(const struct rows_maker *m, uint32_t node, const char *label, uint32_t level,
		  uint32_t *ret_last);
/* Makes the rows of `count` wanted nodes below one. */
const struct heft_row *const *rows_make_some(struct rows_maker *m, uint32_t node, size_t count,
					     bool (*wanted)(const struct rows_maker *m,
							    uint32_t node));
void rows_add_values(const struct rows_maker *m, union heft_value *to,
		     const union heft_value *more);

#endif
