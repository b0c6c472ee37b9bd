/* attr_order.h - judges references to data by the order of units.
 *
 * A linker keeps the units of a program in one order, in code as in each section of data. So
 * functions that use their own unit's data come in the same order as the data. References to
 * variables of other units come in any order. The longest rising chain of references thus shows
 * which functions lie near the unit of an address. Startup code lies apart and makes a second
 * chain.
 *
 * Other signs narrow the functions down. Data that point to functions of one unit, such as a table
 * of operations, belong to that unit if its code also refers to them. Startup code makes the
 * variables of its own unit. An address may be only the end of a loop over the array before it.
 *
 * O(n log n) for n references. Sections are judged in parallel. */
#pragma once

#include "attr/attr_refs.h"
#include "attr/attr_scratch.h"

/* Ranks functions in the order in which the linker read their compile units.
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

struct code_order {
	uint32_t count;    /* Number of functions */
	uint32_t *ranks;   /* Per label: its rank, plus 1. 0 if the label has no code */
	label_id *of_rank; /* Per rank: its label. May be LABEL_NONE */
	uint32_t *groups;  /* Per rank: number of its group of units. Ascending */
	uint32_t *startup; /* Per rank: 1 if .init_array lists it. Filled by order_judge() */
	size_t label_count;
	bool told; /* True if the unwind entries show units. False: each function is a group. */
};

/* Ranks an image's functions. `data`: sections sorted by address. O(functions * log functions). */
void code_order_read(struct code_order *o, const struct attr *a, const struct section *const *data,
		     size_t count);
/* Returns the rank of a label. UINT32_MAX if the label has no code. */
uint32_t code_order_rank(const struct code_order *o, label_id label);
void code_order_release(struct code_order *o);

/* A reference of a function to the data at `addr` */
struct order_point {
	uint64_t addr;
	uint32_t rank;
	bool by_got;
	bool pointee; /* True if the data point to the function, which need not refer to them */
	bool weak;    /* True if another function that fits as well takes precedence */
};

typedef VEC(struct order_point) point_vec;

/* Verdict about an address: which function most likely owns it. */
struct order_verdict {
	uint64_t addr;
	label_id label;  /* The function that fits best */
	uint32_t away;   /* Number of functions between `label` and the functions near which the
			  * order of units places the address */
	uint32_t spread; /* Number of functions that would fit as well or better */
	bool global;
	bool pointee;   /* True if only code of other units refers to the address. The data there
			 * hold a pointer to `label`, which is why `label` owns them */
	uint32_t units; /* Number of unit groups that use the address. If there are several, any
			 * unit may define it */
	bool outside;   /* True if `label` is of another unit than the order of units allows */
	bool strange;   /* True if `label` probably belongs to another unit than the address */
	bool sure;      /* True if a function of another unit would hardly fit so well by chance */
};

enum { ORDER_CHAINS = 2 };

struct order_section {
	const struct section *section;
	size_t first, last; /* Indexes [first, last) in order.targets */
	point_vec chains[ORDER_CHAINS];
	size_t chain_count;
	uint64_t judged;  /* Number of addresses whose users are all of one unit */
	uint64_t outside; /* Number of judged addresses whose verdict has `outside` */
	VEC(struct order_verdict) verdicts; /* Sorted by address */
};

struct order {
	const target_vec *targets;
	const struct vtables *pointers; /* Pointers in data without an owner, sorted */
	const struct spans *vm;
	struct code_order code;
	VEC(struct order_section) sections; /* Sorted by address */
	size_t section, verdict;            /* Position of the last order_verdict_next(): index
					     * of the section and its verdict */
};

/* Judges all targets by address. Needs o->code, o->pointers. `data`: sections sorted by address. */
void order_judge(struct order *o, const struct attr *a, const target_vec *targets,
		 const struct section *const *data, size_t count);
/* Returns the verdict about an address. NULL if no code refers to the address, and no function that
 * the data point to fits. Addresses must rise from call to call. */
const struct order_verdict *order_verdict_next(struct order *o, uint64_t addr);
/* Returns the reason why the data belong to v->label. */
enum why order_why(const struct order_verdict *v);
/* Judges whether the data at `target` may belong to `owner`, because a pointer at `place` leads
 * there. The result has no label. */
struct order_verdict order_of_pointer(const struct order *o, uint64_t place, label_id owner,
				      uint64_t target);
void order_release(struct order *o);
