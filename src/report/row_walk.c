/* Walks over the tree of rows. */
#include "report/row_walk.h"

#include "map/rows.h"

const struct heft_row *row_next(struct row_walk *w)
{
	while (w->levels.count > 0) {
		struct row_level *last = &w->levels.data[w->levels.count - 1];
		if (last->next == last->row->child_count) {
			w->levels.count--;
			continue;
		}
		const struct heft_row *child = last->row->children[last->next++];
		if (w->maker)
			rows_visit(w->maker, child, w->levels.count);
		vec_push(&w->levels, (struct row_level){ child, 0 });
		return child;
	}
	return NULL;
}

void row_skip_children(struct row_walk *w)
{
	struct row_level *last = &w->levels.data[w->levels.count - 1];
	last->next = last->row->child_count;
}
