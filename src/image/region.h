/* region.h - lists the memory regions of a machine: flash, RAM.
 *
 * If regions overlap, bytes belong to the smallest one. A region of unknown length ends with its
 * last contents. Formats: the ld manual, "MEMORY Command"; the memory table of GNU ld's maps. */
#ifndef HEFT_IMAGE_REGION_H
#define HEFT_IMAGE_REGION_H

#include "linkmap/linkmap.h"

struct image;

struct memory_region {
	const char *name;
	uint64_t origin, length; /* First address, and bytes. origin + length does not wrap. */
	bool open;               /* True if no source states the length. The contents determine
				  * it */
};

struct memory_regions {
	VEC(struct memory_region)
	list; /* Regions: at most REGIONS_MAX, none empty, names unique */
	struct arena arena;
};

enum { REGIONS_MAX = 1000 };

/* Finds a region by its name. NULL if there is none. */
struct memory_region *regions_find(const struct memory_regions *r, struct str name);
/* Adds a region, or replaces the region of the same name. False if the region is empty or wraps, or
 * if there are REGIONS_MAX regions. */
bool regions_add(struct memory_regions *r, struct str name, uint64_t origin, uint64_t length);
/* Adds the regions of a linker map's memory table. `path` is for notes. */
void regions_of_map(struct memory_regions *r, const struct linkmap *map, const char *path,
		    struct notes *notes);
/* Derives regions from an image, if no source states them. Segments with near addresses in memory
 * or storage form a region. The region's name is its first address. */
void regions_of_segments(struct memory_regions *r, const struct image *im);
void regions_copy(struct memory_regions *r, const struct memory_regions *from);
void regions_release(struct memory_regions *r);

#endif
