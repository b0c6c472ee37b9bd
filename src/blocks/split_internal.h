/* split_internal.h - what split.c and split_edges.c share. */
#ifndef HEFT_CODE_SPLIT_INTERNAL_H
#define HEFT_CODE_SPLIT_INTERNAL_H

#include "blocks/derive_internal.h"
#include "code/entry.h"
#include "blocks/split.h"

/* Control goes from one side of [low + 1, high] to the other: no function begins in there.  Weak:
 * the jump may be a call that stands last in its function. */
struct edge {
	uint64_t low, high;
	bool weak;
};

enum crossing { CROSSES_NOT, CROSSES_WEAKLY, CROSSES };

/* One extent at work. */
struct stretch {
	const struct derivation *d;
	const struct derive_extent *x;
	const struct function *fn;
	struct batch *b;
	const addr_vec *starts;   /* functions begin there for certain */
	const addr_vec *pointers; /* or, where code does not go on to it, for this reason */
	const addr_vec *dead;     /* functions that do not return */
	leap_vec leaps;           /* of all stretches */
	addr_vec held;            /* bits: jumps that stay in their function lead there */
	VEC(struct edge) edges;   /* by low */
	size_t edge;              /* the next one that has not been passed */
	uint64_t reach;           /* the highest end of those passed */
	uint64_t weak_reach;      /* of weak ones */
};

/* split_edges.c: fills s->edges and s->held, adds to s->leaps, and sets the rest to what has been
 * passed: nothing. */
void stretch_list_edges(struct stretch *s);
/* Whether some edge crosses the beginning of what stands at addr.  addr grows from call to call. */
enum crossing stretch_crosses(struct stretch *s, uint64_t addr);
/* Whether a jump of the stretch leads to addr. */
bool stretch_leads_to(const struct stretch *s, uint64_t addr);
/* Whether a jump or a table leads to addr from its own function. */
bool stretch_holds(const struct stretch *s, uint64_t addr);
/* Whether what stands at addr is not reached from what is in front of it. */
bool stretch_behind_end(const struct stretch *s, uint64_t addr);
/* Whether a call stands in front of it. */
bool stretch_behind_call(const struct stretch *s, uint64_t addr);
/* Behind what pads code, and data that are known, at addr; not past a start or the end. */
uint64_t stretch_skip(const struct stretch *s, uint64_t addr);

/* split_signs.c: the share of functions near addr that are aligned to 16 bytes, in percent; not
 * known: 50. */
unsigned signs_aligned(const addr_vec *starts, uint64_t addr);
/* Whether functions near addr begin at certain distances from multiples of 16, and none at that of
 * addr. */
bool signs_unusual(const addr_vec *starts, enum code_isa isa, uint64_t addr);
/* Whether code in [from, to) takes the address. */
bool signs_taken(const taken_vec *taken, uint64_t addr, uint64_t from, uint64_t to);
/* Where a function may begin in what pads [end, next): at an instruction that does nothing. */
uint64_t signs_first(const struct stretch *s, uint64_t end, uint64_t next);
/* Whether a jump that is surely of another function leads to addr. */
bool signs_leapt(const leap_vec *leaps, uint64_t addr);
/* Who jumps where. */
struct jumpers {
	leap_vec leaps;                      /* of all stretches, and of other code; by `to` */
	const split_function_vec *functions; /* by addr */
	const addr_vec *others;              /* where functions begin that are in no stretch */
};
/* The function from which alone jumps lead somewhere, and whether one of them has a condition. */
struct owner {
	uint64_t addr; /* UINT64_MAX: several, or none that is known */
	bool conditional;
};
struct owner signs_owner(const struct jumpers *j, uint64_t addr);
/* Whether both are the same function, which jumps to one of the places by a condition. */
bool signs_of_one(struct owner a, struct owner b);

/* The code from addr on, which the extent has. */
static inline struct bytes extent_from(const struct derive_extent *x, uint64_t addr)
{
	const uint64_t off = addr - x->addr;
	return bytes_sub(x->code, off, x->code.size - off);
}

static inline bool event_ends(const struct event *e)
{
	return e->kind == EVENT_RET || e->kind == EVENT_JMP || e->kind == EVENT_JMP_INDIRECT ||
	       e->kind == EVENT_TRAP || e->kind == EVENT_INT3;
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
