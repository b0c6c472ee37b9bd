/* linkmap_image.h - a program as far as its linker map tells of it.
 *
 * Where there is a map alone, a 64-bit ELF file is made of it that has its sections, at their
 * places and with their sizes, its symbols, and zeros for contents.  What a map does not tell is
 * guessed from names: which sections are code, take no room in the file, or are not loaded. */
#ifndef HEFT_IMAGE_LINKMAP_LINKMAP_IMAGE_H
#define HEFT_IMAGE_LINKMAP_LINKMAP_IMAGE_H

#include "image/linkmap/linkmap.h"

/* Whether the first bytes of a file are those of a map; 4 KiB are enough. */
bool linkmap_begins(struct bytes head);

/* Makes the file.  *ret_content is how many of its first bytes are what the map's sections have in
 * the file, the rest is heft's own: tables and symbols.  *ret is for mem_free.  HEFT_ELIMIT where
 * the sections have more than 1 GiB. */
bool linkmap_image(const struct linkmap *map, struct bytes *ret, uint64_t *ret_content,
		   struct heft_err *err);
/* Adds the names of sections that may have no bytes (NOLOAD), which a map does not say. */
struct text;
void linkmap_doubts(const struct linkmap *map, struct text *ret);

#endif
