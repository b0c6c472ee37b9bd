/* glibc_state.h - finds the arenas of glibc's malloc and its parameters in memory, by their
 * structure.
 *
 * An arena (malloc.c, "malloc_state") has 127 circular lists of freed chunks, each a pair of
 * pointers. An empty list points at itself. This pattern distinguishes an arena from all other
 * memory, even in stripped and static programs. `top` and the fast bins are before the lists. After
 * the lists are the link to the next arena, in a ring, and the bytes that the arena got from the
 * system. The parameters ("malloc_par", mp_) are near the first arena, in the same module. */
#pragma once

#include "base/vec.h"
#include "heap/memory.h"

struct glibc_arena {
	uint64_t bins; /* Address of the lists. */
	uint64_t addr; /* Address of the arena. 0 if unknown. */
	uint64_t top;
	uint64_t fast;
	unsigned fast_count; /* Number of fast bins. 0 if this glibc has none */
	uint64_t system;     /* Bytes that the arena got from the system. */
	uint64_t end;
	uint64_t heap; /* Start of the heap that contains the arena. 0 for a first arena. */
	/* True if this is the first arena and the allocator's parameters were found. Only then are
	 * the next fields set. */
	bool known;
	uint64_t base;                 /* Start of the arena's heap. 0 if it has none. */
	uint64_t mapped, mapped_bytes; /* Number and bytes of chunks with a mapping of their own. */
};

struct glibc_state {
	VEC(struct glibc_arena) arenas;
	bool ring; /* True if the links of the arenas form rings, so that `arenas` is complete */
};

/* Finds the arenas. Cost: a pass over the modules' writable data. Without known modules: a pass
 * over memory until the first arena. */
void glibc_state_find(struct glibc_state *ret, const struct dump *d);
void glibc_state_release(struct glibc_state *st);

/* Returns the start of the heap that contains `addr`, or 0. The arena must not be the first one. */
uint64_t glibc_heap_of(const struct dump *d, const struct glibc_arena *a, uint64_t addr);
