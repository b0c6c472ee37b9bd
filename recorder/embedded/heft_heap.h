/* heft_heap.h - the heap recorder for programs without an operating system.
 *
 * It is called between a program and its allocator. Before each block, it writes a header (block.h)
 * and the call stack of the allocation. So any part of the memory describes itself: an analysis
 * needs only a raw dump and the program's ELF file.
 *
 * Porting: implement the four callbacks of struct heft_port. Needs words of 32 or 64 bits, any byte
 * order, C11 with the builtins of gcc and clang, and memcpy and memset of libc. It has no lock,
 * thread-local data or globals: the caller holds the lock of the allocator. Cost: one call of each
 * callback, and heft_heap_front() bytes per block. */
#ifndef HEFT_HEAP_H
#define HEFT_HEAP_H

#include "block.h"

#include <stdbool.h>
#include <stddef.h>

enum { HEFT_DEPTH_MAX = 32 };

/* Where the program asks for memory. The function that the program calls passes HEFT_CALLER. */
struct heft_caller {
	uintptr_t pc;      /* Return address of that function */
	const void *frame; /* Frame of that function: __builtin_frame_address(0) */
};
#define HEFT_CALLER                                                                                \
	(&(const struct heft_caller){ (uintptr_t)__builtin_return_address(0),                      \
				      __builtin_frame_address(0) })

struct heft_port {
	/* Returns `size` bytes aligned to `align`, or NULL. release() frees them. */
	void *(*allocate)(void *ctx, size_t size);
	void (*release)(void *ctx, void *block);
	/* Fills `frames` with at most `max` return addresses, innermost first: from->pc, then those
	 * of its callers. Returns their number. The Thumb bit may be set. NULL: only from->pc is
	 * recorded. */
	uint32_t (*capture)(void *ctx, const struct heft_caller *from, uintptr_t *frames,
			    uint32_t max);
	uint64_t (*now)(void *ctx); /* Time in ns. NULL without a clock */
	void *ctx;
	uint32_t align; /* Power of two, at least 8 */
	uint16_t depth; /* Maximal frames per stack, 1..HEFT_DEPTH_MAX */
	uint16_t flags; /* Bits HEAP_WIDE, HEAP_CANARY */
};

/* A heap. If its address is a multiple of HEAP_PAGE_SIZE, its first two members are a process page
 * of block.h with one entry. At other addresses, they are only counters. */
struct heft_heap {
	struct heap_page page;
	struct heap_process
		process; /* Only used: live_bytes, peak_bytes, double_frees, foreign_frees,
			  * damaged */
	const struct heft_port *port;
	uint64_t sequence; /* Number of the last allocation */
	uint32_t task; /* Number of the current task, recorded with HEAP_WIDE. The operating system
			* sets it at each switch of tasks */
};

enum heft_verdict {
	HEFT_GOOD,
	HEFT_DAMAGED, /* Block was written past its end */
	HEFT_FREED,   /* Block was already freed */
	HEFT_FOREIGN, /* No header of this recorder is before it, or the header was overwritten */
};

/* Prepares a heap. `port` must stay valid. It may be in read-only memory. */
void heft_heap_init(struct heft_heap *h, const struct heft_port *port);

/* Work like malloc, calloc, aligned_alloc and realloc. `align` is a power of two. Pointers are
 * multiples of 16 and of the port's align. heft_heap_realloc() always moves the block. It returns
 * NULL if heft_heap_free() would refuse `p`. */
void *heft_heap_malloc(struct heft_heap *h, size_t size, const struct heft_caller *from);
void *heft_heap_aligned(struct heft_heap *h, size_t align, size_t size,
			const struct heft_caller *from);
void *heft_heap_calloc(struct heft_heap *h, size_t count, size_t size,
		       const struct heft_caller *from);
void *heft_heap_realloc(struct heft_heap *h, void *p, size_t size, const struct heft_caller *from);

/* Frees `p`, returns its state, and counts errors. Only HEFT_GOOD and HEFT_DAMAGED blocks return to
 * the allocator. NULL is HEFT_GOOD. heft_heap_check() only returns the state. */
enum heft_verdict heft_heap_free(struct heft_heap *h, void *p);
enum heft_verdict heft_heap_check(const void *p);
/* Returns the bytes that were requested. `p` must be NULL, HEFT_GOOD or HEFT_DAMAGED. */
size_t heft_heap_size(const void *p);

/* Returns the bytes from the start of the allocator's block to the program's pointer, for a stack
 * of `frames` frames. Alignment may add more. */
static inline size_t heft_heap_front(const struct heft_port *port, uint32_t frames)
{
	const size_t stack = sizeof(struct heap_inline) + frames * sizeof(uintptr_t);
	const size_t head = (port->flags & HEAP_WIDE) != 0 ? HEAP_WIDE_SIZE : HEAP_HEADER_SIZE;
	return ((stack + 7) & ~(size_t)7) + head;
}

#endif
