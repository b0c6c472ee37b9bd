/* region.h - the memory regions of a machine: flash, RAM.
 *
 * Regions may overlap: what several hold belongs to the smallest.  A region
 * of unknown length is as long as what is in it.
 *
 * Formats: the ld manual, "MEMORY Command"; the memory table of GNU ld's maps. */
#ifndef HEFT_IMAGE_REGION_H
#define HEFT_IMAGE_REGION_H

#include "image/linkmap/linkmap.h"

struct image;

struct memory_region {
	const char *name;
	uint64_t origin, length; /* bytes; origin + length does not wrap */
	bool open;               /* its length is that of its contents: nobody stated one */
};

struct memory_regions {
	VEC(struct memory_region) list; /* at most REGIONS_MAX, no empty one, no name twice */
	struct arena arena;
};

enum { REGIONS_MAX = 1000 };

/* NULL where there is none of that name. */
struct memory_region *regions_find(const struct memory_regions *r, struct str name);
/* Adds a region; one of that name that is there already is replaced.  False where it is empty or
 * wraps, or there are too many. */
bool regions_add(struct memory_regions *r, struct str name, uint64_t origin, uint64_t length);
/* Those of the memory table of a map; `path` is for notes. */
void regions_of_map(struct memory_regions *r, const struct linkmap *map, const char *path,
		    struct notes *notes);
/* Where nobody says what regions there are: runs of what is loaded or stored close together, named
 * by their first address. */
void regions_of_segments(struct memory_regions *r, const struct image *im);
void regions_copy(struct memory_regions *r, const struct memory_regions *from);
void regions_release(struct memory_regions *r);

#endif
