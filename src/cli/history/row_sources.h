/* row_sources.h - what is measured of a build beside its symbols: rows of data sources, limits,
 * heaps.
 *
 * Texts of the rows are copies. */
#ifndef HEFT_CLI_HISTORY_ROW_SOURCES_H
#define HEFT_CLI_HISTORY_ROW_SOURCES_H

#include "cli/cli.h"

enum { MEASURED_SOURCES = 16 };

/* Zeroed but for cli and finder: there are no rows. */
struct measured {
	const struct cli *cli;
	struct heft_finder *finder; /* borrowed */
	bool verbose;
	struct heft_history_row *rows;
	size_t count, room;
	bool failed; /* out of memory, and said */
};

void measured_release(struct measured *m);
/* Rows of each level of a profile by these sources; false, and said, where it cannot be made. */
bool measure_sources(struct measured *m, const char *const *sources, size_t source_count,
		     const char *const *files, size_t count);
/* The limits of a file: used, limit, and whether it is broken; limits of growth where `base` is
 * there. */
bool measure_budget(struct measured *m, const char *path, const struct heft_snapshot *now,
		    const struct heft_snapshot *base);
/* What a dump or recording holds, by function and as a whole. */
bool measure_heap(struct measured *m, const char *path);

#endif
