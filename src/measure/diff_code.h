/* diff_code.h - compares the code of the symbols that changed most in a diff of snapshots. */
#ifndef HEFT_MEASURE_DIFF_CODE_H
#define HEFT_MEASURE_DIFF_CODE_H

#include "compare/diff.h"
#include "measure/snapshot_handle.h"

/* Returns the code difference of each symbol of the new side, in the arena. NULL for a symbol
 * without one. sides[0] is the old side, or NULL. sides[1] is the new side. */
const char **diff_code_texts(const struct snapshot_diff *diff,
			     const struct heft_snapshot *const sides[2], struct arena *arena);

#endif
