/* text_places.h - finds addresses of an image as people write them: numbers, sections, symbols.
 *
 *     0x4a0 or 10#1184: a number
 *     4a0: the symbol or section of this name, otherwise a hexadecimal number
 *     NAME or NAME+4a0: a section, or a symbol (name_index.h); several places may have one name */
#ifndef HEFT_MEASURE_TEXT_PLACES_H
#define HEFT_MEASURE_TEXT_PLACES_H

#include "program/name_index.h"

/* What the text of an address means. */
struct text_places {
	bool is_number;
	uint64_t number;               /* The number, if is_number */
	const struct section *section; /* May be NULL */
	name_matches matches;          /* Matching symbols, best form of match first */
	size_t surest;                 /* Number of matches with the best form */
	uint64_t offset;               /* Offset from the section or symbol */
};

/* Parses a text that is only a number. False for other texts. */
bool place_number(const char *text, uint64_t *ret);
/* Finds the meaning of a text. False if it is not a number, section or symbol. `ret` must be zeroed
 * at first, and may be reused. */
bool text_places_find(struct name_index *n, const char *text, struct text_places *ret);
void text_places_release(struct text_places *p);

#endif
