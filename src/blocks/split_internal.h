/* split_internal.h - what split.c and split_edges.c share. */
#ifndef HEFT_CODE_SPLIT_INTERNAL_H
#define HEFT_CODE_SPLIT_INTERNAL_H

#include "blocks/derive_internal.h"
#include "code/entry.h"
#include "blocks/split.h"

/* Control goes from one side of [low + 1, high] to the other: no function begins in there. */
struct edge {
	uint64_t low, high;
};

/* One extent at work. */
struct stretch {
	const struct derivation *d;
	const struct derive_extent *x;
	const struct function *fn;
	struct batch *b;
	const addr_vec *starts;   /* functions begin there for certain */
	const addr_vec *pointers; /* or, where code does not go on to it, for this reason */
	addr_vec leaving;         /* where jumps lead that leave their function */
	VEC(struct edge) edges;   /* by low */
	size_t edge;              /* the next one that has not been passed */
	uint64_t reach;           /* the highest end of those passed */
};

/* split_edges.c: fills s->edges, and s->edge and s->reach with what has been passed: nothing. */
void stretch_list_edges(struct stretch *s);
/* Whether some edge crosses the beginning of what stands at addr.  addr grows from call to call. */
bool stretch_crosses(struct stretch *s, uint64_t addr);
/* Whether a jump of the stretch leads to addr. */
bool stretch_leads_to(const struct stretch *s, uint64_t addr);
/* Behind what pads code, and data that are known, at addr; not past a start or the end. */
uint64_t stretch_skip(const struct stretch *s, uint64_t addr);

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

static inline bool event_pads(const struct event *e)
{
	return e->kind == EVENT_NOP || e->kind == EVENT_INT3;
}

#endif
