/* damage.h - lists the damage of a heap: overwritten headers and canaries with the suspected block
 * before them, wrong frees, pointers to freed blocks. */
#pragma once

#include "heap/heap_layout.h"

enum damage_kind {
	DAMAGE_CANARY, /* `block` was written past its end */
	/* The header at `addr` is invalid. The block before it probably overflowed. */
	DAMAGE_HEADER,
	DAMAGE_CHUNK,        /* The allocator's list of chunks breaks after `block` */
	DAMAGE_DOUBLE_FREE,  /* `count` double frees. `freed` is the likely block: its address
			       * is on the aborted thread's stack */
	DAMAGE_CANARY_FREED, /* The canary of `freed` was already damaged when the program freed
			       * it. If the blocks are unknown, `count` is their number */
	DAMAGE_FAULT,
	DAMAGE_FREED_USE,
	DAMAGE_FREED_POINTER, /* A register of the thread that faulted points into a freed block. */
	/* The thread that died was freeing or resizing an address at which no block begins. `block`
	 * or `freed` contains the address, if any block does. */
	DAMAGE_WILD_FREE,
	DAMAGE_ALLOCATOR,     /* One of three cases. The thread died in the allocator, while it
			       * freed `freed` or allocated, without other damage. Or the
			       * allocator reported damage (damages.said). Or the program gave
			       * the live block `block` to the C library's own free. */
	DAMAGE_FREED_WRITTEN, /* The freed block at `addr` was overwritten, so a list of freed
			       * blocks is damaged there. */
};

/* One damage. An overflow may hit a canary, a header and the list of chunks: it is listed once,
 * with the block that overflowed (`block`) and the block that it hit (`victim`) */
struct damage {
	/* First wrong byte. For DAMAGE_FREED_POINTER: the address in the register. */
	uint64_t addr;
	uint64_t count; /* Number of wrong bytes, if known. For double frees: number of frees */
	size_t block;   /* Live block that probably caused the damage. SIZE_MAX if none */
	size_t freed;   /* Freed block concerned. SIZE_MAX if none */
	size_t victim;  /* Live block whose header or bytes were overwritten. SIZE_MAX if none */
	/* DAMAGE_FAULT: address - end of the block (>= 0), or address - its start (< 0). 0 for an
	 * address inside the block. */
	int64_t distance;
	uint64_t was_addr, was_size; /* DAMAGE_HEADER: block that the intact fields of the header
				      * describe, or 0 */
	uint32_t was_stack;          /* Stack of that block, an index in calls.stacks. 0 if
				      * unknown. */
	/* Stack, in calls.stacks, of the wrong call: the second free, the free of a wrong address,
	 * or the call that aborted. 0 if unknown. */
	uint32_t again_by;
	enum damage_kind kind;
};

struct damages {
	VEC(struct damage) list; /* Sorted by address. */
	/* Number of places omitted because a thread was stopped while it changed them */
	size_t unsettled;
	/* The C library's message when it ended the process, with its line ends. Borrowed from the
	 * dump. NULL if there is none. */
	const char *said;
};

/* Finds all damage. `c` must be the calls of heap_scan(), and receives stacks of calls that the
 * damage names. Omits places that a thread was changing in the recorder or allocator. Cost: a pass
 * over the blocks, and over the unrecorded part of the heap. */
void heap_damage_find(struct damages *ret, const struct dump *d, const struct records *r,
		      struct calls *c, const struct blocks_found *b, const struct heap_layout *l);
void heap_damage_release(struct damages *damages);
