/* attr_code_order.h - ranks functions in the order in which the linker got their units.
 *
 * A unit's unwind entries are together in .eh_frame. Its code is not: code that runs at startup and
 * cold code lie apart. So functions are ranked by their unwind entries.
 *
 * Assemblers align the entries of a unit to 4 bytes and its last one to 8. So an entry that ends
 * between words of 8 bytes is not its unit's last. An entry with 4 or more bytes of padding is.
 * Half of the last entries have no padding. So a group of functions may be several units, but a
 * unit is never in two groups.
 *
 * Some linkers align each entry to 8 bytes. `ld -r` makes one unit of many. Then these signs are
 * missing: functions are ranked by address and each is a group of its own. */
#ifndef HEFT_ATTR_ATTR_CODE_ORDER_H
#define HEFT_ATTR_ATTR_CODE_ORDER_H

#include "attr/attr_scratch.h"

struct code_order {
	uint32_t count;    /* Number of functions */
	uint32_t *ranks;   /* Rank of each label. UINT32_MAX if the label has no code. */
	label_id *of_rank; /* Label of each rank. May be LABEL_NONE. */
	uint32_t *groups;  /* Group of units of each rank, a number. Rises with the rank. */
	size_t label_count;
	bool told; /* The unwind entries tell units. False: each function is a group. */
};

/* `data`: sections by address. O(functions * log functions). */
void code_order_read(struct code_order *o, const struct attr *a, const struct section *const *data,
		     size_t count);
/* Returns the rank of a label. UINT32_MAX if it has no code. */
uint32_t code_order_rank(const struct code_order *o, label_id label);
void code_order_release(struct code_order *o);

#endif
