/* attr_order.h - judges references to data by the order of units.
 *
 * A linker keeps the units of a program in one order, in code as in each section of data. So the
 * functions that use their own unit's data rise with the addresses of these data. References to the
 * variables of other units scatter. The longest rising chain of references thus shows near which
 * functions the unit of an address lies. Code that runs at startup lies apart and makes a second
 * chain.
 *
 * O(n log n) for n references. Sections are judged side by side. */
#ifndef HEFT_ATTR_ATTR_ORDER_H
#define HEFT_ATTR_ATTR_ORDER_H

#include "attr/attr_code_order.h"
#include "attr/attr_refs.h"

/* A reference: the function with this rank, in the order of code, refers to the address. */
struct order_point {
	uint64_t addr;
	uint32_t rank;
	uint32_t by_got;
};

typedef VEC(struct order_point) point_vec;

/* What the order tells about an address. */
struct order_verdict {
	uint64_t addr;
	label_id label;  /* The function that fits best */
	uint32_t away;   /* Number of functions between it and those that the chain allows */
	uint32_t spread; /* Number of functions that would fit as well */
	bool global;     /* Code refers to it by the GOT only: its unit may be any. */
	bool shared;     /* Several units refer to it: its unit may be any. */
	bool outside;    /* The function is of another unit than those that the chain allows. */
	bool strange;    /* The function is not of the unit that the address belongs to. */
	bool sure;       /* Hardly another unit's function would fit so well by chance. */
};

enum { ORDER_CHAINS = 2 };

struct order_section {
	const struct section *section;
	size_t first, last; /* Range of targets */
	point_vec chains[ORDER_CHAINS];
	size_t chain_count;
	uint64_t judged, outside;           /* Numbers of addresses that one unit uses */
	VEC(struct order_verdict) verdicts; /* Sorted by address */
};

struct order {
	const target_vec *targets;
	struct code_order code;
	VEC(struct order_section) sections; /* Sorted by address */
	size_t section, verdict;            /* Positions of the last order_verdict_next() */
};

/* Judges the targets, once o->code is read. Targets must be sorted by address. `data`: sections by
 * address. */
void order_judge(struct order *o, const struct attr *a, const target_vec *targets,
		 const struct section *const *data, size_t count);
/* Returns the verdict about an address. NULL if no code refers to it. Addresses rise from call to
 * call. */
const struct order_verdict *order_verdict_next(struct order *o, uint64_t addr);
/* Judges a pointer from `place`, which belongs to `owner`, to `target`. The result has no label. */
struct order_verdict order_of_pointer(const struct order *o, uint64_t place, label_id owner,
				      uint64_t target);
void order_release(struct order *o);

#endif
