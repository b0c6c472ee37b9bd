/* inline_stack.h - call stacks that stand in front of blocks. */
#ifndef HEFT_HEAP_INLINE_STACK_H
#define HEFT_HEAP_INLINE_STACK_H

#include "heap/block_scan.h"

/* The stack of a block with HEAP_INLINE, added to `c`; `f->stack` is the distance from the stack to
 * the block.  Of a freed block, where the allocator wrote over the stack's first words, it is what
 * is left and what the block's own bytes say.  CALLS_NONE: it is damaged. */
uint32_t inline_stack(const struct dump *d, struct calls *c, const struct heap_found *f);

#endif
