/* heap_layout.h - every byte of the heap's regions by what it is: blocks, headers, what the
 * allocator adds, what is free.
 *
 * The allocator's own chain of chunks (glibc: the size word in front of a block) tells where free
 * chunks and unrecorded blocks are, and is believed as long as it leads from one recorded block to
 * the next, or to the end of a heap; bytes it does not explain are HEAP_PART_OTHER.  Regions
 * without a recorded block, live or freed, are not listed. */
#ifndef HEFT_HEAP_HEAP_LAYOUT_H
#define HEFT_HEAP_HEAP_LAYOUT_H

#include "heap/block_scan.h"

enum heap_part_kind {
	HEAP_PART_BLOCK,      /* the user's bytes */
	HEAP_PART_HEADER,     /* the recorder's header, inline frames, canary */
	HEAP_PART_OVERHEAD,   /* the allocator's: chunk headers, rounding up, alignment, arenas */
	HEAP_PART_FREE,       /* given back to the allocator, or never handed out */
	HEAP_PART_UNRECORDED, /* in use, without a header: from before the recorder, not sampled */
	HEAP_PART_RECORDER,   /* the recorder's, as far as it tells */
	HEAP_PART_OTHER,      /* between blocks, not explained */
	HEAP_PART_KINDS,
};

struct heap_part {
	uint64_t addr, size;
	enum heap_part_kind kind;
	uint32_t block; /* HEAP_PART_BLOCK: index into live; else UINT32_MAX */
};

/* Takes one part after the other.  `block`: of HEAP_PART_BLOCK, as from heap_walk_found, until it
 * returns; else NULL. */
typedef void heap_part_fn(void *ctx, const struct heap_part *part, const struct heap_found *block);

/* Contiguous memory with recorded blocks: a region, or several that a block lies across. */
struct heap_span {
	uint64_t addr, size;
};

/* A place where the chain of chunks that leads on from a block does not go on. */
struct heap_break {
	uint64_t addr;          /* of the size word that is wrong */
	uint32_t before, after; /* live blocks; `after` UINT32_MAX: the chunk is no live block's */
};

enum { HEAP_LOOSE_MOST = 1 << 14 };

/* What holds of all parts; of each part there is nothing, so this is small however many blocks
 * there are. */
struct heap_layout {
	const struct dump *d; /* NULL: nothing is laid out */
	const struct records *r;
	const struct blocks_found *b;
	VEC(struct heap_span) spans;     /* in order of address; they do not overlap */
	VEC(struct heap_break) breaks;   /* none where the chain is not glibc's */
	uint64_t bytes[HEAP_PART_KINDS]; /* of the parts split up */
	/* The first HEAP_LOOSE_MOST of the parts HEAP_PART_UNRECORDED and HEAP_PART_OTHER. */
	VEC(struct heap_part) loose;
	size_t loose_count; /* of all of these */
	size_t part_count;
	/* Pages of 4096 of which less than a quarter is in use, but some; their free bytes. */
	uint64_t pinned_pages, pinned_bytes;
};

/* Cost: about 50 ns a block.  Borrows all three until it is released. */
void heap_layout_make(struct heap_layout *l, const struct dump *d, const struct records *r,
		      const struct blocks_found *b);
void heap_layout_release(struct heap_layout *l);

/* Gives all parts to `fn`, in order of address: they do not overlap and fill the spans.
 * HEAP_PART_BLOCK is all that the allocator gave for the block: heap_part_split().  Neighbours of
 * one kind are one part otherwise.  Costs what heap_layout_make does. */
void heap_parts_each(const struct heap_layout *l, heap_part_fn *fn, void *ctx);
/* The same of the parts HEAP_PART_UNRECORDED and HEAP_PART_OTHER, what may be in use without being
 * a live block.  Costs nothing where there are few of them. */
void heap_loose_each(const struct heap_layout *l, heap_part_fn *fn, void *ctx);
/* The same of the parts about an address, as far as they are told from the blocks near it: among
 * them is the one that holds it, if a span does.  Cost: that of a few blocks, or of what is in
 * front of the first block of a span. */
void heap_parts_near(const struct heap_layout *l, uint64_t addr, heap_part_fn *fn, void *ctx);

enum { HEAP_SPLIT_MAX = 5 };
/* The parts of a HEAP_PART_BLOCK, with its block: its overhead, header, bytes; of other parts
 * themselves.  Their count; none is empty, unless the block is: then its part says where it is. */
size_t heap_part_split(const struct heap_part *part, const struct heap_found *block,
		       struct heap_part ret[HEAP_SPLIT_MAX]);

#endif
