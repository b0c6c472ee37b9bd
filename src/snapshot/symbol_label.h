/* symbol_label.h - by what symbols are added up: the texts of a symbol that rows are made of.
 *
 * Cost: O(length).  Thread-safe but for `work`. */
#ifndef HEFT_SNAPSHOT_SYMBOL_LABEL_H
#define HEFT_SNAPSHOT_SYMBOL_LABEL_H

#include "base/text.h"
#include "snapshot/snapshot.h"

/* The path that tells where a symbol is from: of its source, else of its object; "" where neither
 * is known. */
uint32_t snap_path(const struct snap_symbol *y);
/* The label of a symbol's row, "(no path)" and the like where there is none.  May lie in the
 * snapshot or in *work. */
struct str snap_label(const struct snapshot *s, const struct snap_symbol *y, enum heft_diff_by by,
		      struct text *work);

#endif
