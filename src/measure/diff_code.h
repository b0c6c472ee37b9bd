#pragma once

#include "compare/diff.h"
#include "measure/snapshot_handle.h"

/* Compares the code of the symbols that changed most. Returns a text or NULL per symbol of
 * sides[1], in the arena. sides[0]: the snapshot before, or NULL. sides[1]: the one after. */
const char **diff_code_texts(const struct snapshot_diff *diff,
			     const struct heft_snapshot *const sides[2], struct arena *arena);
