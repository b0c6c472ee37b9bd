/* symbol_code.h - what a page shows of the code of functions: their instructions by basic block,
 * or, of a diff, what changed of them.
 *
 * Code is long as text.  So it is limited: the functions that ran most come first, then the
 * largest ones; of a diff, those whose size changed most. */
#ifndef HEFT_API_CARDS_SYMBOL_CODE_H
#define HEFT_API_CARDS_SYMBOL_CODE_H

#include "measure/profile.h"
#include "base/text.h"

enum {
	CODE_OF_PAGE = 1 << 19,     /* bytes of code in all */
	CODE_OF_FUNCTION = 1 << 14, /* bytes of one function */
};

/* The text of the functions of a label. */
struct label_code {
	uint64_t label;
	size_t from, size; /* in `text` */
};

struct symbol_code {
	VEC(struct label_code) labels; /* sorted */
	struct text text;
	size_t shown, all;   /* functions */
	const char *missing; /* why there is none, or NULL; a static text */
};

/* Of the program of a profile, whose last level are symbols.  `blocks` (NULL for a diff, where they
 * are not needed) have the program open, `samples` (or NULL) are its own.  The texts are
 * whole.  Fails where blocks cannot be read. */
bool symbol_code_make(struct symbol_code *c, struct heft_profile *p, struct heft_blocks *blocks,
		      struct heft_samples *samples, struct heft_err *err);
void symbol_code_release(struct symbol_code *c);
/* The text of a label; empty: there is none. */
struct str symbol_code_of(const struct symbol_code *c, label_id label);

#endif
