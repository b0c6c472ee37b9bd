/* made_image.h - makes images that serve as a program's separate debug file, from data that are not
 * in an object file's form. */
#ifndef HEFT_PROGRAM_MADE_IMAGE_H
#define HEFT_PROGRAM_MADE_IMAGE_H

#include "base/text.h"
#include "debug/write/dwarf_write.h"
#include "image/build.h"

/* Begins *ret with the sections of `im`, at their indexes and without bytes. It borrows from `im`,
 * and has the bytes of `im` until sections are added. `path` is borrowed. */
void made_image_begin(struct image_build *b, struct image *ret, const struct image *im,
		      const char *path, struct notes *notes);
/* Adds a section with bytes. The bytes of all added sections are in *bytes, which must live as long
 * as the image. */
void made_image_add(struct image_build *b, struct text *bytes, struct str name,
		    const struct text *contents);
/* Likewise adds the sections of DWARF. */
void made_image_add_dwarf(struct image_build *b, struct text *bytes, const struct dwarf_made *d);

#endif
