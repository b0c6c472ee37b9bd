/* damage.h - what is wrong in a heap: headers and canaries written over, and who is in front of
 * them; pointers that freed blocks left behind. */
#ifndef HEFT_HEAP_DAMAGE_H
#define HEFT_HEAP_DAMAGE_H

#include "heap/heap_layout.h"

enum damage_kind {
	DAMAGE_CANARY, /* the block wrote past its end: `block` itself did */
	/* a header stood here and does not verify: the block before is the suspect */
	DAMAGE_HEADER,
	DAMAGE_CHUNK,         /* the allocator's chain breaks behind `block` */
	DAMAGE_DOUBLE_FREE,   /* the recorder counted them: `count`; `freed`: what the stack of the
	                       * aborted thread points at, most likely the block */
	DAMAGE_CANARY_FREED,  /* the recorder found the canary of `freed` damaged as it was freed;
	                       * or counted them: `count` */
	DAMAGE_FAULT,         /* the faulting address lies in, before or behind `block` */
	DAMAGE_FREED_USE,     /* the faulting address lies in a freed block */
	DAMAGE_FREED_POINTER, /* a register of the thread that faulted points into a freed block */
	/* The thread that died was freeing, or resizing, what is no block: `block` has it, or
	 * `freed`, or none. */
	DAMAGE_WILD_FREE,
	DAMAGE_ALLOCATOR, /* it died in the allocator, as it freed `freed` or asked for memory, and
	                   * nothing else is found; or the allocator said so (damages.said); or
	                   * `block`, a live one, came to the C library's own free */
	DAMAGE_FREED_WRITTEN, /* the freed block at `addr` was written over: a list of freed blocks
	                       * breaks there */
};

/* Of one overflow that damages a canary and then a header and the chain, only the canary is
 * listed, with the victim. */
struct damage {
	/* of the first byte that is wrong; of DAMAGE_FREED_POINTER: what it points at */
	uint64_t addr;
	uint64_t count; /* bytes found wrong, where that is known; double frees: how many */
	size_t block;   /* suspect, index into live; SIZE_MAX: none */
	size_t freed;   /* index into freed; SIZE_MAX: none */
	size_t victim;  /* live block whose header or bytes were hit; SIZE_MAX: none */
	/* DAMAGE_FAULT: address - end of the block (>= 0), or address - its start (< 0); 0 for an
	 * address inside */
	int64_t distance;
	uint64_t was_addr, was_size; /* DAMAGE_HEADER: what is left of it says so; else 0 */
	uint32_t was_stack;          /* in calls.stacks, as far as it is left; 0: not known */
	/* The call that freed it again, that freed what is no block, or in which the allocator gave
	 * up; in calls.stacks, 0: not known. */
	uint32_t again_by;
	enum damage_kind kind;
};

struct damages {
	VEC(struct damage) list; /* by address */
	/* Places that were left out, for a thread that was stopped in the recorder or the allocator
	 * was at work there. */
	size_t unsettled;
	/* The message with which the C library ended the process, with the ends of its lines;
	 * borrowed from the dump.  NULL: there is none. */
	const char *said;
};

/* `c` is that of heap_scan, which has all calls that are named here.  What threads were at when
 * they were stopped inside the recorder or the allocator is left out; all else that is found is
 * damage.  Cost: the blocks, and the unrecorded part of the heap. */
void heap_damage_find(struct damages *ret, const struct dump *d, const struct records *r,
		      struct calls *c, const struct blocks_found *b, const struct heap_layout *l);
void heap_damage_release(struct damages *damages);

#endif
