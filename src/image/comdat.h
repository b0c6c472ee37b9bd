/* comdat.h - lists the parts of an ELF object of which a linker keeps one copy for all objects:
 * section groups with GRP_COMDAT (gABI, "Section Groups") and sections .gnu.linkonce. */
#pragma once

#include "image/image.h"

struct comdat {
	struct str name; /* Signature. Of all groups with this signature, the linker keeps one. */
	uint64_t off;    /* Offset in the image of the group section or .gnu.linkonce section */
	uint64_t size;   /* Bytes of the sections in the file */
};

/* Finds the next COMDAT group or .gnu.linkonce section from section *at on, and moves *at after it.
 * False if there is none. *at is 1 at first. */
bool comdat_next(const struct image *im, size_t *at, struct comdat *ret);
