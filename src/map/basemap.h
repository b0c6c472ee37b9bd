/* basemap.h - what counts as "the binary": the VM ranges of an input, how they translate
 * to the file, and the size of the file.
 *
 * Linked images: PT_LOADs in order, then PT_TLS where no PT_LOAD is.  Objects and archives:
 * the alloc sections at their heft addresses (image.h).  First come, first served: VM ranges
 * do not overlap.  The file space is [0, file_size).  Immutable after basemap_build.
 *
 * With regions the VM image is the memory of the machine: what is stored at other addresses than
 * it runs at is in it twice, and what lies between the contents of a region is fill.  The bytes of
 * the file are then those at the addresses where they are stored. */
#ifndef HEFT_MAP_BASEMAP_H
#define HEFT_MAP_BASEMAP_H

#include "image/input.h"
#include "image/region.h"
#include "map/space.h"

struct base_range {
	uint64_t addr, size; /* VM */
	uint64_t off;        /* in the input file, of the byte at addr */
	uint64_t file_size;  /* bytes from the start of the range that the file holds, <= size */
	label_id label;
	/* The address whose owner has the bytes at addr: another where they are stored to be copied
	 * there when the machine starts. */
	uint64_t runs_at;
};

struct basemap {
	VEC(struct base_range) ranges; /* sorted by addr */
	uint64_t file_size, vm_size;
	struct spans file; /* labels of the whole file: segments, headers, [Unmapped] */
	const struct memory_regions *regions; /* borrowed, or NULL */
	struct spans region_spans;            /* a label is an index of `regions` */
	uint64_t *region_ends; /* by region: the end of what is in it; 0: nothing is */
	struct spans thread;   /* with regions: of PT_TLS */
};

/* `regions` NULL: addresses where bytes are stored do not matter. */
void basemap_build(struct basemap *b, const struct input *in, struct labels *labels,
		   const struct memory_regions *regions);
void basemap_release(struct basemap *b);

/* Bytes of a region up to the last one that is used; more than its length where that is beyond it.
 * O(regions). */
uint64_t basemap_region_used(const struct basemap *b, size_t region);

/* The address whose owner has the byte at addr: addr itself but for what is stored elsewhere. */
uint64_t basemap_runs_at(const struct basemap *b, uint64_t addr);

/* The VM spans as file spans.  A file byte that two VM ranges share goes to the lower one. */
void basemap_translate(const struct basemap *b, const struct spans *vm, struct spans *ret_file);
/* With regions: adds owners of what is stored, where the spans have none: those of the addresses
 * that it runs at.  The second makes the spans whole by the labels of the ranges. */
void basemap_add_copies(const struct basemap *b, struct spans *vm);
void basemap_add_stored(const struct basemap *b, struct spans *vm);
/* Cuts spans to the VM ranges of the map. */
void basemap_clip_vm(const struct basemap *b, struct spans *vm);
/* Break the process (ASSERT) unless the spans cover the map's space exactly. */
void basemap_check_vm(const struct basemap *b, const struct spans *vm);
void basemap_check_file(const struct basemap *b, const struct spans *file);

/* What has a name of its own in the file but belongs to no section: the ELF header tables
 * and the parts of an archive that are no image. */
void claim_headers(const struct input *in, struct labels *labels, struct claims *file);

label_id segment_label(struct labels *labels, const struct segment *s);
/* "[fill]": with regions, what lies between the contents of one. */
label_id fill_label(struct labels *labels);

#endif
