/* symbol_cards.h - finds facts about a profile's symbols for a page: which symbols refer to a
 * symbol, and which texts its data contains. */
#pragma once

#include "measure/profile.h"
#include "map/rollup.h"

/* Separates the texts of a struct symbol_card. */
#define CARD_TEXT_END '\x1f'

/* A card of a row, by the row's text (label): the first texts in its symbols' data, and the names
 * of the first symbols that refer to them. */
struct symbol_card {
	struct str texts;
	const char *const *users;
	size_t user_count;
	uint64_t all_texts, all_users; /* Counts, including unlisted ones */
	/* What keeps the symbols in the program. NULL if unknown. */
	const struct keeper *kept;
	const char *keeper, *by; /* Names of its labels. NULL: the program as a whole */
};

/* A range of read-only data, and the number of the text (label) that its row shows. */
struct label_data {
	uint64_t label;
	const struct image *im;
	uint64_t addr, size;
};

/* Finds the struct symbol_card of each label. Borrows the profile. */
struct symbol_cards {
	const struct heft_profile *profile;
	const label_users *users; /* Those of the profile, or `own_users` */
	label_users own_users;
	VEC(struct label_data) data; /* Sorted by label */
	/* Parts of the last answer. */
	struct symbol_card card;
	struct text texts;
	VEC(const char *) names;
};

/* Returns the last level of the profile. NULL if its labels are not symbols. */
const struct level *symbol_cards_level(const struct heft_profile *p);

/* Prepares the cards of a profile. False if the last level is not symbols, or the run lacked
 * HEFT_PROFILE_RANGES. */
bool symbol_cards_init(struct symbol_cards *c, const struct heft_profile *p);
void symbol_cards_release(struct symbol_cards *c);
/* Returns what is known about a label's symbols. Valid until the next call. */
const struct symbol_card *symbol_cards_of(struct symbol_cards *c, label_id label);
