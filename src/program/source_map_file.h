/* source_map_file.h - opens a source map as the separate debug file of a WebAssembly module. */
#ifndef HEFT_PROGRAM_SOURCE_MAP_FILE_H
#define HEFT_PROGRAM_SOURCE_MAP_FILE_H

#include "image/input.h"
#include "program/wish.h"

/* Finds the source map of an image. The path is for mem_free(); NULL if there is none. Tries the
 * options' maps for the image's path or URL; otherwise, if looking for files is allowed, the file
 * that the URL names, beside the image. Maps of other modules in the options cause a note. */
char *source_map_find(const struct image *im, const struct program_wish *wish, struct notes *notes);

/* Opens the map at `path` as a companion image of `im`: its sections without bytes, and DWARF made
 * from the map. False, with *err, if it is damaged. */
bool source_map_open(const struct image *im, const char *path, struct input *in,
		     struct notes *notes, struct heft_err *err);

#endif
