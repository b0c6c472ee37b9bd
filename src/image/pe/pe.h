/* pe.h - parses PE32 and PE32+ programs and libraries of Windows and UEFI, and COFF objects,
 * including large ones ("bigobj").
 *
 * Specification: Microsoft's "PE Format". VM addresses of images are image base + RVA. MinGW's
 * debug sections take no memory in the image. A loader maps them, but no run needs them. */
#pragma once

#include "image/image.h"

/* True if an image begins with "MZ" and has "PE\0\0" at the offset stated there. */
bool pe_matches(struct bytes bytes);
/* Parses an image. False only if the headers are damaged. */
bool pe_parse(struct image *im, const struct image_place *at, struct bytes bytes,
	      struct notes *notes, struct heft_err *err);
/* True if the bytes can be a COFF object. Objects have no magic, so heft must know the machine, and
 * the tables must be inside the file. */
bool coff_matches(struct bytes bytes);
/* Like coff_matches(), for the first bytes of an object. The tables may be after them. */
bool coff_begins(struct bytes bytes);
bool coff_parse(struct image *im, const struct image_place *at, struct bytes bytes,
		struct notes *notes, struct heft_err *err);

/* True for a short import object: one symbol of an import library. */
bool import_matches(struct bytes bytes);
bool import_parse(struct image *im, const struct image_place *at, struct bytes bytes,
		  struct notes *notes, struct heft_err *err);
