/* pe.h - PE32 and PE32+ programs and libraries of Windows and UEFI, and COFF objects, large ones
 * ("bigobj") too (Microsoft's "PE Format").
 *
 * VM addresses of images are the image base + RVA.  Debug sections of MinGW take no VM room here,
 * though a loader maps them: nothing of a run asks for them. */
#ifndef HEFT_IMAGE_PE_PE_H
#define HEFT_IMAGE_PE_PE_H

#include "image/image.h"

/* An image begins with "MZ" and has "PE\0\0" where that says. */
bool pe_matches(struct bytes bytes);
/* False only where the headers are damaged. */
bool pe_parse(struct image *im, const struct image_place *at, struct bytes bytes,
	      struct notes *notes, struct heft_err *err);
/* Objects have no magic: a machine that heft knows, and tables that lie inside. */
bool coff_matches(struct bytes bytes);
bool coff_parse(struct image *im, const struct image_place *at, struct bytes bytes,
		struct notes *notes, struct heft_err *err);

/* A short import object: a name that a library of imports stands for. */
bool import_matches(struct bytes bytes);
bool import_parse(struct image *im, const struct image_place *at, struct bytes bytes,
		  struct notes *notes, struct heft_err *err);

#endif
