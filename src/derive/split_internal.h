/* split_internal.h - declares what split.c, split_edges.c and split_signs.c share. */
#ifndef HEFT_DERIVE_SPLIT_INTERNAL_H
#define HEFT_DERIVE_SPLIT_INTERNAL_H

#include "derive/derive_internal.h"
#include "code/entry.h"
#include "derive/split.h"

/* Control passes across [low + 1, high], so no function begins inside. Weak: the jump may be a tail
 * call. */
struct edge {
	uint64_t low, high;
	bool weak;
};

enum crossing { CROSSES_NOT, CROSSES_WEAKLY, CROSSES };

/* An extent while it is split. */
struct stretch {
	const struct derivation *d;
	const struct derive_extent *x;
	const struct function *fn;
	struct batch *b;
	const addr_vec *starts;   /* Certain starts of functions */
	const addr_vec *pointers; /* Possible starts of functions. Used if code does not continue
				   * to them */
	const addr_vec *dead;     /* Functions that do not return */
	leap_vec leaps;           /* Jumps between functions, from all extents up to now */
	addr_vec held;            /* Bits: set if a jump of the same function goes to this offset */
	VEC(struct edge) edges;   /* Sorted by low */
	size_t edge;              /* First edge that starts after the current address */
	uint64_t reach;           /* Highest end of the passed edges */
	uint64_t weak_reach;      /* Highest end of the passed edges that are weak */
};

/* split_edges.c: fills s->edges and s->held and adds to s->leaps. No edge counts as passed yet. */
void stretch_list_edges(struct stretch *s);
/* Returns the data at addr, or NULL. */
const struct derive_data *split_data_at(const struct derive_facts *f, uint64_t addr);
/* Returns whether an edge crosses a beginning at addr. addr must not decrease between calls. */
enum crossing stretch_crosses(struct stretch *s, uint64_t addr);
/* True if a jump of the extent leads to addr. */
bool stretch_leads_to(const struct stretch *s, uint64_t addr);
/* True if a jump or a jump table of the same function leads to addr. */
bool stretch_holds(const struct stretch *s, uint64_t addr);
/* True if the instruction before addr never continues to addr. */
bool stretch_behind_end(const struct stretch *s, uint64_t addr);
/* True if a call ends at addr. */
bool stretch_behind_call(const struct stretch *s, uint64_t addr);
/* Skips padding and known data at addr. Stops at a function's start and at the extent's end. */
uint64_t stretch_skip(const struct stretch *s, uint64_t addr);

/* split_signs.c: percentage of functions near addr that are aligned to 16 bytes. 50 if unknown. */
unsigned signs_aligned(const addr_vec *starts, uint64_t addr);
/* True if functions near addr begin only at certain distances from multiples of 16, and addr
 * is at another distance. */
bool signs_unusual(const addr_vec *starts, enum code_isa isa, uint64_t addr);
/* True if code in [from, to) takes the address. */
bool signs_taken(const taken_vec *taken, uint64_t addr, uint64_t from, uint64_t to);
/* Finds a possible function start in the padding [end, next): an instruction without effect. */
uint64_t signs_first(const struct stretch *s, uint64_t end, uint64_t next);
/* True if a jump that certainly belongs to another function goes to addr. */
bool signs_leapt(const leap_vec *leaps, uint64_t addr);
/* Jumps between functions, and the functions to which they belong. */
struct jumpers {
	leap_vec leaps;                      /* Jumps of all extents and of other code, sorted by
					      * `to` */
	const split_function_vec *functions; /* Sorted by addr */
	const addr_vec *others;              /* Starts of functions outside all extents */
};
/* The only function that jumps to an address. `conditional`: at least one of its jumps is
 * conditional. */
struct owner {
	uint64_t addr; /* UINT64_MAX if unknown or if there are several */
	bool conditional;
};
struct owner signs_owner(const struct jumpers *j, uint64_t addr);
/* True if both owners are the same function, with at least one conditional jump. */
bool signs_of_one(struct owner a, struct owner b);

/* Returns the code of the extent from addr on, which lies in the extent. */
static inline struct bytes extent_from(const struct derive_extent *x, uint64_t addr)
{
	const uint64_t off = addr - x->addr;
	return bytes_sub(x->code, off, x->code.size - off);
}

static inline bool event_is_dead_call(const struct event *e, const addr_vec *dead)
{
	return event_is_call(e) && !e->maybe && addrs_within(dead, e->target, e->target + 1);
}

static inline bool event_pads(const struct event *e)
{
	return e->kind == EVENT_NOP || e->kind == EVENT_INT3;
}

#endif
