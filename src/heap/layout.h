/* layout.h - every byte of the heap's regions by what it is: blocks, headers, what the allocator
 * adds, what is free.
 *
 * The allocator's own chain of chunks (glibc: the size word in front of a block) tells where free
 * chunks and unrecorded blocks are, and is believed as long as it leads from one recorded block to the next; bytes it does
 * not explain are HEAP_PART_OTHER.  Regions without a recorded block are not listed. */
#ifndef HEFT_HEAP_LAYOUT_H
#define HEFT_HEAP_LAYOUT_H

#include "heap/blocks.h"

enum heap_part_kind {
	HEAP_PART_BLOCK,      /* the user's bytes */
	HEAP_PART_HEADER,     /* the recorder's header, inline frames, canary */
	HEAP_PART_OVERHEAD,   /* the allocator's: chunk headers, rounding up, alignment */
	HEAP_PART_FREE,       /* given back to the allocator, or never handed out */
	HEAP_PART_UNRECORDED, /* in use, without a header: from before the recorder, not sampled */
	HEAP_PART_RECORDER,   /* pages of the recorder */
	HEAP_PART_OTHER,      /* between blocks, not explained */
};

struct heap_part {
	uint64_t addr, size;
	enum heap_part_kind kind;
	uint32_t block; /* HEAP_PART_BLOCK, _HEADER, _OVERHEAD: index into live; else UINT32_MAX */
};

/* Parts in order of address; they do not overlap.  The arrays are the caller's to release. */
struct heap_layout {
	VEC(struct heap_part) parts;
	uint64_t bytes[HEAP_PART_OTHER + 1];
	uint64_t pinned_pages,
		pinned_bytes; /* pages of 4096 less than a quarter used; their free bytes */
};
void heap_layout_make(struct heap_layout *l, const struct dump *d, const struct records *r,
		      const struct blocks_found *b);
void heap_layout_release(struct heap_layout *l);

#endif
