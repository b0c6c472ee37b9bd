/* users.h - who refers to whom among the owners of an image's VM bytes.
 *
 * What counts: calls, jumps, operands and constants of code (code/code.h, code/data_refs.h),
 * pointers that relocations make, and in programs at a fixed place words of data that hold the
 * address where an owner's bytes begin.  What an owner has of itself does not count. */
#ifndef HEFT_SOURCE_USERS_H
#define HEFT_SOURCE_USERS_H

#include "image/image.h"
#include "map/rollup.h"

/* Zero-initialised: none. */
struct users {
	/* The label of what is used in the upper half, that of its user in the lower; after
	 * users_sort sorted, and each pair once. */
	VEC(uint64_t) list;
};

/* Adds those of an image, whose VM bytes are the owners' of `level`; with labels as shown.
 * users_sort comes before the look-ups.  O(code + relocations + words of data), on so many threads
 * (0: one a processor). */
void users_add(struct users *u, const struct image *im, const struct rollup_level *level,
	       unsigned threads);
void users_sort(struct users *u);
void users_release(struct users *u);

/* Of those that refer to a label, the first one in u->list (NULL: none does), and how many follow
 * each other.  O(log uses). */
const uint64_t *users_of(const struct users *u, label_id of, size_t *ret_count);
/* The label of a user in the list. */
static inline label_id user_label(uint64_t use)
{
	return (label_id)use;
}

#endif
