/* block_scan.h - the blocks of a heap, found by their headers in all memory a dump has.
 *
 * Every place that is a multiple of 16 is looked at; a header counts if it verifies
 * (docs/heap-format.md), the block lies in its region and does not lie inside a live block before
 * it.  What only looks like one is passed over silently: chance matches and copies are no
 * oddity. */
#ifndef HEFT_HEAP_BLOCK_SCAN_H
#define HEFT_HEAP_BLOCK_SCAN_H

#include "heap/calls.h"
#include "heap/records.h"

struct heap_found {
	uint64_t addr, size; /* the user's bytes */
	uint32_t stack;      /* in calls.stacks */
	uint32_t thread;     /* that asked for it, or freed it; 0: not kept */
	union {
		uint64_t sequence; /* of a live block; 0: not kept */
		uint32_t freed_by; /* in calls.stacks, the call alone; 0: not known */
	};
	uint32_t front; /* bytes of header in front of addr, inline frames included */
	uint8_t flags;  /* enum heap_flag */
	uint8_t shift;  /* log2 of the distance from the allocator's block to addr; 0: front */
	bool canary_damaged;
	bool cut; /* its bytes, or its canary, are not wholly in the dump */
};

struct blocks_found {
	VEC(struct heap_found) live;  /* by address; do not overlap */
	VEC(struct heap_found) freed; /* by address, one an address; may lie over one another */
	uint64_t scanned;             /* bytes looked at */
};

/* Scans all regions but those of unwritable files, with `threads` threads, and takes the freed
 * blocks of the records whose memory is gone or still the heap's; adds inline stacks and the sums
 * of blocks to `c`.  The same result for any number of threads.  Cost: memory bandwidth, 40 bytes a
 * block. */
void heap_scan(struct blocks_found *b, const struct dump *d, const struct records *r,
	       struct calls *c, unsigned threads, struct notes *notes);
void heap_scan_release(struct blocks_found *b);

/* The live block that holds an address, or whose header does; else the nearest one before;
 * index into live, or SIZE_MAX. */
size_t heap_block_at(const struct blocks_found *b, uint64_t addr);

/* The freed block that holds an address, with its header if `header`; SIZE_MAX: none does, or a
 * live block has it. */
size_t heap_freed_at(const struct blocks_found *b, uint64_t addr, bool header);

/* Where the header of a block begins, and where its bytes, canary included, end. */
static inline uint64_t heap_found_start(const struct heap_found *f)
{
	return f->addr - f->front;
}

static inline uint64_t heap_found_end(const struct heap_found *f)
{
	return f->addr + f->size + ((f->flags & HEAP_CANARY) != 0 ? HEAP_CANARY_SIZE : 0);
}

/* What the allocator gave. */
static inline uint64_t heap_found_raw(const struct heap_found *f)
{
	return f->shift != 0 ? f->addr - (UINT64_C(1) << f->shift) : heap_found_start(f);
}

#endif
