/* heap_layout.h - divides every byte of the heap's regions by use: blocks, headers, the allocator's
 * overhead, free memory.
 *
 * Between recorded blocks, glibc's chunks tell free memory from blocks that were not recorded. The
 * size before each chunk leads to the next chunk. Chunks are trusted if they lead to the next
 * recorded block, or to the end of a heap. Bytes in no trusted chunk are HEAP_PART_OTHER. Regions
 * without a recorded block, live or freed, are left out. */
#pragma once

#include "heap/block_scan.h"

enum heap_part_kind {
	HEAP_PART_BLOCK,      /* The bytes of the program */
	HEAP_PART_HEADER,     /* The recorder's header, inline stack and canary */
	HEAP_PART_OVERHEAD,   /* The allocator's overhead: headers, rounding, alignment, arenas */
	HEAP_PART_FREE,       /* Bytes that were freed, or never handed out. */
	HEAP_PART_UNRECORDED, /* In use without a header: allocated before the recorder started,
			       * or not sampled. */
	HEAP_PART_RECORDER,   /* Memory of the recorder, if known */
	HEAP_PART_OTHER,      /* Unknown memory between blocks */
	HEAP_PART_KINDS,
};

struct heap_part {
	uint64_t addr, size;
	enum heap_part_kind kind;
	uint32_t block; /* HEAP_PART_BLOCK: index of the live block. Else UINT32_MAX. */
};

/* Receives the parts one by one. `block` is the block of a HEAP_PART_BLOCK, as from
 * heap_walk_found(), valid during the call. NULL for other parts. */
typedef void heap_part_fn(void *ctx, const struct heap_part *part, const struct heap_found *block);

/* Contiguous memory with recorded blocks: one region, or several adjacent ones if blocks cross
 * their borders. */
struct heap_span {
	uint64_t addr, size;
};

/* Damage of the allocator's chunks: a wrong size between two blocks */
struct heap_break {
	uint64_t addr;          /* Address of the wrong size */
	uint32_t before, after; /* Live blocks before and at the damage. `after` is UINT32_MAX if no
				 * block is at the damage */
};

enum { HEAP_LOOSE_MOST = 1 << 14 };

/* Facts about all parts. The parts themselves are not stored. */
struct heap_layout {
	const struct dump *d; /* NULL if no layout was made */
	const struct records *r;
	const struct blocks_found *b;
	VEC(struct heap_span) spans;     /* Sorted by address, without overlap */
	VEC(struct heap_break) breaks;   /* Empty if the allocator is not glibc's */
	uint64_t bytes[HEAP_PART_KINDS]; /* Bytes by kind, after heap_part_split() */
	/* The first HEAP_LOOSE_MOST parts of the kinds HEAP_PART_UNRECORDED and HEAP_PART_OTHER. */
	VEC(struct heap_part) loose;
	size_t loose_count; /* Number of all parts of these two kinds. */
	size_t part_count;
	/* Pinned pages, and their free bytes. A page of 4096 bytes is pinned if some of it, but
	 * less than a quarter, is in use. */
	uint64_t pinned_pages, pinned_bytes;
};

/* Makes the layout. Cost: about 50 ns per block. Borrows `d`, `r` and `b` until release. */
void heap_layout_make(struct heap_layout *l, const struct dump *d, const struct records *r,
		      const struct blocks_found *b);
void heap_layout_release(struct heap_layout *l);

/* Passes all parts to `fn`, by address. Parts do not overlap and fill the spans. A
 * HEAP_PART_BLOCK is all memory that the allocator gave for the block (see heap_part_split()).
 * Other neighbouring parts of the same kind are merged. Costs as much as heap_layout_make(). */
void heap_parts_each(const struct heap_layout *l, heap_part_fn *fn, void *ctx);
/* Passes the parts HEAP_PART_UNRECORDED and HEAP_PART_OTHER to `fn`: memory that may be in use
 * without a live block. Fast for at most HEAP_LOOSE_MOST parts. If more, makes a new layout. */
void heap_loose_each(const struct heap_layout *l, heap_part_fn *fn, void *ctx);
/* Passes the parts near an address to `fn`: the part that contains it, and those of a few blocks
 * around it. Cost: laying out a few blocks, or the bytes before the first block of a span. */
void heap_parts_near(const struct heap_layout *l, uint64_t addr, heap_part_fn *fn, void *ctx);

enum { HEAP_SPLIT_MAX = 5 };
/* Splits a HEAP_PART_BLOCK into the allocator's overhead, the recorder's header, and the user's
 * bytes. Leaves other parts as they are. Returns the number of parts. An empty block yields an
 * empty part at the block's address. No other part is empty. */
size_t heap_part_split(const struct heap_part *part, const struct heap_found *block,
		       struct heap_part ret[HEAP_SPLIT_MAX]);
