/* macho.h - parses Mach-O executables, libraries, bundles, kernel extensions, objects and dSYM
 * files, 32 and 64 bit, in both byte orders.
 *
 * Specification: Apple's "OS X ABI Mach-O File Format Reference" and the headers mach-o/loader.h,
 * nlist.h, reloc.h. Comments cite them by the names of their structs. */
#pragma once

#include "image/image.h"

bool macho_matches(struct bytes bytes);
/* Parses a Mach-O file. False only if the header is damaged. */
bool macho_parse(struct image *im, const struct image_place *at, struct bytes bytes,
		 struct notes *notes, struct heft_err *err);
