/* region_sums.h - memory regions of several inputs: how large they are, and what is left.
 *
 * Those of one name are added up.  Zeroed = empty.  One thread. */
#ifndef HEFT_SOURCE_REGION_SUMS_H
#define HEFT_SOURCE_REGION_SUMS_H

#include "base/arena.h"
#include "map/basemap.h"

struct region_sum {
	const char *name;
	uint64_t origin;       /* of the first input that has it */
	uint64_t length, used; /* bytes */
	bool open;             /* nobody stated a length */
};

struct region_sums {
	VEC(struct region_sum) list;
	struct arena arena;
};

/* Adds those of a base map, which may have none. */
void region_sums_add(struct region_sums *r, const struct basemap *map);
/* NULL where there is none of that name. */
const struct region_sum *region_sums_find(const struct region_sums *r, const char *name);
void region_sums_release(struct region_sums *r);

enum { REGION_LENGTH, REGION_FREE, REGION_PERCENT, REGION_TEXTS };
extern const struct heft_text region_texts[REGION_TEXTS];
/* The texts of the region with a label; NULL: it is none, or nobody knows its length.  In the
 * arena. */
const char *const *region_texts_of(const struct region_sums *r, const char *label,
				   struct arena *arena);

/* Notes that tell by how much regions of the map are too small and which sections are beyond their
 * ends, which sections are in none, and which regions overlap.  `im` may be NULL. */
void note_regions(const char *path, const struct image *im, const struct basemap *map,
		  struct notes *notes);

#endif
