/* profile_rows.h - makes the table of a profile: functions and, below each, its blocks, ordered by
 * how often they ran. Code that never ran has no row. O(blocks). One thread. */
#pragma once

#include "blocks/block_profile.h"
#include "map/rows.h"

/* Texts of a row. PROFILE_LINKAGE: linkage name of a function. PROFILE_ADDRESS: decimal address.
 * PROFILE_HOTNESS: hotness of a block. */
enum profile_text { PROFILE_LINKAGE, PROFILE_ADDRESS, PROFILE_HOTNESS, PROFILE_TEXTS };

extern const char *const hotness_names[HOTNESS_COUNT]; /* Per enum hotness: "never" and so on */

struct profile_rows {
	struct heft_table table; /* `ref` of a row: index of the function or block */
	const struct blockmap *map;
	const struct profile *profile;
	const char *const *shown; /* Per function: the name shown to users */
	const size_t *wanted;     /* Indexes of the functions to show. NULL: all */
	size_t wanted_count;
	struct hotness_limits limits;
	struct tree tree; /* Sums of the rows. Keys: indexes of functions and blocks */
	struct arena arena;
};

/* Makes the rows of a query. `q` gives their number and order. The caller's data must live as long
 * as the rows. */
void profile_rows_make(struct profile_rows *r, const struct heft_samples_query *q);
void profile_rows_release(struct profile_rows *r);
