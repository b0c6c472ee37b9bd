/* diff_job.h - declares what the commands share that compare two snapshots. */
#ifndef HEFT_CLI_DIFF_JOB_H
#define HEFT_CLI_DIFF_JOB_H

#include "cli/output.h"
#include "cli/snapshots.h"

/* Options of diff_opts.inc. A command numbers its own options from O_DIFF_OWN. */
enum diff_option {
	O_SECTION = O_OWN,
	O_DIFF_DEMANGLE,
	O_DEBUG,
	O_MIN,
	O_SAVE,
	O_EXIT_CODE,
	O_SUPERSIZE,
	O_DIFF_OWN,
};

struct diff_job {
	const struct cli *cli;
	struct snapshot_settings settings;
	struct heft_diff_query query;
	struct output out;
	bool takes_sources;  /* True if --by may name data sources */
	const char *sources; /* Data sources of --by. If NULL, the rows come from lists of
			      * symbols. Lists are also used if query.by is HEFT_DIFF_BY_SECTION */
	struct heft_profile *profile;
	const char *save;
	const char *operands[2];
	size_t operand_count; /* May be more than two */
	bool exit_code;
	unsigned flags; /* Bits of enum heft_diff_flag */
	struct heft_diff *diff;
};

void diff_job_init(struct diff_job *job, const struct cli *cli);
void diff_job_release(struct diff_job *job);
/* Handle an option of diff_opts.inc, and an operand. */
enum output_answer diff_apply(struct diff_job *job, const struct opt *o, const char *value);
bool diff_add_operand(struct diff_job *job, const char *word);
/* Writes the diff of two snapshots and frees them. Returns the exit status. `old` is NULL if `now`
 * is a .sizediff file. */
int diff_pair(struct diff_job *job, struct heft_snapshot *old, struct heft_snapshot *now);

#endif
