/* region_metrics.h - keeps what a snapshot knows about memory regions: flash, RAM.
 *
 * The data are metrics of the containers, so that .size files keep them: REGION_START/NAME,
 * REGION_SIZE/NAME and REGION_USED/NAME, in bytes, under the name of the program's file. */
#ifndef HEFT_QUERY_REGION_METRICS_H
#define HEFT_QUERY_REGION_METRICS_H

#include "map/basemap.h"
#include "snapshot/snapshot.h"

/* Adds the regions of a base map with stated lengths to a container. */
void region_metrics_add(struct snapshot *s, uint32_t container, const char *file,
			const struct basemap *map);

struct region_metrics {
	uint64_t length, used; /* Bytes, summed over all containers that have the region. */
	bool known;
};

struct region_metrics region_metrics_find(const struct snapshot *s, const char *name);
/* True if a symbol is in memory and lies in its container's region of that name. */
bool region_metrics_has(const struct snapshot *s, const char *name, const struct snap_symbol *y);
/* Returns the name of the metric's region, for one of the metrics that each region has. NULL for
 * all others. */
const char *region_metrics_name(const struct snap_metric *m);

#endif
