/* region_sums.h - sums up memory regions (flash, RAM) of several inputs by name: their size, used
 * and free bytes. All zero: none. One thread. */
#pragma once

#include "base/arena.h"
#include "map/basemap.h"

struct region_sum {
	const char *name;
	uint64_t origin;       /* Start of the region in the first input that has it */
	uint64_t length, used; /* Bytes of the region, and its used bytes */
	bool open;             /* True if no input states the length */
};

struct region_sums {
	VEC(struct region_sum) list;
};

/* Adds the regions of a base map. `arena` keeps their names. */
void region_sums_add(struct region_sums *r, const struct basemap *map, struct arena *arena);
const struct region_sum *region_sums_find(const struct region_sums *r, const char *name);

enum { REGION_LENGTH, REGION_FREE, REGION_PERCENT, REGION_TEXTS };
extern const struct heft_text region_texts[REGION_TEXTS];
/* Returns the texts for a region's row, in the arena. NULL if there is no region with that label,
 * or if its length is unknown. */
const char *const *region_texts_of(const struct region_sums *r, const char *label,
				   struct arena *arena);

/* Adds notes about the regions of a map: bytes that overflow, the sections beyond a region's end,
 * sections in no region, overlapping regions. `im` may be NULL. The map must have regions. */
void note_regions(const char *path, const struct image *im, const struct basemap *map,
		  struct notes *notes);
