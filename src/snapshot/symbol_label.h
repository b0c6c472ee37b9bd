/* symbol_label.h - makes the text by which a diff or list groups its rows. O(length). Threads must
 * not share a `work`, which is scratch memory. */
#pragma once

#include "base/text.h"
#include "snapshot/snapshot.h"

/* Returns the text id of a symbol's source, otherwise of its object. 0 if both are unknown. */
uint32_t snap_path(const struct snap_symbol *y);
/* Returns a symbol's label in a diff by `by`, such as its path or "(no path)". May be in *work. */
struct str snap_label(const struct snapshot *s, const struct snap_symbol *y, enum heft_diff_by by,
		      struct text *work);
