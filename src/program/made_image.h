/* made_image.h - images that stand beside a program as its separate debug file would: what is not
 * in an object file's form is made one. */
#ifndef HEFT_PROGRAM_MADE_IMAGE_H
#define HEFT_PROGRAM_MADE_IMAGE_H

#include "base/text.h"
#include "image/build.h"

/* Begins *ret, with the sections of `im` at their numbers and without bytes.  It borrows from `im`,
 * whose bytes it has until sections are added.  `path` is borrowed. */
void made_image_begin(struct image_build *b, struct image *ret, const struct image *im,
		      const char *path, struct notes *notes);
/* Adds a section that has bytes.  All of them are kept in *bytes, which has to stay as long as the
 * image. */
void made_image_add(struct image_build *b, struct text *bytes, struct str name,
		    const struct text *contents);

#endif
