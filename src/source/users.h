/* users.h - finds which owners of an image's VM bytes refer to which other owners.
 *
 * References are calls, jumps, operands and constants of code (code/code.h, code/data_refs.h) and
 * pointers that relocations make. In programs at a fixed address, data words that hold the address
 * of an owner's first byte count too. References of an owner to itself do not count. */
#ifndef HEFT_SOURCE_USERS_H
#define HEFT_SOURCE_USERS_H

#include "image/image.h"
#include "map/rollup.h"

/* All zero: none */
struct users {
	/* Label of the owner in the upper half, label of what refers to it in the lower half. After
	 * users_sort(): sorted, each once. */
	VEC(uint64_t) list;
};

/* Adds the references in an image. `level`: owners of VM bytes, with labels as shown. Call
 * users_sort() before look-ups. O(code + relocations + words of data), on `threads` threads (0: one
 * per processor). */
void users_add(struct users *u, const struct image *im, const struct rollup_level *level,
	       unsigned threads);
void users_sort(struct users *u);
void users_release(struct users *u);

/* Returns the first reference to a label in u->list, and how many follow each other there. NULL if
 * there is none. O(log references). */
const uint64_t *users_of(const struct users *u, label_id of, size_t *ret_count);
/* Returns the label of what refers to the other. */
static inline label_id user_label(uint64_t use)
{
	return (label_id)use;
}

#endif
