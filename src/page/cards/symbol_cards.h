/* symbol_cards.h - finds what a page shows about symbols of a profile beside their bytes: which
 * symbols refer to a symbol, and which texts its data has. */
#ifndef HEFT_PAGE_CARDS_SYMBOL_CARDS_H
#define HEFT_PAGE_CARDS_SYMBOL_CARDS_H

#include "measure/profile.h"
#include "source/users.h"

/* Follows each text of a card but the last. */
#define CARD_TEXT_END '\x1f'

/* A card of a label: the first texts in the data of its symbols, and the names of the first symbols
 * that refer to them. */
struct symbol_card {
	struct str texts;
	const char *const *users;
	size_t user_count;
	uint64_t all_texts, all_users; /* Counts that include what is not listed. */
};

/* Read-only data of a label. */
struct label_data {
	uint64_t label;
	const struct image *im;
	uint64_t addr, size;
};

/* Cards of a profile. Borrows the profile. */
struct symbol_cards {
	const struct heft_profile *profile;
	struct users users;
	VEC(struct label_data) data; /* Sorted by label. */
	/* Parts of the last answer. */
	struct symbol_card card;
	struct text texts;
	VEC(const char *) names;
};

/* Returns the last level. NULL if its labels are no symbols. */
const struct level *symbol_cards_level(const struct heft_profile *p);

/* Prepares the cards. False if the rows of the last level are no symbols, or if the run lacked
 * HEFT_PROFILE_RANGES: then there are no cards. */
bool symbol_cards_init(struct symbol_cards *c, const struct heft_profile *p);
void symbol_cards_release(struct symbol_cards *c);
/* Returns the card of the symbols of a label. Valid until the next call. */
const struct symbol_card *symbol_cards_of(struct symbol_cards *c, label_id label);

#endif
