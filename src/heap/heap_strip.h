/* heap_strip.h - the memory of a heap in equal pieces by address: how much of each is in use. */
#ifndef HEFT_HEAP_HEAP_STRIP_H
#define HEFT_HEAP_HEAP_STRIP_H

#include "heap/heap_layout.h"

enum { HEAP_STRIP_MAX = 1 << 18, HEAP_PAGE = 4096 };

/* Bytes; what of a piece is none of the three is not the heap's. */
struct heap_piece {
	uint64_t addr; /* a multiple of the pieces' size */
	uint64_t live; /* bytes of blocks */
	uint64_t free;
	uint64_t other; /* headers, the allocator's, the recorder's, not explained */
};

struct heap_strip {
	/* Of a piece: a page, or the power of two that makes them HEAP_STRIP_MAX at most, and two
	 * more for each span. */
	uint64_t size;
	VEC(struct heap_piece) pieces; /* by address, those with bytes of the heap */
};

/* Costs what heap_layout_make does, and O(pieces). */
void heap_strip_make(struct heap_strip *ret, const struct heap_layout *l);
void heap_strip_release(struct heap_strip *s);

#endif
