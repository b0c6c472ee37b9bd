/* Implements heft diff: compares two snapshots. */
#include "cli/diff_job.h"

enum { O_STACKS = O_DIFF_OWN };

const struct opt diff_opts[] = {
#include "cli/diff_opts.inc"
	{ O_STACKS, 0, false, "stacks", NULL, "stacks of functions too, and whose changed" },
#include "cli/find_opts.inc"
#include "cli/stack_opts.inc"
	{ O_VERBOSE, 'v', false, NULL, NULL, "notes with offsets" },
#include "cli/last_opts.inc"
	{ 0 },
};

const char diff_manual[] =
	"Tells what changed between two programs or .size files, symbol by symbol.\n"
	"Rows show charged bytes, as 'heft size' counts them.  A .sizediff file may\n"
	"stand for both.\n";

static bool cli_diff_apply(void *ctx, const struct opt *o, const char *value)
{
	struct diff_job *job = ctx;
	const enum output_answer answer = diff_apply(job, o, value);
	if (answer != OUTPUT_OTHER)
		return answer == OUTPUT_TAKEN;
	if (o->id == O_STACKS)
		job->settings.flags |= HEFT_SNAPSHOT_STACKS;
	else if (o->id == O_VERBOSE)
		job->settings.verbose = true;
	return cli_find(job->cli, job->settings.session, o, value);
}

static bool cli_diff_add_operand(void *ctx, const char *word)
{
	return diff_add_operand(ctx, word);
}

static int diff_run(struct diff_job *job)
{
	struct heft_snapshot *old = NULL, *now = NULL;
	ASSERT(job->diff == NULL);
	if (job->operand_count == 0 || job->operand_count > 2)
		return cli_error(job->cli,
				 "must specify two files, or a .sizediff file; try '%s --help'",
				 job->cli->usage);
	if (job->operand_count == 1)
		now = snapshot_open(job->cli, &job->settings, job->operands[0]);
	else
		(void)snapshot_open_pair(job->cli, &job->settings, job->operands, &old, &now);
	return now ? diff_pair(job, old, now) : EXIT_TROUBLE;
}

int cmd_diff(const struct cli *cli, int argc, char **argv)
{
	static const struct cli_words words = { cli_diff_apply, cli_diff_add_operand };
	struct diff_job job;
	diff_job_init(&job, cli);
	int status = cli_parse(cli, argc, argv, &words, &job);
	if (status == CLI_GO_ON && !output_settle(&job.out, cli))
		status = EXIT_TROUBLE;
	if (status == CLI_GO_ON)
		status = diff_run(&job);
	diff_job_release(&job);
	return status;
}
