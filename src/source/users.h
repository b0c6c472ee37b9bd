/* users.h - finds which owners of an image's VM bytes refer to which other owners.
 *
 * References are calls, jumps, operands and constants of code (code/code.h, code/data_refs.h) and
 * pointers that relocations make. In programs at a fixed address, data words that hold the address
 * of an owner's first byte count too. References of an owner to itself do not count. */
#ifndef HEFT_SOURCE_USERS_H
#define HEFT_SOURCE_USERS_H

#include "image/image.h"
#include "map/rollup.h"

/* References between owners. All zero: none. */
struct users {
	/* Upper half: label of the used owner. Lower half: label of its user. After users_sort():
	 * sorted, without duplicates. */
	VEC(uint64_t) list;
};

/* Adds the references in an image. `level` gives the owners of VM bytes, with labels as shown.
 * users_sort() must follow before look-ups. O(code + relocations + words of data), on `threads`
 * threads (0: one per processor). */
void users_add(struct users *u, const struct image *im, const struct rollup_level *level,
	       unsigned threads);
void users_sort(struct users *u);
void users_release(struct users *u);

/* Returns the first use of a label in u->list, and the number of its uses, which are adjacent. NULL
 * without a use. O(log uses). */
const uint64_t *users_of(const struct users *u, label_id of, size_t *ret_count);
/* Returns the label of the user in a use. */
static inline label_id user_label(uint64_t use)
{
	return (label_id)use;
}

#endif
