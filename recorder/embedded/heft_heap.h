/* heft_heap.h - the heap recorder for programs without an operating system.
 *
 * Stands between a program and its own allocator.  In front of each block goes the header of
 * block.h with the call stack that asked for the block, so that any fragment of memory explains
 * itself; an analysis needs a raw dump and the program's ELF file.  The port is struct heft_port:
 * four callbacks.
 *
 * Words of 32 or 64 bits, either byte order, C11 with the builtins of gcc and clang; of libc only
 * memcpy and memset.  No lock, no thread-local data, no globals: whoever calls holds the lock that
 * guards the allocator.  Cost: one call of each callback, and heft_heap_front() bytes a block. */
#ifndef HEFT_HEAP_H
#define HEFT_HEAP_H

#include "block.h"

#include <stdbool.h>
#include <stddef.h>

enum { HEFT_DEPTH_MAX = 32 };

/* Where the allocation was asked for: in the function that hands out memory, say HEFT_CALLER. */
struct heft_caller {
	uintptr_t pc;      /* return address of that function */
	const void *frame; /* its frame: __builtin_frame_address(0) */
};
#define HEFT_CALLER                                                                                \
	(&(const struct heft_caller){ (uintptr_t)__builtin_return_address(0),                      \
				      __builtin_frame_address(0) })

struct heft_port {
	/* Memory aligned to `align`, or NULL; and the same back. */
	void *(*allocate)(void *ctx, size_t size);
	void (*release)(void *ctx, void *block);
	/* Return addresses, innermost first: from->pc, then those of its callers; at most `max`.
	 * Returns how many.  The Thumb bit may stay.  NULL: from->pc is all there is. */
	uint32_t (*capture)(void *ctx, const struct heft_caller *from, uintptr_t *frames,
			    uint32_t max);
	uint64_t (*now)(void *ctx); /* ns; NULL: no clock */
	void *ctx;
	uint32_t align; /* power of two, 8 or more */
	uint16_t depth; /* frames kept, 1..HEFT_DEPTH_MAX */
	uint16_t flags; /* HEAP_WIDE, HEAP_CANARY */
};

/* One heap.  At an address that is a multiple of HEAP_PAGE_SIZE its first two members are a process
 * page of block.h that ends behind its one entry; anywhere else they are just the counters. */
struct heft_heap {
	struct heap_page page;
	struct heap_process
		process; /* live_bytes, peak_bytes, double_frees, foreign_frees, damaged */
	const struct heft_port *port;
	uint64_t sequence; /* of the last allocation */
	uint32_t task;     /* HEAP_WIDE: who asks; an RTOS sets it where it switches tasks */
};

enum heft_verdict {
	HEFT_GOOD,
	HEFT_DAMAGED, /* written past its end */
	HEFT_FREED,   /* was given back before */
	HEFT_FOREIGN, /* no header of this recorder's, or one that was written over */
};

/* `port` is kept; it may be in read-only memory. */
void heft_heap_init(struct heft_heap *h, const struct heft_port *port);

/* As their namesakes in C.  `align` is a power of two.  Pointers are multiples of 16 and of the
 * port's align.  heft_heap_realloc() always moves, and returns NULL for what heft_heap_free() does
 * not take. */
void *heft_heap_malloc(struct heft_heap *h, size_t size, const struct heft_caller *from);
void *heft_heap_aligned(struct heft_heap *h, size_t align, size_t size,
			const struct heft_caller *from);
void *heft_heap_calloc(struct heft_heap *h, size_t count, size_t size,
		       const struct heft_caller *from);
void *heft_heap_realloc(struct heft_heap *h, void *p, size_t size, const struct heft_caller *from);

/* Counts what is wrong with `p`, and says it.  The allocator gets back only what is HEFT_GOOD or
 * HEFT_DAMAGED.  NULL is good.  heft_heap_check() says the same and changes nothing. */
enum heft_verdict heft_heap_free(struct heft_heap *h, void *p);
enum heft_verdict heft_heap_check(const void *p);
/* Bytes asked for; `p` is NULL, HEFT_GOOD or HEFT_DAMAGED. */
size_t heft_heap_size(const void *p);

/* Bytes between the allocator's block and the pointer, where `frames` were kept; alignment may add
 * some. */
static inline size_t heft_heap_front(const struct heft_port *port, uint32_t frames)
{
	const size_t stack = sizeof(struct heap_inline) + frames * sizeof(uintptr_t);
	const size_t head = (port->flags & HEAP_WIDE) != 0 ? HEAP_WIDE_SIZE : HEAP_HEADER_SIZE;
	return ((stack + 7) & ~(size_t)7) + head;
}

#endif
