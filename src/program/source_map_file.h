/* source_map_file.h - a source map as the separate debug file of a WebAssembly module. */
#ifndef HEFT_PROGRAM_SOURCE_MAP_FILE_H
#define HEFT_PROGRAM_SOURCE_MAP_FILE_H

#include "image/input.h"
#include "program/wish.h"

/* The path of the source map of an image, for mem_free; NULL where there is none: one that the wish
 * names for the image's path or for the URL in it, else, if files are looked for, the file that the
 * URL names, where the image lies.  Those of a wish that are of other modules are a note. */
char *source_map_find(const struct image *im, const struct program_wish *wish, struct notes *notes);

/* Opens the map at `path` as an image that stands beside `im`: its sections without bytes, and
 * DWARF of the map.  False, with *err, where it is damaged. */
bool source_map_open(const struct image *im, const char *path, struct input *in,
		     struct notes *notes, struct heft_err *err);

#endif
