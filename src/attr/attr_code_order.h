/* attr_code_order.h - ranks functions in the order in which the linker read their compile units.
 *
 * A unit's unwind entries are together in .eh_frame. Code of the unit is not together: startup code
 * and cold code lie apart. So functions are ranked by their unwind entries.
 *
 * Assemblers align the entries of a unit to 4 bytes and its last entry to 8. An entry whose end is
 * not a multiple of 8 is not the last of its unit. An entry with 4 or more bytes of padding is the
 * last. Half of all last entries have no padding. So a group of functions may be several units, but
 * a unit is never in two groups.
 *
 * Some linkers align each entry to 8 bytes. `ld -r` joins many units into one. Then padding shows
 * no units: functions are ranked by address, and each function is a group. */
#ifndef HEFT_ATTR_ATTR_CODE_ORDER_H
#define HEFT_ATTR_ATTR_CODE_ORDER_H

#include "attr/attr_scratch.h"

struct code_order {
	uint32_t count;    /* Number of functions */
	uint32_t *ranks;   /* Rank of each label. UINT32_MAX if the label has no code. */
	label_id *of_rank; /* Label of each rank. May be LABEL_NONE. */
	uint32_t *groups;  /* Number of each rank's unit group. Rises with the rank. */
	size_t label_count;
	bool told; /* True if the unwind entries show units. False: each function is a group. */
};

/* Ranks the functions of an image. `data`: sections by address. O(functions * log functions). */
void code_order_read(struct code_order *o, const struct attr *a, const struct section *const *data,
		     size_t count);
/* Returns the rank of a label. UINT32_MAX if the label has no code. */
uint32_t code_order_rank(const struct code_order *o, label_id label);
void code_order_release(struct code_order *o);

#endif
