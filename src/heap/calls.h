/* calls.h - the calling-context tree of a dump: every call stack that asked for memory, once.
 *
 * The recorder keeps one tree a thread slot, and blocks with inline stacks bring their own; here
 * they are joined: two stacks are one if their frames are, outermost to innermost, in the same
 * modules. Node 0 is the root, outside of the outermost frame; a node's parent has a smaller index.
 * Where the page with the caller of a frame is missing, its caller is HEAP_FRAME_CUT.
 *
 * Cost: one look-up a node of the recorder's, about 50 ns.
 *
 * Built once, then read only: several threads may. */
#ifndef HEFT_HEAP_CALLS_H
#define HEFT_HEAP_CALLS_H

#include "heap/records.h"

#define CALLS_NONE UINT32_MAX

struct call_node {
	uint64_t frame;  /* return address: the call is at frame - 1; HEAP_FRAME_CUT: cut off */
	uint32_t parent; /* the caller */
	uint32_t module; /* index into calls.modules; CALLS_NONE: in none */
};

/* Bytes are those asked for; sums over the thread slots. */
struct call_stack {
	uint32_t node;   /* innermost frame; 0: no stack was kept */
	uint32_t blocks; /* headers of live blocks that the scan found */
	uint64_t block_bytes;
	/* What the recorder counted; zeros without counters (inline stacks): then see above. */
	uint64_t allocs, alloc_bytes, live, live_bytes, peak_bytes, at_peak, at_peak_bytes,
		temporary;
};

/* The share of one thread slot in a stack. */
struct call_share {
	uint32_t stack, slot; /* slot: of records.threads + 1 */
	uint64_t allocs, alloc_bytes, live, live_bytes, at_peak_bytes;
};

struct calls {
	/* What is in dump.files, at the same index; behind these the modules that the recorder
	 * noted and the dump does not list: unloaded since, or the dump lists none. */
	VEC(struct dump_file) modules;
	VEC(struct call_node) nodes;
	VEC(struct call_stack) stacks; /* [0] is that of blocks without a known stack */
	VEC(struct call_share) shares; /* by stack, then slot */
	bool counted;                  /* the recorder's counters are there */
	bool sampled;                  /* all counters are estimates */
	uint64_t live_bytes, live, at_peak_bytes, alloc_bytes, allocs;
	struct call_index *index; /* private */
};

/* Reads all stacks the recorder's pages hold.  Borrows from `d` and `r` until it is released. */
void calls_read(struct calls *c, const struct dump *d, const struct records *r,
		struct notes *notes);
void calls_release(struct calls *c);
/* The stack with an id of a block header; 0 where it is unknown. */
uint32_t calls_by_id(const struct calls *c, uint32_t id);
/* Adds a stack of inline frames, innermost first, or finds it; 0 for no frames.  One thread. */
uint32_t calls_add(struct calls *c, const uint64_t *frames, size_t count);

#endif
