/* shares.h - how many bytes of the file and of the VM image each section of an image has.
 *
 * No byte is counted twice: where sections overlap, the one that stands first in the table has it.
 * So the shares and the rest add up to the size of the file (of an object in an archive: to its
 * own) and, with the rest that is in memory alone, to the size of the VM image. O(n log n) in
 * sections and segments. */
#ifndef HEFT_SNAPSHOT_SHARES_H
#define HEFT_SNAPSHOT_SHARES_H

#include "source/source.h"

struct share_of_section {
	uint64_t file, vm; /* bytes */
};

struct shares {
	struct share_of_section *sections; /* by index */
	/* Bytes of no section: in the file alone, in both, in the VM image alone. */
	uint64_t file_only, loaded, memory_only;
};

/* `map` is the base map of the input that the image is of. */
void shares_find(struct shares *ret, const struct basemap *map, const struct image *im);
void shares_release(struct shares *s);

#endif
