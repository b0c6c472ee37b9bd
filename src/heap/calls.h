/* calls.h - the tree of all call stacks of a dump that allocated memory, each once.
 *
 * The recorder keeps a tree per thread slot. Blocks with inline stacks bring their own stacks. This
 * tree joins all of them: two stacks are equal if they have the same frames in the same modules.
 * Node 0 is the root, the caller of the outermost frames. The parent of a node has a smaller index.
 * A frame whose caller's page is missing has the caller HEAP_FRAME_CUT.
 *
 * Cost: one look-up per node of the recorder, about 50 ns. After it is built, several threads may
 * read it. */
#pragma once

#include "heap/records.h"

#define CALLS_NONE UINT32_MAX

struct call_node {
	uint64_t frame; /* Return address: the call is at frame - 1. HEAP_FRAME_CUT if the stack
			  * was truncated here. */
	uint32_t parent;
	uint32_t module; /* Index in calls.modules. CALLS_NONE if the frame is in no module */
};

/* A stack, with sums over the thread slots. Bytes are those that the program asked for. */
struct call_stack {
	uint32_t node;   /* Node of the innermost frame. 0 if no stack was recorded */
	uint32_t blocks; /* Number of live blocks that the scan found. */
	uint64_t block_bytes;
	/* Sums of the recorder's counters. All are 0 for inline stacks, which have no counters: use
	 * `blocks` and `block_bytes`. */
	uint64_t allocs, alloc_bytes, live, live_bytes, peak_bytes, at_peak, at_peak_bytes,
		temporary;
};

/* The allocations by one call stack in one thread slot. */
struct call_share {
	uint32_t stack, slot; /* `slot`: 1 + index in records.threads */
	uint64_t allocs, alloc_bytes, live, live_bytes, at_peak_bytes;
};

struct calls {
	/* First the files of dump.files, with the same indexes. Then modules that only the recorder
	 * listed, for example because they were unloaded. */
	VEC(struct dump_file) modules;
	VEC(struct call_node) nodes;
	VEC(struct call_stack) stacks; /* [0] is for blocks without a known stack */
	VEC(struct call_share) shares; /* Sorted by stack, then by slot */
	bool counted;                  /* True if the recorder's counters are present */
	bool sampled;                  /* True if the counters are estimates */
	uint64_t live_bytes, live, at_peak_bytes, alloc_bytes, allocs;
	struct call_index *index; /* Private */
};

/* Reads all stacks in the recorder's pages. Borrows `d` and `r` until release. */
void calls_read(struct calls *c, const struct dump *d, const struct records *r,
		struct notes *notes);
void calls_release(struct calls *c);
/* Returns the stack that a block header's id names. 0 if unknown. */
uint32_t calls_by_id(const struct calls *c, uint32_t id);
/* Returns the index in `stacks` of a stack of inline frames, innermost first. Adds it if it is new.
 * Returns 0 if count is 0. Only one thread may call it at a time. */
uint32_t calls_add(struct calls *c, const uint64_t *frames, size_t count);
