/* row_sources.h - measures a build's rows by data source, regions, budget limits and heap. */
#pragma once

#include "base/arena.h"
#include "cli/cli.h"
#include "history/measures.h"

enum { MEASURED_SOURCES = 16 };

/* The measured rows. To start, set cli and session and zero all other fields. */
struct measured {
	const struct cli *cli;
	struct heft_session *session; /* Borrowed */
	bool verbose;
	VEC(struct measured_row) rows;
	struct arena texts; /* Memory of the rows' texts */
};

void measured_release(struct measured *m);
/* Adds the rows of all levels of a profile by these data sources. False, after a message, if the
 * profile cannot be made. */
bool measure_sources(struct measured *m, const char *const *sources, size_t source_count,
		     const char *const *files, size_t count);
/* Adds the regions of the snapshot, unless the data source "regions" was measured. */
void measure_regions(struct measured *m, const struct heft_snapshot *s);
/* Adds per limit of a budget file: the measured size, the limit, and 1 if it is broken. */
bool measure_budget(struct measured *m, const char *path, const struct heft_snapshot *now,
		    const struct heft_snapshot *base);
/* Adds the heap of a dump or recording, by function and in total. False after a message. */
bool measure_heap(struct measured *m, const char *path);
