/* block_counts.h - declares struct heft_samples: how often the blocks of a program ran.
 *
 * All functions allocate memory that the struct heft_blocks owns (base/mem.h). */
#pragma once

#include "blocks/block_set.h"
#include "blocks/profile_rows.h"

struct heft_samples {
	struct heft_blocks *blocks;
	const struct blockmap *map;
	struct profile profile;
	struct hotness_limits limits;
	struct heft_samples_info info;
	VEC(struct heft_block_count) counts; /* Counts of the function that was requested last */
};

/* Reads samples of the program whose blocks are open. */
bool counts_read(struct heft_samples **ret, struct heft_blocks *b, const struct profile_wish *wish,
		 struct heft_err *err);
void counts_release(struct heft_samples *s);
/* Sets s->counts to the counts of function `i`, which must exist. */
void counts_list(struct heft_samples *s, size_t i);
struct heft_block_edge counts_edge(const struct heft_samples *s, size_t i);
/* Returns the shown names of all functions. The caller frees the array. */
const char **counts_names(const struct heft_samples *s);
/* Makes rows of functions and blocks. `names`: from counts_names(). HEFT_ENOTFOUND if the query
 * names no function of the program. */
bool counts_rows(const struct heft_samples *s, const char *const *names,
		 const struct heft_samples_query *q, struct profile_rows *ret,
		 struct heft_err *err);
