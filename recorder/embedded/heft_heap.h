/* heft_heap.h - the heap recorder for programs without an operating system.
 *
 * It is called between a program and its own allocator. Before each block, it writes the header of
 * block.h, with the call stack that allocated the block. So any fragment of memory describes
 * itself: an analysis needs only a raw dump and the program's ELF file.
 *
 * Porting: implement the four callbacks of struct heft_port. Words of 32 or 64 bits, both byte
 * orders, C11 with the builtins of gcc and clang. Needs only memcpy and memset of libc. No lock, no
 * thread-local data, no globals: the caller holds the lock that protects the allocator. Cost: one
 * call of each callback, and heft_heap_front() bytes per block. */
#ifndef HEFT_HEAP_H
#define HEFT_HEAP_H

#include "block.h"

#include <stdbool.h>
#include <stddef.h>

enum { HEFT_DEPTH_MAX = 32 };

/* Place of an allocation. Functions that return memory to the program use HEFT_CALLER. */
struct heft_caller {
	uintptr_t pc;      /* Return address of that function. */
	const void *frame; /* Frame of that function: __builtin_frame_address(0). */
};
#define HEFT_CALLER                                                                                \
	(&(const struct heft_caller){ (uintptr_t)__builtin_return_address(0),                      \
				      __builtin_frame_address(0) })

struct heft_port {
	/* Returns memory aligned to `align`, or NULL. release() frees it. */
	void *(*allocate)(void *ctx, size_t size);
	void (*release)(void *ctx, void *block);
	/* Returns the number of return addresses in `frames`, at most `max`, innermost first:
	 * from->pc, then those of its callers. The Thumb bit may be set. NULL: only from->pc is
	 * recorded. */
	uint32_t (*capture)(void *ctx, const struct heft_caller *from, uintptr_t *frames,
			    uint32_t max);
	uint64_t (*now)(void *ctx); /* Time in ns. NULL if there is no clock. */
	void *ctx;
	uint32_t align; /* Power of two, 8 or more. */
	uint16_t depth; /* Limit of frames per stack, 1..HEFT_DEPTH_MAX. */
	uint16_t flags; /* Bits HEAP_WIDE, HEAP_CANARY. */
};

/* A heap. If its address is a multiple of HEAP_PAGE_SIZE, its first two members are a process page
 * of block.h. The page ends after its one entry. At other addresses, the two members are only
 * counters. */
struct heft_heap {
	struct heap_page page;
	struct heap_process
		process; /* Used: live_bytes, peak_bytes, double_frees, foreign_frees, damaged. */
	const struct heft_port *port;
	uint64_t sequence; /* Number of the last allocation. */
	uint32_t task;     /* HEAP_WIDE: task that allocates. An RTOS sets it when tasks switch */
};

enum heft_verdict {
	HEFT_GOOD,
	HEFT_DAMAGED, /* Written past its end. */
	HEFT_FREED,   /* Freed before. */
	HEFT_FOREIGN, /* No header of this recorder, or an overwritten one. */
};

/* Prepares a heap. `port` must stay valid. It may be in read-only memory. */
void heft_heap_init(struct heft_heap *h, const struct heft_port *port);

/* Like the functions of these names in C. `align` is a power of two. Pointers are multiples of 16
 * and of the port's align. heft_heap_realloc() always moves the block. It returns NULL if
 * heft_heap_free() would not accept `p`. */
void *heft_heap_malloc(struct heft_heap *h, size_t size, const struct heft_caller *from);
void *heft_heap_aligned(struct heft_heap *h, size_t align, size_t size,
			const struct heft_caller *from);
void *heft_heap_calloc(struct heft_heap *h, size_t count, size_t size,
		       const struct heft_caller *from);
void *heft_heap_realloc(struct heft_heap *h, void *p, size_t size, const struct heft_caller *from);

/* Frees `p` and returns its state, counting errors. Only HEFT_GOOD and HEFT_DAMAGED blocks return
 * to the allocator. NULL is good. heft_heap_check() returns the same and changes nothing. */
enum heft_verdict heft_heap_free(struct heft_heap *h, void *p);
enum heft_verdict heft_heap_check(const void *p);
/* Returns the bytes asked for. `p` must be NULL, HEFT_GOOD or HEFT_DAMAGED. */
size_t heft_heap_size(const void *p);

/* Returns the bytes between the allocator's block and the pointer, if `frames` frames are kept.
 * Alignment may add some. */
static inline size_t heft_heap_front(const struct heft_port *port, uint32_t frames)
{
	const size_t stack = sizeof(struct heap_inline) + frames * sizeof(uintptr_t);
	const size_t head = (port->flags & HEAP_WIDE) != 0 ? HEAP_WIDE_SIZE : HEAP_HEADER_SIZE;
	return ((stack + 7) & ~(size_t)7) + head;
}

#endif
