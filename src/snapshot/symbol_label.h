/* symbol_label.h - makes the label of a symbol by which a diff or list groups its rows.
 *
 * Cost: O(length). Thread-safe, except for `work`. */
#ifndef HEFT_SNAPSHOT_SYMBOL_LABEL_H
#define HEFT_SNAPSHOT_SYMBOL_LABEL_H

#include "base/text.h"
#include "snapshot/snapshot.h"

/* Returns the path of a symbol's origin: its source, otherwise its object. "" if unknown. */
uint32_t snap_path(const struct snap_symbol *y);
/* Returns the label of a symbol's row, or a text such as "(no path)". The result is in the snapshot
 * or in *work. */
struct str snap_label(const struct snapshot *s, const struct snap_symbol *y, enum heft_diff_by by,
		      struct text *work);

#endif
