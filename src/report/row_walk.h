/* row_walk.h - walks over the tree of rows, for all formats.
 *
 * The walk has its own stack, so it needs no recursion. One thread per walk. */
#pragma once

#include "base/number.h"
#include "base/vec.h"
#include "heft.h"

struct rows_maker;

struct row_level {
	const struct heft_row *row;
	size_t next; /* Index of the child to visit next */
};

/* levels.data[0] is the top. levels.count - 1 is the depth of the row that row_next() returned. */
struct row_walk {
	VEC(struct row_level) levels;
	struct rows_maker *maker; /* Makes the rows during the walk. NULL if they exist */
};

static inline void row_walk_init(struct row_walk *w, const struct heft_row *top)
{
	*w = (struct row_walk){ { 0 } };
	vec_push(&w->levels, (struct row_level){ top, 0 });
}

static inline void row_walk_release(struct row_walk *w)
{
	vec_release(&w->levels);
}

/* Returns the next row below the top, parents before their children. NULL at the end. */
const struct heft_row *row_next(struct row_walk *w);

/* Skips the children of the row that row_next() returned last. */
void row_skip_children(struct row_walk *w);

/* Returns the parent of the row that row_next() returned last. */
static inline const struct heft_row *row_parent(const struct row_walk *w)
{
	ASSERT(w->levels.count >= 2);
	return w->levels.data[w->levels.count - 2].row;
}
