/* advice_rows.h - lists proposals that make a program smaller, one per row, with the owners of the
 * bytes below it.
 *
 * Proposals overlap: one byte can go for several reasons. So their sum means nothing, and the top
 * row is 0. */
#pragma once

#include "map/rows.h"
#include "measure/info_rows.h"
#include "measure/why.h"
#include "query/advice.h"

enum advice_text {
	ADVICE_TEXT_SURE,
	ADVICE_TEXT_WHAT,
	ADVICE_TEXT_CHANGE,
	ADVICE_TEXT_COST,
	ADVICE_TEXT_LINK,
	ADVICE_TEXT_SAVED, /* This text and the next ones: only after a link */
	ADVICE_TEXT_PADDING,
	ADVICE_TEXT_FAILURE,
	ADVICE_TEXTS
};

extern const struct heft_text advice_texts[ADVICE_TEXTS];
extern const struct heft_measure advice_measures[1];

/* A function, and the hash of its instructions without the targets of references. */
struct advice_code {
	uint64_t shape; /* The key for sorting */
	uint64_t addr, size;
};

struct advice_rows {
	advice_vec found;
	bool go; /* True for a program of Go's compiler */
	VEC(struct advice_code) code;
	struct arena arena;
	struct tree tree;
	VEC(const char *) labels; /* labels[i] is the label of node i + 1 of `tree` */
	bool linked;              /* True after advice_rows_prove() */
	struct heft_table table;
};

/* Finds all proposals. `file`: facts about the snapshot's program. The snapshot must have the
 * contents of symbols. */
bool advice_rows_find(struct advice_rows *r, const struct snapshot *s, const struct info_file *file,
		      struct heft_err *err);
/* Adds what references of the same program tell: what no root reaches, and which functions do the
 * same. */
void advice_rows_add_graph(struct advice_rows *r, struct heft_graph *g);
/* Keeps what came of a link with the option of a proposal: the bytes by which the program became
 * smaller, those of them that were padding, or why the link failed. If several options helped,
 * proposes all of them. HEFT_EARG if nothing of this name is proposed, or it names no option. */
bool advice_rows_prove(struct advice_rows *r, const char *name, int64_t saved, int64_t padding,
		       const char *failure, struct heft_err *err);
/* Makes the table. At most `limit` rows per level, 0 for all. */
void advice_rows_make(struct advice_rows *r, uint32_t limit);
