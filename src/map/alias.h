/* alias.h - other names of the bytes a symbol owns.
 *
 * Where several symbols stand at one address with one size, one owns the bytes (the rule is
 * in source/attr_symbols.c); the others are listed here, by their raw labels.  alias_index
 * turns the list into names by the label a level shows.  One thread at a time. */
#ifndef HEFT_MAP_ALIAS_H
#define HEFT_MAP_ALIAS_H

#include "map/view.h"

struct alias {
	label_id owner, label;
};

struct aliases {
	VEC(struct alias) list;
};

/* The shown names of the aliases of every shown label. */
struct alias_index {
	const char **names; /* grouped by owner */
	struct alias_run {
		label_id owner;
		uint32_t count;
		size_t first;
	} *runs; /* sorted by owner */
	size_t run_count;
};

/* Names as `view` shows them; those that look like their owner are left out. */
void alias_index_build(struct alias_index *x, const struct aliases *a, struct view *view,
		       struct labels *labels, unsigned threads, struct notes *notes);
const struct alias_run *alias_index_find(const struct alias_index *x, label_id owner);
void alias_index_release(struct alias_index *x);

#endif
