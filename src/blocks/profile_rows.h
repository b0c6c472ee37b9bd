/* profile_rows.h - the table of a profile: functions, below them their blocks, by how often they
 * ran.
 *
 * What never ran has no row.  O(blocks); one thread. */
#ifndef HEFT_BLOCKS_PROFILE_ROWS_H
#define HEFT_BLOCKS_PROFILE_ROWS_H

#include "blocks/block_profile.h"
#include "map/rows.h"

/* Texts of rows: of functions the linkage name; the address, in decimal; of blocks their
 * hotness. */
enum profile_text { PROFILE_LINKAGE, PROFILE_ADDRESS, PROFILE_HOTNESS, PROFILE_TEXTS };

extern const char *const hotness_names[HOTNESS_COUNT]; /* "never" ... */

struct profile_rows {
	struct heft_table table; /* ref: the index of the function, or of the block */
	/* private */
	const struct blockmap *map;
	const struct profile *profile;
	const char *const *shown; /* names of functions, as people want them */
	const size_t *wanted;     /* indexes of functions, or NULL: all */
	size_t wanted_count;
	struct hotness_limits limits;
	struct tree tree; /* keys are indexes */
	struct arena arena;
};

/* What is given outlives the rows; `q` says how many there are and in which order. */
void profile_rows_make(struct profile_rows *r, const struct heft_samples_query *q);
void profile_rows_release(struct profile_rows *r);

#endif
