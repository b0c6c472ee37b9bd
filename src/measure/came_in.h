/* came_in.h - tells by whom what a change added came in.
 *
 * A reference from a symbol that was there before to an added symbol is new. So the graph of what
 * the change added needs the later program alone: its edges are all references to added symbols,
 * and its roots are the symbols from before that have such a reference. A symbol brought in what it
 * dominates in this graph (graph/dominators.h): without it, nothing would reach that.
 *
 * The first answer opens the later program again and reads its references, as `heft why` does. Each
 * group costs O(nodes) more. One thread. */
#pragma once

#include "compare/diff_rows.h"
#include "measure/snapshot_handle.h"
#include "measure/why.h"

typedef VEC(struct heft_came_in) came_in_vec;

struct came_in_finder {
	const struct snapshot_diff *d;
	const struct heft_snapshot *after;
	uint64_t least; /* Groups with at most so many added bytes have no answers */
	/* Private. */
	bool tried;
	struct notes notes;
	struct heft_graph program;
	struct graph added;     /* The graph of what the change added, with the program's nodes */
	uint32_t *charge;       /* Per node: its charge in `after`, or SNAP_NO_SYMBOL */
	uint8_t *is_own;        /* Per node: whether it is the program's own code, once known */
	uint8_t *level;         /* Per node: from where it is reached (enum came_in_level) */
	uint32_t *child, *next; /* Trees of dominators: first child and next sibling, or 0 */
	uint64_t *sums;         /* Per node: bytes of a group that it dominates */
	struct str own, root;   /* Package of `main`, and the folder of its sources, or "" */
	struct arena arena;     /* Owns texts of answers */
};

/* Finds by whom the added charges of a group came in. `group`: per pair of charges, its group, less
 * than `count`, or CAME_IN_NONE. `names`: per group, for heft_came_in.what (borrowed). Appends the
 * answers that are sure: at most three per group, the largest first. Answers live as long as the
 * finder. */
#define CAME_IN_NONE UINT32_MAX
void came_in_find(struct came_in_finder *f, const uint32_t *group, const char *const *names,
		  uint32_t count, came_in_vec *ret);
/* Does this for the rows of a table of the diff, whose rows are by `by`. */
void came_in_find_rows(struct came_in_finder *f, const struct diff_rows *rows,
		       const struct heft_diff_query *query, came_in_vec *ret);
void came_in_release(struct came_in_finder *f);
