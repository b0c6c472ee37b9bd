/* advice_rows.h - lists proposals that make a program smaller, one per row, with the owners of the
 * bytes below it.
 *
 * Proposals overlap: one byte can go for several reasons. So their sum means nothing, and the top
 * row is 0. */
#pragma once

#include "map/rows.h"
#include "measure/info_rows.h"
#include "query/advice.h"

enum advice_text {
	ADVICE_TEXT_SURE,
	ADVICE_TEXT_WHAT,
	ADVICE_TEXT_CHANGE,
	ADVICE_TEXT_COST,
	ADVICE_TEXTS
};

extern const struct heft_text advice_texts[ADVICE_TEXTS];
extern const struct heft_measure advice_measures[1];

struct advice_rows {
	advice_vec found;
	struct arena arena;
	struct tree tree;
	VEC(const char *) labels; /* Per node except the first */
	struct heft_table table;
};

/* Finds all proposals. `file`: facts of the same program as the snapshot, which has contents of
 * symbols. */
bool advice_rows_find(struct advice_rows *r, const struct snapshot *s, const struct info_file *file,
		      struct heft_err *err);
/* Makes the table. At most `limit` rows per level, 0 for all. */
void advice_rows_make(struct advice_rows *r, uint32_t limit);
