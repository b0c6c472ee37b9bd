/* basemap.h - what counts as "the binary": the VM ranges of an input, how they translate
 * to the file, and the size of the file.
 *
 * Linked images: PT_LOADs in order, then PT_TLS where no PT_LOAD is.  Objects and archives:
 * the alloc sections at their heft addresses (image.h).  First come, first served: VM ranges
 * do not overlap.  The file space is [0, file_size).  Immutable after basemap_build. */
#ifndef HEFT_MAP_BASEMAP_H
#define HEFT_MAP_BASEMAP_H

#include "image/input.h"
#include "map/space.h"

struct base_range {
	uint64_t addr, size; /* VM */
	uint64_t off;        /* in the input file, of the byte at addr */
	uint64_t file_size;  /* bytes from the start of the range that the file holds, <= size */
	label_id label;
};

struct basemap {
	VEC(struct base_range) ranges; /* sorted by addr */
	uint64_t file_size, vm_size;
	struct spans file; /* labels of the whole file: segments, headers, [Unmapped] */
};

void basemap_build(struct basemap *b, const struct input *in, struct labels *labels);
void basemap_release(struct basemap *b);

/* The VM spans as file spans.  A file byte that two VM ranges share goes to the lower one. */
void basemap_translate(const struct basemap *b, const struct spans *vm, struct spans *ret_file);
/* Cuts spans to the VM ranges of the map. */
void basemap_clip_vm(const struct basemap *b, struct spans *vm);
/* Break the process (ASSERT) unless the spans cover the map's space exactly. */
void basemap_check_vm(const struct basemap *b, const struct spans *vm);
void basemap_check_file(const struct basemap *b, const struct spans *file);

/* What has a name of its own in the file but belongs to no section: the ELF header tables
 * and the parts of an archive that are no image. */
void claim_headers(const struct input *in, struct labels *labels, struct claims *file);

/* "LOAD #2 [RX]", for printf. */
#define SEGMENT_FMT    "LOAD #%" PRIu32 " [%s%s%s]"
#define SEGMENT_ARG(s) (s)->index, (s)->read ? "R" : "", (s)->write ? "W" : "", (s)->exec ? "X" : ""
label_id segment_label(struct labels *labels, const struct segment *s);
/* "Section [AX]" */
label_id section_kind_label(struct labels *labels, const struct section *s);

#endif
