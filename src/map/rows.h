/* rows.h - makes the rows of all reports from a tree of sums: sorted, filtered, limited in number.
 * The row "[N Others]" sums up the other rows.
 *
 * Cost: O(n log limit) with a limit, else O(n log n). A row takes about 88 bytes of the caller's
 * arena. The tree must not change afterwards. */
#pragma once

#include "base/arena.h"
#include "map/tree.h"

#include <math.h>

/* A row, with a number for the report's own use. All rows made here are in such a struct */
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

enum { ROWS_DEPTH_MAX = 16 }; /* Greatest number of levels that rows_filter() accepts */

struct rows_opts {
	const struct heft_measure *measures; /* Per measure of the tree */
	uint32_t limit;                      /* Greatest number of rows per level. 0 for all */
	enum heft_sort sort;                 /* Not HEFT_SORT_AUTO, which callers replace */
	uint32_t keys; /* Bits of the measures by which rows are sorted. If several, by the largest
			* of their values */
	/* Returns the group of a node. Rows of lower groups come first, except for HEFT_SORT_NAME.
	 * NULL for one group. */
	uint8_t (*group)(void *ctx, uint32_t node);
	/* Bits of measures. A row is skipped if all these measures are 0 (in a diff: unchanged). 0:
	 * no row is skipped. */
	uint32_t told;
	uint32_t empty_from, empty_to; /* These nodes [empty_from, empty_to) become rows even if
				        * all their measures are 0 */
	bool diff;
	bool others_last; /* True: "[N Others]" is the last row. False: its size decides */
	/* True to skip a parent's only row if it, and each row below it, has the parent's label or
	 * stands for bytes without an owner. */
	bool drop_repeats;
	/* Least value that a row needs on the first level (`least`) and on deeper levels, of the
	 * measure that sorts rows. "[N Others]" sums up the other rows. */
	uint64_t least, least_below;
	/* Returns the label of a node, ended by NUL, valid as long as the tree. */
	const char *(*label)(void *ctx, uint32_t node);
	/* For filters, may be NULL: returns the i-th full name of a node's symbols, if its label is
	 * a shorter name. NULL after the last. Valid until the next call. */
	const char *(*full_name)(void *ctx, uint32_t node, uint32_t level, size_t i);
	/* May be NULL. Sets texts, aliases and other fields of a row, or calls row_set_ref(). The
	 * first level is 0. */
	void (*fill)(void *ctx, uint32_t node, uint32_t level, struct heft_row *row);
	void *ctx;
};

/* Makes the row of node 0, "TOTAL", with all rows below it. */
const struct heft_row *rows_build(const struct tree *t, const struct rows_opts *opts,
				  struct arena *arena);

/* Returns measure `m` of a row, now or in the base, with its fraction. NaN if it has none. */
static inline double row_number(const struct heft_table *t, const struct heft_row *row, size_t m,
				bool base)
{
	if (t->measures[m].unit != HEFT_PARTS)
		return (double)(base ? row->base : row->now)[m];
	const double *exact = base ? row->base_exact : row->now_exact;
	return exact ? exact[m] : (double)NAN;
}

/* Returns the kind of row for a label, by the forms of fallback labels. */
enum heft_row_kind rows_kind(struct str label);

/* Makes rows level by level, when they are opened. Until then, a row has child_count, but
 * `children` is NULL. Rows are not sorted or limited: opts->sort is HEFT_SORT_NONE. Takes 8 bytes
 * per node. Opening a row is O(children), and reads the sums of grandchildren. Borrowed data must
 * live until rows_end(). The arena owns the rows. */
struct rows_maker {
	const struct tree *tree;
	const struct rows_opts *opts;
	struct arena *arena;
	/* Per node: its first child, and its next sibling. 0 if there is none */
	uint32_t *first, *next;
	struct rows_filter {
		uint8_t *state;  /* Per node: SHOWN, KEPT, LEAF (row_filter.c), or NULL */
		uint32_t *place; /* Per node with children: index of its filtered sums */
		/* Filtered sums per node with children, in the layout of tree.sums */
		uint64_t *sums;
	} filter;
	bool borrows;           /* True if `first` and `next` belong to another maker */
	struct row_item *items; /* Scratch */
	size_t item_room;
	bool visiting;
	VEC(struct arena) rooms; /* Per depth: rows of rows_visit() */
};

/* Returns the row of node 0, with its children made. */
const struct heft_row *rows_begin(struct rows_maker *m, const struct tree *t,
				  const struct rows_opts *opts, struct arena *arena);
/* Makes the children of a row, if they do not exist yet. */
void rows_open(struct rows_maker *m, const struct heft_row *row);

/* Starts a walk over all rows, parents first. Only the rows of the current path exist, which takes
 * much less memory than rows_build(). Limits do not apply. Returns row 0 with its children, owned
 * by the arena. `other`: NULL, or a maker of the same tree whose child lists are borrowed. */
const struct heft_row *rows_visit_all(struct rows_maker *m, const struct tree *t,
				      const struct rows_opts *opts, const struct rows_maker *other,
				      struct arena *arena);
/* Makes the children of a row at depth `level`, and frees those made before at this depth. Until
 * then, child_count is an upper bound. */
void rows_visit(struct rows_maker *m, const struct heft_row *row, size_t level);
void rows_end(struct rows_maker *m);

/* Sets the filter. NULL removes it. Returns the number of shown rows without children, or 0 if all
 * are shown. Cost: two passes over the nodes, and one test per label and level. */
uint64_t rows_filter(struct rows_maker *m, const struct heft_row_filter *f);
/* Returns whether a row is shown, and its filtered sums. */
enum heft_filtered rows_filtered(const struct rows_maker *m, const struct heft_row *row,
				 const uint64_t **ret_now, const uint64_t **ret_base);
/* Returns the children of a row that are shown or have a shown row below. If these are many,
 * returns all children. Calls may return different objects for one row. */
const struct heft_row *const *rows_open_filtered(struct rows_maker *m, const struct heft_row *row,
						 size_t *ret_count);

/* Return, for a node: whether it is a row, its label, its depth, its row. */
bool rows_is_row(const struct rows_maker *m, uint32_t node);
static inline const char *rows_label(const struct rows_maker *m, uint32_t node)
{
	return node > 0 ? m->opts->label(m->opts->ctx, node) : "TOTAL";
}
uint32_t rows_depth(const struct rows_maker *m, uint32_t node);
void rows_describe(const struct rows_maker *m, uint32_t node, const char *label, uint32_t level,
		   struct heft_row *ret);
uint32_t rows_node(const struct rows_maker *m, const struct heft_row *row);
/* Returns the number of rows below a node, without limits, and the last of them in *ret_last.
 * `label`: label of the node's own row. */
size_t rows_below(const struct rows_maker *m, uint32_t node, const char *label, uint32_t *ret_last);
const struct heft_row *const *rows_make_some(struct rows_maker *m, uint32_t node, size_t count,
					     bool (*wanted)(const struct rows_maker *m,
							    uint32_t node));
void rows_add_values(const struct rows_maker *m, uint64_t *to, const uint64_t *more);
