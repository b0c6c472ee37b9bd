/* inline_stack.h - reads the call stacks that the recorder stores before blocks. */
#pragma once

#include "heap/block_scan.h"

/* Adds the inline stack of a block to `c` and returns its index. `f->stack` is the distance from
 * the stack to the block. For a freed block whose stack is partly overwritten, uses the intact
 * frames and the copy in the block. CALLS_NONE if damaged. */
uint32_t inline_stack(const struct dump *d, struct calls *c, const struct heap_found *f);
