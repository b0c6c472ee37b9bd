/* block_scan.h - the blocks of a heap, found by their headers in all memory a dump has.
 *
 * Every place that is a multiple of 16 is looked at; a header counts if it verifies
 * (docs/heap-format.md), the block lies in its region and does not lie inside a live block before
 * it.  What only looks like one is passed over silently: chance matches and copies are no
 * oddity.
 *
 * Of a block only where it is is kept, as a bit; all else is read from the dump again when it is
 * asked for. */
#ifndef HEFT_HEAP_BLOCK_SCAN_H
#define HEFT_HEAP_BLOCK_SCAN_H

#include "heap/block_map.h"
#include "heap/calls.h"
#include "heap/records.h"

struct heap_found {
	uint64_t addr, size; /* the user's bytes */
	uint32_t stack;      /* in calls.stacks; of heap_walk_found: as the header has it */
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

/* By address, one an address; they may lie over one another. */
struct freed_blocks {
	struct block_map map; /* of those found in memory: the address, less that of a header */
	VEC(struct heap_found) noted; /* by the recorder, of which nothing is found there */
	size_t count;                 /* of both */
};

/* The allocator's own words. */
struct heap_arena {
	uint64_t addr, size;
};

struct blocks_found {
	const struct dump *d;
	const struct records *r;
	struct calls *c;
	struct block_map live; /* their headers; numbered by address, they do not overlap */
	bool chunks;           /* the live blocks are glibc's chunks: these are their headers */
	/* Of all live blocks: the sum of sizes, the newest sequence, what one of them has as flag,
	 * and how many have a damaged canary. */
	uint64_t live_bytes, newest, damaged_canaries;
	uint8_t live_flags;
	struct freed_blocks freed;
	/* glibc's chunks that are freed though they are marked as in use, where its lists say so;
	 * those that hold such lists, by address; and its first arenas, which are in no heap. */
	struct block_map kept;
	VEC(uint64_t) caches;
	VEC(uint64_t) written; /* freed blocks behind which such a list is not whole */
	VEC(struct heap_arena) arenas;
	const char *doubt; /* why live blocks may be missing, or freed ones among them; or NULL */
	uint64_t scanned;  /* bytes looked at */
};

/* Scans all regions but those of unwritable files, with `threads` threads, and takes the freed
 * blocks of the records whose memory is gone or still the heap's; adds inline stacks and the sums
 * of blocks to `c`.  The same result for any number of threads.  Borrows `d`, `r` and `c` until it
 * is released.  Cost: memory bandwidth; what block_map.h says, twice. */
void heap_scan(struct blocks_found *b, const struct dump *d, const struct records *r,
	       struct calls *c, unsigned threads, struct notes *notes);
void heap_scan_release(struct blocks_found *b);

/* Block i of the live ones. */
struct heap_found heap_live(const struct blocks_found *b, size_t i);
/* The live block whose header is there, its stack as the header has it. */
void heap_live_at(const struct blocks_found *b, struct block_at at, struct heap_found *ret);
/* The stack, in calls.stacks, of a block from heap_live_at or heap_walk_found. */
uint32_t heap_stack_of(const struct blocks_found *b, const struct heap_found *f);
/* How many live blocks have an address below `addr`: the number of the first that has not. */
size_t heap_live_below(const struct blocks_found *b, uint64_t addr);

/* Freed block i. */
struct heap_found heap_freed(const struct blocks_found *b, size_t i);
/* How many freed blocks have an address below `addr`. */
size_t heap_freed_below(const struct blocks_found *b, uint64_t addr);
/* The freed block with an address; SIZE_MAX: there is none. */
size_t heap_freed_find(const struct blocks_found *b, uint64_t addr);

/* From one live block to the next:
 *
 *	struct heap_walk w = heap_walk_from(b, 0);
 *	while (heap_walk_next(&w)) {
 *		struct heap_found f;
 *		heap_walk_found(&w, &f);
 *		... w.index ... */
struct heap_walk {
	const struct blocks_found *b;
	size_t index; /* of the block */
	struct block_walk at, ahead;
};

/* Has the processor fetch the header of a block some way ahead: each lies in a line of its own, and
 * waiting for memory is most of what a walk costs. */
static inline void heap_walk_fetch(struct heap_walk *w)
{
	if (!block_walk_next(&w->ahead))
		return;
	const struct region *g = w->b->live.pieces.data[w->ahead.at.piece].region;
	const uint64_t off = block_map_addr(&w->b->live, w->ahead.at) - g->addr;
	if (off < g->bytes.size)
		__builtin_prefetch(g->bytes.p + off);
}

static inline struct heap_walk heap_walk_from(const struct blocks_found *b, size_t i)
{
	enum { AHEAD = 12 };
	const struct block_walk at = block_walk_from(&b->live, i);
	struct heap_walk w = { b, i - 1, at, at };
	for (unsigned k = 0; k < AHEAD; k++)
		heap_walk_fetch(&w);
	return w;
}

static inline bool heap_walk_next(struct heap_walk *w)
{
	w->index++;
	heap_walk_fetch(w);
	return block_walk_next(&w->at);
}

static inline void heap_walk_found(const struct heap_walk *w, struct heap_found *ret)
{
	heap_live_at(w->b, w->at.at, ret);
}

/* The live block that begins at an address, even if it is empty and the next one's header begins
 * there; else the one that holds it, or whose header does; else the nearest one before.  Its
 * number, or SIZE_MAX. */
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
