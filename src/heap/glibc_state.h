/* glibc_state.h - the arenas of glibc's malloc and its parameters, found in memory by their shape.
 *
 * An arena (malloc.c, "malloc_state") has 127 circular lists of freed chunks, each a pair of
 * pointers.  A list without a chunk points at itself, so an arena can be told from all other
 * memory, in stripped and static programs as well.  In front of the lists are `top` and the fast
 * bins; behind them is the next arena, in a ring, and what the arena got from the system.
 * The parameters ("malloc_par", mp_) are near the first arena, in the same module. */
#ifndef HEFT_HEAP_GLIBC_STATE_H
#define HEFT_HEAP_GLIBC_STATE_H

#include "base/vec.h"
#include "heap/memory.h"

struct glibc_arena {
	uint64_t bins;       /* address of the lists */
	uint64_t addr;       /* of the arena; 0: not known */
	uint64_t top;        /* the last chunk; 0: the arena never got memory */
	uint64_t fast;       /* address of the fast bins */
	unsigned fast_count; /* 0: this version has none */
	uint64_t system;     /* bytes from the system */
	uint64_t end;        /* of the arena */
	uint64_t heap;       /* where the heap that has it begins; 0: it is a first arena */
	/* Of a first arena, where its parameters are found. */
	bool known;
	uint64_t base;                 /* where its heap begins; 0: it has none */
	uint64_t mapped, mapped_bytes; /* chunks that are mapped by themselves */
};

struct glibc_state {
	VEC(struct glibc_arena) arenas;
	bool ring; /* each ring of arenas closes: these are all */
};

/* Cost: the writable data of modules; where no module is known, memory up to the first arena. */
void glibc_state_find(struct glibc_state *ret, const struct dump *d);
void glibc_state_release(struct glibc_state *st);

/* The heap of an arena, not the first, that holds `addr`: its start.  0: none does. */
uint64_t glibc_heap_of(const struct dump *d, const struct glibc_arena *a, uint64_t addr);

#endif
