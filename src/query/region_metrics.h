/* region_metrics.h - what a snapshot knows of memory regions: flash, RAM.
 *
 * They are metrics of its containers, so that .size files keep them: REGION_START/NAME,
 * REGION_SIZE/NAME and REGION_USED/NAME, in bytes, under the name of the program's file. */
#ifndef HEFT_QUERY_REGION_METRICS_H
#define HEFT_QUERY_REGION_METRICS_H

#include "map/basemap.h"
#include "snapshot/snapshot.h"

/* Adds the regions of a base map, whose lengths somebody stated, to a container. */
void region_metrics_add(struct snapshot *s, uint32_t container, const char *file,
			const struct basemap *map);

struct region_metrics {
	uint64_t length, used; /* bytes; those of all containers that have the region */
	bool known;
};

struct region_metrics region_metrics_find(const struct snapshot *s, const char *name);
/* Whether a symbol is in memory and lies in the region of that name of its container. */
bool region_metrics_has(const struct snapshot *s, const char *name, const struct snap_symbol *y);
/* The name of the region that a metric is about; NULL: of none.  Each region has one such. */
const char *region_metrics_name(const struct snap_metric *m);

#endif
