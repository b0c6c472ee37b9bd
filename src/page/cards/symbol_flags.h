/* symbol_flags.h - finds flags of a profile's symbols, as words, from names, sections, source
 * files, contents and inlined calls. */
#pragma once

#include "measure/profile.h"
#include "names/supersize.h"

enum { SYMBOL_FLAG_SETS = 1 << 10 };

struct symbol_flags {
	const struct heft_profile *profile;
	struct arena *arena; /* Memory of the texts */
	uint16_t *known;     /* Per label: its flags | KNOWN. 0 if not yet looked up */
	bool *twins;         /* Per label: true if its symbol has a copy (symbol_twins.h) */
	size_t count;        /* Number of elements of `known` and of `twins` */
	struct supersize_name work;
	const char *const *texts[SYMBOL_FLAG_SETS]; /* Per set of flags: texts of a row, or NULL */
};

void symbol_flags_init(struct symbol_flags *f, const struct heft_profile *p, struct arena *arena);
void symbol_flags_release(struct symbol_flags *f);
/* Returns a last-level row's only text: its flags. NULL without flags. */
const char *const *symbol_flags_of(struct symbol_flags *f, uint32_t node);
