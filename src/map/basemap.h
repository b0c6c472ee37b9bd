/* basemap.h - defines "the binary": the VM ranges of an input, their place in the file, and the
 * size of the file.
 *
 * Linked images: PT_LOADs in order, then PT_TLS outside of them. Objects and archives: the alloc
 * sections at their heft addresses (image.h). If ranges overlap, the last to begin gets the
 * addresses (with memory regions: the first in the file). The file space is [file_begin,
 * file_size), and file_begin is 0 unless the input is a portion of an archive. Immutable after
 * basemap_build.
 *
 * With memory regions (flash, RAM), the VM image is the machine's memory. Bytes that the machine
 * copies at start are at two addresses, and count twice: where they are stored, and where they run.
 * Unused bytes inside a region are "[fill]". The file's bytes belong to the addresses where they
 * are stored. */
#pragma once

#include "image/input.h"
#include "map/space.h"
#include "linkmap/linkmap.h"

struct base_range {
	uint64_t addr, size; /* VM addresses */
	uint64_t off;        /* File offset of the byte at addr */
	uint64_t file_size;  /* Number of bytes from addr that are in the file */
	label_id label;
	/* Address to which the machine copies the bytes at startup. addr if it does not copy them.
	 * The owner of that address also owns the bytes at addr. */
	uint64_t runs_at;
};

struct basemap {
	VEC(struct base_range) ranges; /* Sorted by address */
	uint64_t file_begin, file_size, vm_size;
	struct spans file; /* Labels of the whole file: segments, headers, "[Unmapped]" */
	const struct memory_regions *regions; /* Borrowed, or NULL */
	struct spans region_spans;            /* The label of a span is the index of its region
					       * in `regions` */
	uint64_t *region_ends;                /* Per region: end of its used bytes. 0 if none */
	struct spans thread;                  /* With regions: address ranges of PT_TLS */
};

/* Builds the map of an input. If `regions` is NULL, ignores load addresses (p_paddr). */
void basemap_build(struct basemap *b, const struct input *in, struct labels *labels,
		   const struct memory_regions *regions);
void basemap_release(struct basemap *b);

/* Returns the distance from a region's start to the end of its used bytes. More than the region's
 * length if it overflows. O(regions). */
uint64_t basemap_region_used(const struct basemap *b, size_t region);

/* Returns the address whose owner also owns the byte at addr: the address to which the machine
 * copies the byte at startup. addr if it is not copied. */
uint64_t basemap_runs_at(const struct basemap *b, uint64_t addr);

/* Translates VM spans to the file. If two VM ranges share a file byte, the range with the lower
 * address owns it. */
void basemap_translate(const struct basemap *b, const struct spans *vm, struct spans *ret_file);
/* With regions: basemap_add_copies() gives unowned bytes that the machine copies at startup to the
 * owners of the copies. basemap_add_stored() gives other unowned bytes their ranges' labels. */
void basemap_add_copies(const struct basemap *b, struct spans *vm);
void basemap_add_stored(const struct basemap *b, struct spans *vm);
/* True if the VM ranges of the map cover all of [addr, addr + size). O(log n + ranges covered). */
bool basemap_covers(const struct basemap *b, uint64_t addr, uint64_t size);
/* Removes the parts of spans that are outside of the map's VM ranges. */
void basemap_clip_vm(const struct basemap *b, struct spans *vm);
/* Assert that the spans cover the map's VM image or file, and nothing else. */
void basemap_check_vm(const struct basemap *b, const struct spans *vm);
void basemap_check_file(const struct basemap *b, const struct spans *file);

/* Claims named parts of the file that are outside of sections: ELF's header tables, and parts of an
 * archive that are no image. */
void claim_headers(const struct input *in, struct labels *labels, struct claims *file);

label_id segment_label(struct labels *labels, const struct segment *s);
label_id fill_label(struct labels *labels);

/* Lists the memory regions of a machine: flash, RAM.
 *
 * If regions overlap, bytes belong to the smallest one. A region of unknown length ends with its
 * last contents. Formats: the ld manual, "MEMORY Command"; the memory table of GNU ld's maps. */

struct image;

struct memory_region {
	const char *name;
	uint64_t origin, length; /* First address, and bytes. origin + length does not wrap. */
	bool open;               /* True if the length is not stated: the contents determine it */
};

struct memory_regions {
	VEC(struct memory_region)
	list; /* Regions: at most REGIONS_MAX, none empty, names unique */
	struct arena arena;
};

/* Finds a region by its name. NULL if there is none. */
struct memory_region *regions_find(const struct memory_regions *r, struct str name);
/* Adds a region, or replaces the region of the same name. False if the region is empty or wraps, or
 * if there are REGIONS_MAX regions. */
bool regions_add(struct memory_regions *r, struct str name, uint64_t origin, uint64_t length);
/* Adds the regions of a linker map's memory table. `path` is for notes. */
void regions_of_map(struct memory_regions *r, const struct linkmap *map, const char *path,
		    struct notes *notes);
/* Derives regions from an image, for which no file or option states them. Segments with near
 * addresses in memory or storage form a region. The region's name is its first address. */
void regions_of_segments(struct memory_regions *r, const struct image *im);
void regions_copy(struct memory_regions *r, const struct memory_regions *from);
void regions_release(struct memory_regions *r);
