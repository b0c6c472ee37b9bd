/* snap_stacks.h - the stacks of the functions of a snapshot. */
#ifndef HEFT_SNAPSHOT_SNAP_STACKS_H
#define HEFT_SNAPSHOT_SNAP_STACKS_H

#include "snapshot/snapshot.h"
#include "stack/depths.h"

/* Sets the stacks of symbols from `first` on, which are of the program that was read. */
void snapshot_add_stacks(struct snapshot *s, size_t first, const struct stack_use *use);

#endif
