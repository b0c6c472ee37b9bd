/* split_internal.h - declares what split.c, split_edges.c and split_signs.c share. */
#pragma once

#include "derive/derive_internal.h"
#include "code/entry.h"
#include "derive/split.h"

/* A jump within a function: no function begins in [low + 1, high]. Weak: it may be a tail call */
struct edge {
	uint64_t low, high;
	bool weak;
};

enum crossing { CROSSES_NOT, CROSSES_WEAKLY, CROSSES };

/* An extent (a range of code without symbols, derive.h) that is being split into functions */
struct stretch {
	const struct derivation *d;
	const struct derive_extent *x;
	const struct function *fn;
	struct batch *b;
	const addr_vec *starts;   /* Addresses where functions certainly begin */
	const addr_vec *pointers; /* Addresses where functions begin unless control reaches them */
	const addr_vec *dead;     /* Start addresses of functions that do not return */
	leap_vec leaps;           /* Jumps between functions, of all extents so far */
	addr_vec held; /* A bit per offset in `x`: 1 if a jump of the same function leads there */
	VEC(struct edge) edges; /* Jumps within the extent, sorted by their lower end */
	size_t edge;            /* Index of the first edge after the current address */
	uint64_t reach;         /* Highest upper end of the edges before `edge` */
	uint64_t weak_reach;    /* Highest upper end of the edges before `edge` that may be wrong
				 * (weak) */
};

/* split_edges.c: sets s->edges and s->held, adds to s->leaps. Then s->edge is the first edge. */
void stretch_list_edges(struct stretch *s);
const struct derive_data *split_data_at(const struct derive_facts *f, uint64_t addr);
/* Returns whether an edge crosses a beginning at addr. addr must not fall from call to call. */
enum crossing stretch_crosses(struct stretch *s, uint64_t addr);
bool stretch_leads_to(const struct stretch *s, uint64_t addr);
/* True if a jump or jump table of the same function leads to addr. */
bool stretch_holds(const struct stretch *s, uint64_t addr);
/* True if control never continues to addr from the instruction before it. */
bool stretch_behind_end(const struct stretch *s, uint64_t addr);
bool stretch_behind_call(const struct stretch *s, uint64_t addr);
/* Returns the end of padding and data from addr on, at most the next start of a function. */
uint64_t stretch_skip(const struct stretch *s, uint64_t addr);

/* split_signs.c: percentage of functions near addr that are aligned to 16 bytes. 50 if unknown. */
unsigned signs_aligned(const addr_vec *starts, uint64_t addr);
/* True if functions near addr begin only at certain distances from multiples of 16, and addr has
 * another distance. */
bool signs_unusual(const addr_vec *starts, enum code_isa isa, uint64_t addr);
bool signs_taken(const taken_vec *taken, uint64_t addr, uint64_t from, uint64_t to);
/* Returns where a function may begin in the padding [end, next): it may begin with an instruction
 * without effect. */
uint64_t signs_first(const struct stretch *s, uint64_t end, uint64_t next);
/* True if a jump that is certainly of another function leads to addr. */
bool signs_leapt(const leap_vec *leaps, uint64_t addr);
/* Jumps between functions, and which functions they are in */
struct jumpers {
	leap_vec leaps;                      /* Jumps of all extents and of other code, sorted by
					      * `to` */
	const split_function_vec *functions; /* Sorted by address */
	const addr_vec *others;              /* Starts of functions outside of all extents */
};
/* The function that jumps to an address, if it is the only one. `conditional`: one of its jumps to
 * the address is conditional */
struct owner {
	uint64_t addr; /* Start of that function. UINT64_MAX if there is none or several */
	bool conditional;
};
struct owner signs_owner(const struct jumpers *j, uint64_t addr);
/* True if both owners are the same known function, and one of its jumps is conditional. */
bool signs_of_one(struct owner a, struct owner b);

/* Returns the code of the extent from addr on. */
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
