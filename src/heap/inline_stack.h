/* inline_stack.h - reads the call stacks that the recorder stores before blocks. */
#ifndef HEFT_HEAP_INLINE_STACK_H
#define HEFT_HEAP_INLINE_STACK_H

#include "heap/block_scan.h"

/* Adds the inline stack of a block to `c` and returns it. `f->stack` is the distance from the stack
 * to the block. If the allocator overwrote the stack of a freed block, uses the rest and the frames
 * in the block's own bytes. CALLS_NONE if damaged. */
uint32_t inline_stack(const struct dump *d, struct calls *c, const struct heap_found *f);

#endif
