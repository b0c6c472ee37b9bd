/* shares.h - counts the bytes of the file and of the VM image that each section has.
 *
 * If sections overlap, the first in the table owns the bytes. Sections and other bytes add up to
 * the size of the file (or, in an archive, of the object). In memory they add up to the size of the
 * VM image. O(n log n) in sections and segments. */
#pragma once

#include "source/source.h"

struct share_of_section {
	uint64_t file, vm; /* Bytes in the file and in the VM image */
};

struct shares {
	struct share_of_section *sections; /* Per section of the image, by index */
	/* Bytes outside of sections: in the file only, in both, in the VM image only. */
	uint64_t file_only, loaded, memory_only;
};

/* Counts the shares of an image. `map` is the base map of its input. */
void shares_find(struct shares *ret, const struct basemap *map, const struct image *im);
void shares_release(struct shares *s);
