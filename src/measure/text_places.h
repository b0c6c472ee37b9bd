/* text_places.h - finds addresses of an image as people write them: numbers, sections, symbols.
 *
 *     0x4a0 or 10#1184: a number
 *     4a0: the symbol or section of this name, otherwise a hexadecimal number
 *     NAME or NAME+4a0: a section, or a symbol (name_index.h); several places may have one name */
#pragma once

#include "program/name_index.h"

/* What a text names: a number, a section or symbols */
struct text_places {
	bool is_number;
	uint64_t number;               /* The number, if is_number is true */
	const struct section *section; /* May be NULL */
	name_matches matches;          /* Symbols with that name, the best matches first */
	size_t surest;                 /* How many of `matches` are equally good best matches */
	uint64_t offset;               /* Distance from the section or symbol */
};

/* Parses a text that can only be a number. False for others. */
bool place_number(const char *text, uint64_t *ret);
/* Finds the number, section or symbols that a text names. False if it names none. `ret` must be
 * zeroed before the first call, and may be used again. */
bool text_places_find(struct name_index *n, const char *text, struct text_places *ret);
void text_places_release(struct text_places *p);
