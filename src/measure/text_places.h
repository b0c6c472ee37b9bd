/* text_places.h - addresses of an image as people write them: numbers, sections, symbols.
 *
 *   0x4a0, 10#1184        a number
 *   4a0                   the symbol or section of this name, else a hexadecimal number
 *   NAME, NAME+4a0        a section, or what name_index.h finds: several places may have a name */
#ifndef HEFT_MEASURE_TEXT_PLACES_H
#define HEFT_MEASURE_TEXT_PLACES_H

#include "program/name_index.h"

/* What a text means. */
struct text_places {
	bool is_number;
	uint64_t number;               /* as it is written */
	const struct section *section; /* or NULL */
	name_matches matches;          /* of a symbol: those of the surest form first */
	size_t surest;                 /* how many of them have that form */
	uint64_t offset;               /* to be added to a section's or symbol's address */
};

/* A number alone. */
bool place_number(const char *text, uint64_t *ret);
/* False where the text is no number, section or symbol.  `ret` is zeroed at first, and may be used
 * again. */
bool text_places_find(struct name_index *n, const char *text, struct text_places *ret);
void text_places_release(struct text_places *p);

#endif
