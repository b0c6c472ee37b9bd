/* symbol_code.h - makes the code of functions for a page: their instructions by basic block, or, in
 * a diff, what changed in them.
 *
 * The amount of code is limited. Functions that ran most come first, then the largest. In a diff,
 * functions whose size changed most come first. */
#pragma once

#include "base/text.h"
#include "blocks/block_counts.h"
#include "measure/profile.h"

enum {
	CODE_OF_PAGE = 1 << 19,     /* Bytes of code on the page. Further functions are omitted */
	CODE_OF_FUNCTION = 1 << 14, /* Bytes of code per function. The rest is omitted */
};

/* The disassembly of the functions in one row, whose text is the label */
struct label_code {
	uint64_t label;
	size_t from, size; /* Range in symbol_code.text */
};

struct symbol_code {
	VEC(struct label_code) labels; /* Sorted by label */
	struct text text;
	size_t shown, all;   /* Numbers of functions: shown, and shown or omitted */
	const char *missing; /* Why there is no code (static text), or NULL */
};

/* Makes the code of a profile's program. The profile's last level must be symbols. `blocks` and
 * `samples` are of the same program. `blocks` is NULL for a diff; `samples` may be NULL. Fails if
 * blocks are damaged. */
bool symbol_code_make(struct symbol_code *c, struct heft_profile *p, struct heft_blocks *blocks,
		      struct heft_samples *samples, struct heft_err *err);
void symbol_code_release(struct symbol_code *c);
/* Returns the disassembly for a label. Empty if there is none. */
struct str symbol_code_of(const struct symbol_code *c, label_id label);
