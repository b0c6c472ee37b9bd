#ifndef HEFT_SNAPSHOT_SNAP_STACKS_H
#define HEFT_SNAPSHOT_SNAP_STACKS_H

#include "snapshot/snapshot.h"
#include "stack/depths.h"

/* Sets the stack sizes of the symbols from `first` on, which must be of the program of `use`. */
void snapshot_add_stacks(struct snapshot *s, size_t first, const struct stack_use *use);

#endif
