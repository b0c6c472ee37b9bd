/* diff_job.h - declares what commands that compare two snapshots have in common. */
#pragma once

#include "cli/snapshots.h"

/* Options of diff_opts.inc. A command numbers its own options from O_DIFF_OWN. */
enum diff_option { O_DIFF_DEMANGLE = O_OWN, O_MIN, O_SUPERSIZE, O_DIFF_OWN };

struct diff_job {
	struct snapshot_run open;
	struct heft_diff_query query;
	bool takes_sources;  /* True if --by also accepts data sources */
	const char *sources; /* Data sources of --by. If NULL, the rows come from lists of
			      * symbols. Lists are also used if query.by is HEFT_DIFF_BY_SECTION */
	struct heft_profile *profile;
	const char *save;
	bool exit_code;
	unsigned flags; /* Bits of enum heft_diff_flag */
	struct heft_diff *diff;
};

extern const struct choice diff_sorts[]; /* Values of enum heft_sort */
struct diff_job diff_job_new(const struct cli *cli);
/* Applies an option. False after a message. */
bool diff_apply(void *job, const struct opt *o, const char *value);
/* Writes the diff of two snapshots and frees them. Returns the exit status. `old` is NULL if `now`
 * is a .sizediff file. */
int diff_pair(struct diff_job *job, struct heft_snapshot *old, struct heft_snapshot *now);
