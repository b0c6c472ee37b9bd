/* row_sources.h - what is measured of a build beside its symbols: rows of data sources, limits,
 * heaps.
 */
#ifndef HEFT_HISTORY_ROW_SOURCES_H
#define HEFT_HISTORY_ROW_SOURCES_H

#include "base/arena.h"
#include "cli/cli.h"
#include "history/measures.h"

enum { MEASURED_SOURCES = 16 };

/* Zeroed but for cli and session: there are no rows. */
struct measured {
	const struct cli *cli;
	struct heft_session *session; /* borrowed */
	bool verbose;
	VEC(struct measured_row) rows;
	struct arena texts; /* of the rows */
};

void measured_release(struct measured *m);
/* Rows of each level of a profile by these sources; false, and said, where it cannot be made. */
bool measure_sources(struct measured *m, const char *const *sources, size_t source_count,
		     const char *const *files, size_t count);
/* The regions that the snapshot knows, unless sources of that name have been measured. */
void measure_regions(struct measured *m, const struct heft_snapshot *s);
/* The limits of a file: used, limit, and whether it is broken; limits of growth where `base` is
 * there. */
bool measure_budget(struct measured *m, const char *path, const struct heft_snapshot *now,
		    const struct heft_snapshot *base);
/* What a dump or recording holds, by function and as a whole. */
bool measure_heap(struct measured *m, const char *path);

#endif
