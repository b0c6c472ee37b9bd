/* symbol_flags.h - what names, sections, sources, contents and inlined calls say of the symbols of
 * a profile, in words. */
#ifndef HEFT_API_CARDS_SYMBOL_FLAGS_H
#define HEFT_API_CARDS_SYMBOL_FLAGS_H

#include "measure/profile.h"
#include "names/supersize.h"

enum { SYMBOL_FLAG_SETS = 1 << 10 };

struct symbol_flags {
	const struct heft_profile *profile;
	struct arena *arena; /* of the texts */
	uint16_t *known;     /* by label: its flags | KNOWN; zeroed */
	bool *twins;         /* by label: see symbol_twins.h */
	size_t count;        /* of known and twins */
	struct supersize_name work;
	const char *const *texts[SYMBOL_FLAG_SETS]; /* by set of flags: the texts of its rows */
};

void symbol_flags_init(struct symbol_flags *f, const struct heft_profile *p, struct arena *arena);
void symbol_flags_release(struct symbol_flags *f);
/* The one text of the row of a node on the last level: its flags; NULL where it has none. */
const char *const *symbol_flags_of(struct symbol_flags *f, uint32_t node);

#endif
