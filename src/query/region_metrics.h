/* region_metrics.h - stores in a snapshot how memory regions (flash, RAM) are used.
 *
 * The data are metrics of the containers, so .size files have them: REGION_START/NAME,
 * REGION_SIZE/NAME and REGION_USED/NAME, in bytes, under the program's file name. A size of 0 is
 * unknown. */
#pragma once

#include "map/basemap.h"
#include "snapshot/snapshot.h"

/* True if the regions are stated, or if the program runs where it is stored and copies data from
 * there into memory, as firmware does. */
bool region_metrics_tell(const struct memory_regions *r, const struct image *im);
/* Adds the regions of a base map to a container. */
void region_metrics_add(struct snapshot *s, uint32_t container, const char *file,
			const struct basemap *map);

struct region_metrics {
	uint64_t length, used; /* Bytes, summed over all containers with the region */
	bool known;
};

/* True if a snapshot has regions. */
bool region_metrics_known(const struct snapshot *s);
struct region_metrics region_metrics_find(const struct snapshot *s, const char *name);
/* True if a symbol is in memory, in its container's region of that name. */
bool region_metrics_has(const struct snapshot *s, const char *name, const struct snap_symbol *y);
/* Returns the name of the region if a metric is a region's REGION_SIZE. NULL for other metrics. */
const char *region_metrics_name(const struct snap_metric *m);
