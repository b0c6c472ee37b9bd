/* damage.h - what is wrong in a heap: headers and canaries written over, and who is in front of them;
 * pointers that freed blocks left behind. */
#ifndef HEFT_HEAP_DAMAGE_H
#define HEFT_HEAP_DAMAGE_H

#include "heap/layout.h"

enum damage_kind {
	DAMAGE_CANARY, /* the block wrote past its end: `block` itself did */
	DAMAGE_HEADER, /* a header stood here and does not verify: the block before is the suspect */
	DAMAGE_CHUNK,  /* the allocator's chain breaks behind `block` */
	DAMAGE_DOUBLE_FREE, /* the recorder counted them; `count`, block none */
	DAMAGE_FAULT,       /* the faulting address lies in, before or behind `block` */
	DAMAGE_FREED_USE,   /* the faulting address, or a register, lies in a freed block */
};

struct damage {
	enum damage_kind kind;
	uint64_t addr;  /* of the first byte that is wrong */
	uint64_t count; /* bytes found wrong, where that is known; double frees: how many */
	size_t block;   /* suspect, index into live; SIZE_MAX: none */
	size_t freed;   /* index into freed; SIZE_MAX: none */
	size_t victim;  /* live block whose header or bytes were hit; SIZE_MAX: none */
	int64_t distance; /* DAMAGE_FAULT: address - end of the block (>= 0), or address - its start (< 0) */
};

struct damages {
	VEC(struct damage) list; /* by address */
};
void heap_damage_find(struct damages *ret, const struct dump *d, const struct records *r,
		      const struct blocks_found *b, const struct heap_layout *l);

#endif
