/* text_places.h - finds addresses of an image as people write them: numbers, sections, symbols.
 *
 *     0x4a0 or 10#1184: a number
 *     4a0: the symbol or section of this name, otherwise a hexadecimal number
 *     NAME or NAME+4a0: a section, or what name_index.h finds; several places may have a name */
#ifndef HEFT_MEASURE_TEXT_PLACES_H
#define HEFT_MEASURE_TEXT_PLACES_H

#include "program/name_index.h"

/* What a text means. */
struct text_places {
	bool is_number;
	uint64_t number;               /* As it is written. */
	const struct section *section; /* May be NULL. */
	name_matches matches;          /* Matches of a symbol, surest form first. */
	size_t surest;                 /* Number of matches with the surest form. */
	uint64_t offset;               /* Is added to the address of the section or symbol. */
};

/* Parses a text that is only a number. False if it is none. */
bool place_number(const char *text, uint64_t *ret);
/* Finds what a text means. False if it is no number, section or symbol. `ret` must be zeroed at
 * first and may be reused. */
bool text_places_find(struct name_index *n, const char *text, struct text_places *ret);
void text_places_release(struct text_places *p);

#endif
