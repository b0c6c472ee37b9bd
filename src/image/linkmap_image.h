/* linkmap_image.h - opens the file of a linker map, and makes an image of a program from its linker
 * map alone.
 *
 * The image is a 64-bit ELF file with the map's sections (addresses and sizes), the map's symbols,
 * and zeros as contents. Section names serve to guess what a map does not state: which sections are
 * code, take no bytes in the file, or are not loaded. */
#pragma once

#include "linkmap/linkmap.h"

/* Opens a map. False, with *err, on failure. The file may be packed (unpack.h). If the file is no
 * map, the error says what it is. On success the caller releases the map. */
bool linkmap_open(struct linkmap *lm, const char *path, struct notes *notes, struct heft_err *err);
/* Makes the ELF file. *ret_content is the number of bytes at its start that the map's sections have
 * in the file; the rest are heft's tables and symbols. Free *ret with mem_free(). False if the
 * sections have more than 1 GiB. */
bool linkmap_image(const struct linkmap *map, struct bytes *ret, uint64_t *ret_content);
/* Appends names of sections that may have no bytes in the file (NOLOAD): maps do not tell. */
struct text;
void linkmap_doubts(const struct linkmap *map, struct text *ret);
