/* symbol_label.h - makes the text by which a diff or list groups its rows. O(length). Threads must
 * not share a `work`, which is scratch memory. */
#pragma once

#include "base/text.h"
#include "snapshot/snapshot.h"

/* Returns the source of a symbol, otherwise its object. "" if both are unknown. */
uint32_t snap_path(const struct snap_symbol *y);
/* Returns the text for a symbol, or one such as "(no path)". It is in the snapshot or in *work. */
struct str snap_label(const struct snapshot *s, const struct snap_symbol *y, enum heft_diff_by by,
		      struct text *work);
