/* block_scan.h - finds the blocks of a heap by their headers, in all memory that a dump has.
 *
 * Every multiple of 16 is tested. A header counts if its check is right (docs/heap-format.md), its
 * block lies in the region, and the block is not inside an earlier live block. Other matches get no
 * note, because chance matches and copies are common. Stores only a bit for a block's address.
 * Reads all other facts from the dump again when needed. */
#pragma once

#include "heap/block_map.h"
#include "heap/calls.h"
#include "heap/records.h"

struct heap_found {
	uint64_t addr, size; /* The user's bytes, without header and canary */
	uint32_t stack;      /* Index in calls.stacks. From heap_live_at() and heap_walk_found():
			      * the value in the header, for heap_stack_of() */
	uint32_t thread;
	union {
		uint64_t sequence; /* Number of a live block's allocation, from 1. 0 if not
				    * recorded */
		uint32_t freed_by; /* Index in calls.stacks of a stack with one frame: the call
				    * that freed the block. 0 if unknown */
	};
	uint32_t front; /* Bytes of header and inline stack before addr */
	uint8_t flags;  /* Bits of enum heap_flag */
	uint8_t shift;  /* log2 of the distance from the allocator's block to addr. 0 if the
			 * distance is `front`. */
	bool canary_damaged;
	bool cut; /* True if the dump lacks part of the block or of its canary */
};

/* Freed blocks by address, each address once. Their ranges may overlap. */
struct freed_blocks {
	struct block_map map;         /* Addresses of headers of freed blocks, as found in memory */
	VEC(struct heap_found) noted; /* Freed blocks that only the recorder's pages list */
	size_t count;
};

/* Memory that the allocator uses for itself. */
struct heap_arena {
	uint64_t addr, size;
};

struct blocks_found {
	const struct dump *d;
	const struct records *r;
	struct calls *c;
	struct block_map live; /* Addresses of headers of live blocks. No blocks overlap */
	bool chunks;           /* True if the process was not recorded: live blocks are glibc's
			        * chunks, and `live` has the addresses of the chunks' headers */
	/* Of all live blocks: sum of sizes, highest sequence, count of damaged canaries, all
	 * flags. */
	uint64_t live_bytes, newest, damaged_canaries;
	uint8_t live_flags;
	struct freed_blocks freed;
	/* From glibc's lists of freed chunks. `kept`: freed chunks that are still marked as in use.
	 * `caches`: addresses of chunks with a thread's lists. `written`: freed blocks whose link
	 * to the next one was overwritten. `arenas`: memory of arenas outside of heaps. */
	struct block_map kept;
	VEC(uint64_t) caches;
	VEC(uint64_t) written;
	VEC(struct heap_arena) arenas;
	const char *doubt; /* Reason why live blocks may be missing, or freed blocks may count as
			    * live. NULL if there is none */
	uint64_t scanned;
};

/* Scans all regions except unwritable files, with `threads` threads, on which the result does not
 * depend. Adds freed blocks of the recorder's pages if their memory is unmapped or belongs to the
 * heap. Adds inline stacks and the sums of blocks to `c`. Borrows `d`, `r` and `c` until release.
 * Cost: one pass over memory, and twice the cost in block_map.h. */
void heap_scan(struct blocks_found *b, const struct dump *d, const struct records *r,
	       struct calls *c, unsigned threads, struct notes *notes);
void heap_scan_release(struct blocks_found *b);

struct heap_found heap_live(const struct blocks_found *b, size_t i);
/* Reads the live block whose header is at `at`. heap_stack_of() converts its stack. */
void heap_live_at(const struct blocks_found *b, struct block_at at, struct heap_found *ret);
/* Returns the index in calls.stacks of the stack of a block from heap_live_at() or
 * heap_walk_found(). */
uint32_t heap_stack_of(const struct blocks_found *b, const struct heap_found *f);
/* Returns the number of live blocks below `addr`: the index of the first at or above it. */
size_t heap_live_below(const struct blocks_found *b, uint64_t addr);

struct heap_found heap_freed(const struct blocks_found *b, size_t i);
/* Returns how many freed blocks have an address below `addr`. */
size_t heap_freed_below(const struct blocks_found *b, uint64_t addr);
/* Returns the freed block that contains an address. SIZE_MAX if there is none. */
size_t heap_freed_find(const struct blocks_found *b, uint64_t addr);

/* Visits all live blocks, in order of address:
 *
 * 	struct heap_walk w = heap_walk_from(b, 0);
 * 	while (heap_walk_next(&w)) {
 * 		struct heap_found f;
 * 		heap_walk_found(&w, &f);
 * 		... w.index ...
 * 	} */
struct heap_walk {
	const struct blocks_found *b;
	size_t index;
	struct block_walk at, ahead;
};

/* Prefetches the header of a later block. Each header is in a cache line of its own, so a walk
 * mostly waits for memory. */
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

/* Returns the index of the live block for an address. First choice: the block that begins there,
 * even if empty. Then the block that contains the address in its bytes or header. Then the nearest
 * block below. SIZE_MAX if there is none. */
size_t heap_block_at(const struct blocks_found *b, uint64_t addr);

/* Returns the freed block that contains an address. If `header` is set, a block's header counts as
 * part of it. SIZE_MAX if there is none, or if a live block contains the address. */
size_t heap_freed_at(const struct blocks_found *b, uint64_t addr, bool header);

/* Return the start of a block's header, and the end of its canary or of its bytes. */
static inline uint64_t heap_found_start(const struct heap_found *f)
{
	return f->addr - f->front;
}

static inline uint64_t heap_found_end(const struct heap_found *f)
{
	return f->addr + f->size + ((f->flags & HEAP_CANARY) != 0 ? HEAP_CANARY_SIZE : 0);
}

/* Returns the start of the allocator's block, which contains the user's block. */
static inline uint64_t heap_found_raw(const struct heap_found *f)
{
	return f->shift != 0 ? f->addr - (UINT64_C(1) << f->shift) : heap_found_start(f);
}
