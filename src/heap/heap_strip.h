/* heap_strip.h - divides a heap's memory into equal pieces by address, and sums up their use. */
#pragma once

#include "heap/heap_layout.h"

enum { HEAP_STRIP_MAX = 1 << 18, HEAP_PAGE = 4096 };

/* A piece of memory, with its bytes by use. Bytes that no field counts do not belong to the heap */
struct heap_piece {
	uint64_t addr; /* A multiple of heap_strip.size */
	uint64_t live;
	uint64_t free;
	uint64_t other; /* Headers, memory of allocator and recorder, unknown memory */
};

struct heap_strip {
	/* Bytes of a piece: the least power of two, at least a page, that gives at most
	 * HEAP_STRIP_MAX pieces plus two per span. */
	uint64_t size;
	VEC(struct heap_piece) pieces; /* Pieces with bytes of the heap, by address. */
};

/* Makes the pieces. Costs as much as heap_layout_make(), and O(pieces). */
void heap_strip_make(struct heap_strip *ret, const struct heap_layout *l);
void heap_strip_release(struct heap_strip *s);
