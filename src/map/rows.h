/* rows.h - makes the rows of all reports from a tree of sums: sorted, filtered, cut to a limit,
 * with the rest summed up as "[N Others]".
 *
 * Cost: O(n log limit) with a limit, else O(n log n). Memory comes from the caller's arena: about
 * 88 bytes per shown row. Rows point into the tree. The tree must not change afterwards. */
#ifndef HEFT_MAP_ROWS_H
#define HEFT_MAP_ROWS_H

#include "base/arena.h"
#include "map/tree.h"

#include <math.h>

/* A row with a number that its report may use. All rows of this file are struct ref_row. */
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
	uint32_t limit;                      /* Rows per level. 0: all. */
	enum heft_sort sort;                 /* Any order but HEFT_SORT_AUTO. Callers turn AUTO into
					      * HEFT_SORT_SIZE. */
	uint32_t keys; /* Bit m: measure m decides the order. If several bits are set, the
		        * largest measure decides. */
	/* Returns the group of a node. Rows of a lower group come first, whatever their size. NULL:
	 * all are in one group. HEFT_SORT_NAME ignores groups. */
	uint8_t (*group)(void *ctx, uint32_t node);
	/* Bit m: measure m counts for leaving out rows. A row is left out if all these measures are
	 * 0, or in a diff unchanged. 0: no row is left out. */
	uint32_t told;
	uint32_t empty_from, empty_to; /* Range of nodes that are rows even if empty */
	bool diff;
	bool others_last; /* "[N Others]" comes last. If false, its size decides. */
	/* Leave out single rows with the label of the row above, and single rows of bytes without
	 * an owner. */
	bool drop_repeats;
	uint32_t keep; /* Bit k: on level k leave out only rows of bytes without an owner,
		        * because further levels follow. */
	/* Least number of a row on the first level, and on deeper levels. Smaller rows are put into
	 * the others. The number is the one that decides the order. */
	uint64_t least, least_below;
	/* Returns the label of a node. NUL-terminated, valid as long as the tree. */
	const char *(*label)(void *ctx, uint32_t node);
	/* Returns the i-th full name of the symbols of a node whose label is shorter. Valid until
	 * the next call. NULL if there are no more. For filters. May be NULL. */
	const char *(*full_name)(void *ctx, uint32_t node, uint32_t level, size_t i);
	/* Sets further fields of a row: texts, aliases, change, row_set_ref(). May be NULL. Level
	 * 0 is the first. */
	void (*fill)(void *ctx, uint32_t node, uint32_t level, struct heft_row *row);
	void *ctx;
};

/* Makes the row of node 0, labelled "TOTAL", with all rows below it. */
const struct heft_row *rows_build(const struct tree *t, const struct rows_opts *opts,
				  struct arena *arena);

/* Returns number `m` of a row, now or of the base, with its fraction. NaN if the row has none. */
static inline double row_number(const struct heft_table *t, const struct heft_row *row, size_t m,
				bool base)
{
	if (t->measures[m].unit != HEFT_PARTS)
		return (double)(base ? row->base : row->now)[m];
	const double *exact = base ? row->base_exact : row->now_exact;
	return exact ? exact[m] : (double)NAN;
}

/* Returns the kind of a label, by the form of fallback labels. */
enum heft_row_kind rows_kind(struct str label);

/* Makes rows level by level. A row that is not opened yet has the number of its children, but
 * `children` is NULL. Rows are unsorted and complete: opts->sort is HEFT_SORT_NONE. Cost: 8 bytes
 * per node. Opening a row is O(children), and reads the sums of all grandchildren. Borrowed data
 * must live until rows_end(). The rows belong to the arena. */
struct rows_maker {
	const struct tree *tree;
	const struct rows_opts *opts;
	struct arena *arena;
	/* Per node: its first child, and the next child of its parent. 0 if none. */
	uint32_t *first, *next;
	struct rows_filter {
		uint8_t *state;  /* Per node. NULL if there is no filter. */
		uint32_t *place; /* Per node with others below it: index of its sums */
		/* Filtered sums, in the tree's layout. */
		uint64_t *sums;
	} filter;
	/* private */
	bool borrows;           /* `first` and `next` belong to another maker */
	struct row_item *items; /* Room for the items of a level */
	size_t item_room;
	bool visiting;
	VEC(struct arena) rooms; /* By level: visited rows */
};

/* Returns the row of node 0, opened. */
const struct heft_row *rows_begin(struct rows_maker *m, const struct tree *t,
				  const struct rows_opts *opts, struct arena *arena);
/* Makes the children of a row of `m`, unless they exist. */
void rows_open(struct rows_maker *m, const struct heft_row *row);

/* Makes rows during a walk, parents before their children. Only the rows that a walk needs exist at
 * a time. That saves most of the memory of rows_build(). No limit cuts rows. Returns the row of
 * node 0 with its children. The row belongs to the arena. `other` is a maker of the same tree. Its
 * lists of children are reused. `other` must live as long as this maker, or is NULL. */
const struct heft_row *rows_visit_all(struct rows_maker *m, const struct tree *t,
				      const struct rows_opts *opts, const struct rows_maker *other,
				      struct arena *arena);
/* Makes the children of a row at depth `level`. Before the call, child_count is only an upper
 * bound. The children replace those that were made last at this depth. */
void rows_visit(struct rows_maker *m, const struct heft_row *row, size_t level);
void rows_end(struct rows_maker *m);

/* Applies a filter. NULL removes it. Returns the number of shown rows without others below them, 0
 * if all are shown. Cost: two passes over the nodes, and a test of each label once per level. */
uint64_t rows_filter(struct rows_maker *m, const struct heft_row_filter *f);
/* Returns how the filter affects a row, and the filtered sums of the row. */
enum heft_filtered rows_filtered(const struct rows_maker *m, const struct heft_row *row,
				 const uint64_t **ret_now, const uint64_t **ret_base);
/* Returns the rows below a row that the filter shows or keeps, possibly with others. Different
 * lists contain different objects for one row, but these point to the same sums. */
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
/* Returns the number of rows below a node with a label, if none are cut. *ret_last is the last. */
size_t rows_below(const struct rows_maker *m, uint32_t node, const char *label, uint32_t level,
		  uint32_t *ret_last);
/* Makes the rows of `count` wanted nodes below a node. */
const struct heft_row *const *rows_make_some(struct rows_maker *m, uint32_t node, size_t count,
					     bool (*wanted)(const struct rows_maker *m,
							    uint32_t node));
void rows_add_values(const struct rows_maker *m, uint64_t *to, const uint64_t *more);

#endif
