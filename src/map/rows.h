/* rows.h - makes the rows of all reports from a tree of sums: sorted, filtered, limited in number.
 * The row "[N Others]" sums up the other rows.
 *
 * Cost: O(n log limit) with a limit, else O(n log n). Each row takes about 88 bytes of the caller's
 * arena. Rows point into the tree, which must not change afterwards. */
#ifndef HEFT_MAP_ROWS_H
#define HEFT_MAP_ROWS_H

#include "base/arena.h"
#include "map/tree.h"

#include <math.h>

/* A row, and a number for the report's use. All rows made here are struct ref_row. */
struct ref_row {
	struct heft_row row;
	uint32_t ref;
};

static inline uint32_t row_ref(const struct heft_row *row)
{
	return ((const struct ref_row *)row)->ref;
}

static inline void row_set_ref(struct heft_row *row, uint32_t ref)
{
	((struct ref_row *)row)->ref = ref;
}

enum { ROWS_DEPTH_MAX = 16 }; /* Maximal depth of rows with filters */

struct rows_opts {
	const struct heft_measure *measures; /* One for each measure of the tree */
	uint32_t limit;                      /* Maximal rows per level. 0: all */
	enum heft_sort sort;                 /* Any order except HEFT_SORT_AUTO, which callers
					      * replace by HEFT_SORT_SIZE */
	uint32_t keys; /* Bits of the measures that sort the rows. If there are several, the
		        * largest value is used */
	/* Returns the group of a node. Rows of a lower group come first. NULL: one group.
	 * HEFT_SORT_NAME ignores groups. */
	uint8_t (*group)(void *ctx, uint32_t node);
	/* Bits of measures. A row is skipped if all these measures are 0, or in a diff unchanged.
	 * 0: no row is skipped. */
	uint32_t told;
	uint32_t empty_from, empty_to; /* Nodes [empty_from, empty_to) become rows even if empty */
	bool diff;
	bool others_last; /* True if "[N Others]" is the last row. Otherwise its size decides */
	/* Skip a single row with its parent's label, and a single row of bytes without an owner. */
	bool drop_repeats;
	uint32_t keep; /* Bit k: keep a repeated label on level k, because further levels follow */
	/* Smallest values of rows on the first level and on deeper levels. "[N Others]" sums up
	 * smaller rows. The values are those of the measure that sorts the rows. */
	uint64_t least, least_below;
	/* Returns the label of a node: NUL-terminated, valid as long as the tree. */
	const char *(*label)(void *ctx, uint32_t node);
	/* For filters: returns the i-th full name of the symbols of a node that shows a shorter
	 * label. Valid until the next call. NULL after the last. May be NULL. */
	const char *(*full_name)(void *ctx, uint32_t node, uint32_t level, size_t i);
	/* Sets further fields of a row, such as texts and aliases, or calls row_set_ref(). May be
	 * NULL. Level 0 is the first. */
	void (*fill)(void *ctx, uint32_t node, uint32_t level, struct heft_row *row);
	void *ctx;
};

/* Makes the row of node 0, labelled "TOTAL", with all rows below it. */
const struct heft_row *rows_build(const struct tree *t, const struct rows_opts *opts,
				  struct arena *arena);

/* Returns measure `m` of a row, now or in the base, with its fraction. NaN if the row has none. */
static inline double row_number(const struct heft_table *t, const struct heft_row *row, size_t m,
				bool base)
{
	if (t->measures[m].unit != HEFT_PARTS)
		return (double)(base ? row->base : row->now)[m];
	const double *exact = base ? row->base_exact : row->now_exact;
	return exact ? exact[m] : (double)NAN;
}

/* Returns the kind of row that a label stands for, by the form of fallback labels. */
enum heft_row_kind rows_kind(struct str label);

/* Makes rows level by level, on request. Before a row is opened, it has child_count, but `children`
 * is NULL. Rows are unsorted and complete: opts->sort is HEFT_SORT_NONE. Costs 8 bytes per node.
 * Opening a row is O(children) and reads the sums of the grandchildren. Borrowed data must live
 * until rows_end(). The arena owns the rows. */
struct rows_maker {
	const struct tree *tree;
	const struct rows_opts *opts;
	struct arena *arena;
	/* Per node: its first child, and its next sibling. 0: none */
	uint32_t *first, *next;
	struct rows_filter {
		uint8_t *state;  /* Per node: bits of the filter. NULL: no filter */
		uint32_t *place; /* Per node with children: index of its filtered sums */
		/* Filtered sums, in the layout of the tree's sums */
		uint64_t *sums;
	} filter;
	/* Private. */
	bool borrows;           /* True if another maker owns `first` and `next` */
	struct row_item *items; /* Scratch for the items of a level */
	size_t item_room;
	bool visiting;
	VEC(struct arena) rooms; /* One arena per depth, for rows of rows_visit() */
};

/* Starts making rows. Returns the row of node 0, already opened. */
const struct heft_row *rows_begin(struct rows_maker *m, const struct tree *t,
				  const struct rows_opts *opts, struct arena *arena);
/* Makes the children of a row if they do not exist yet. */
void rows_open(struct rows_maker *m, const struct heft_row *row);

/* Starts a walk over all rows, parents first. Only the current path's rows exist at a time, which
 * saves most of the memory of rows_build(). Limits do not apply. Returns the row of node 0 with its
 * children. The row belongs to the arena. `other` may be NULL. Else it is a maker of the same tree
 * whose child lists are borrowed. */
const struct heft_row *rows_visit_all(struct rows_maker *m, const struct tree *t,
				      const struct rows_opts *opts, const struct rows_maker *other,
				      struct arena *arena);
/* Makes the children of a row at depth `level`. Until then, child_count is an upper bound. Frees
 * the previous children at this depth. */
void rows_visit(struct rows_maker *m, const struct heft_row *row, size_t level);
void rows_end(struct rows_maker *m);

/* Applies a filter. NULL removes it. Returns the number of shown rows without children, 0 if all
 * rows are shown. Cost: two passes over the nodes, and one test per label and level. */
uint64_t rows_filter(struct rows_maker *m, const struct heft_row_filter *f);
/* Returns how the filter affects a row, and the filtered sums of the row. */
enum heft_filtered rows_filtered(const struct rows_maker *m, const struct heft_row *row,
				 const uint64_t **ret_now, const uint64_t **ret_base);
/* Returns the children that the filter shows or keeps, perhaps with hidden ones. Lists may have
 * different objects for one row, which share their sums. */
const struct heft_row *const *rows_open_filtered(struct rows_maker *m, const struct heft_row *row,
						 size_t *ret_count);

/* For a node, return: whether it is a row, its label, its depth, its row. */
bool rows_is_row(const struct rows_maker *m, uint32_t node);
static inline const char *rows_label(const struct rows_maker *m, uint32_t node)
{
	return node > 0 ? m->opts->label(m->opts->ctx, node) : "TOTAL";
}
uint32_t rows_depth(const struct rows_maker *m, uint32_t node);
void rows_describe(const struct rows_maker *m, uint32_t node, const char *label, uint32_t level,
		   struct heft_row *ret);
uint32_t rows_node(const struct rows_maker *m, const struct heft_row *row);
/* Returns the number of unlimited rows with a label below a node. *ret_last is the last one. */
size_t rows_below(const struct rows_maker *m, uint32_t node, const char *label, uint32_t level,
		  uint32_t *ret_last);
/* Makes rows for `count` given nodes that are below a node. */
const struct heft_row *const *rows_make_some(struct rows_maker *m, uint32_t node, size_t count,
					     bool (*wanted)(const struct rows_maker *m,
							    uint32_t node));
void rows_add_values(const struct rows_maker *m, uint64_t *to, const uint64_t *more);

#endif
