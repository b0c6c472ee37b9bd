/* Implements heft check: checks limits, or the quality of a snapshot. */
#include "cli/snapshots.h"

struct check_job {
	struct snapshot_run open;
	const char *budget_path, *base_path;
	bool allow_no_base;
	struct heft_budget *budget;
};

const struct opt check_opts[] = {
	{ 0, 0, false, "budget", "FILE", "the limits (format: docs/budgets.md)",
	  KEEPS(struct check_job, budget_path) },
	{ 0, 0, false, "base", "OLD", "what growth is measured against",
	  KEEPS(struct check_job, base_path) },
	{ 0, 0, false, "allow-no-base", NULL, "without --base, pass over limits of growth",
	  SETS(struct check_job, allow_no_base) },
#define OUTPUT_FORMATS      "table|csv|tsv|json|markdown|github"
#define OUTPUT_FORMATS_HELP "table (default), csv, tsv, json, markdown, github"
#define OUTPUT_NO_STACKS
#include "cli/output_opts.inc"
#include "cli/find_opts.inc"
#include "cli/region_opts.inc"
#include "cli/stack_opts.inc"
#include "cli/notes_opts.inc"
};

const char check_manual[] =
	"Holds a program or .size file against limits on its sizes; exits with 1 if one\n"
	"is broken, and names the symbols that did it.  Without --budget, tells what\n"
	"looks wrong in the snapshot itself; exits with 1 if its sums are wrong.\n";

static const struct choice formats[] = { { "table", HEFT_TABLE },   { "text", HEFT_TABLE },
					 { "csv", HEFT_CSV },       { "tsv", HEFT_TSV },
					 { "json", HEFT_JSON },     { "markdown", HEFT_MARKDOWN },
					 { "github", HEFT_GITHUB }, { NULL, 0 } };

static bool write_budget(void *ctx, FILE *to, struct heft_err *err)
{
	const struct check_job *job = ctx;
	const struct heft_sink sink = output_sink(&job->open.run.out, to);
	return heft_budget_write(job->budget, &job->open.run.out.write, &sink, err);
}

static int check_against(struct check_job *job, const struct heft_snapshot *now)
{
	struct heft_snapshot *base = NULL;
	struct heft_err err;
	int status = EXIT_TROUBLE;
	ASSERT(job->budget != NULL && now != NULL);
	if (job->base_path)
		base = snapshot_open(&job->open, job->base_path);
	if (base == NULL && job->base_path)
		return EXIT_TROUBLE;
	if (heft_budget_check(job->budget, now, base, &err))
		status = outfile_write(job->open.run.cli, job->open.run.out.path, write_budget,
				       job);
	else
		cli_error(job->open.run.cli, "%s: %s", job->budget_path, err.text);
	heft_snapshot_free(base);
	if (status != EXIT_FINE)
		return status;
	return budget_verdict(job->open.run.cli, job->budget, job->budget_path, job->allow_no_base);
}

/* Checks the limits. Reads the limits before the program, so that a mistake in them shows early. */
static int run_budget(struct check_job *job)
{
	struct heft_err err;
	int status = EXIT_TROUBLE;
	job->budget = heft_budget_new(job->open.run.session, job->budget_path, &err);
	if (job->budget == NULL)
		return cli_error(job->open.run.cli, "%s", err.text);
	job->open.flags |= heft_budget_flags(job->budget);
	struct heft_snapshot *now = snapshot_open(&job->open, job->open.run.words[0]);
	if (now != NULL)
		status = check_against(job, now);
	heft_snapshot_free(now);
	heft_budget_free(job->budget);
	return status;
}

int cmd_check(const struct cli *cli, int argc, char **argv)
{
	struct check_job job = { .open.run = run_new(cli, formats) };
	const struct command_run *run = &job.open.run;
	int status = cli_parse_output(&job, argc, argv, NULL);
	if (status == CLI_GO_ON && !run_has_words(run, 1, 1, "one file"))
		status = EXIT_TROUBLE;
	if (status == CLI_GO_ON && job.budget_path != NULL) {
		status = run_budget(&job);
	} else if (status == CLI_GO_ON && (job.base_path != NULL || run->out.format_opt != NULL)) {
		status = cli_error(cli, "--base and --format go with --budget");
	} else if (status == CLI_GO_ON) { /* Checks the quality of the snapshot. */
		struct heft_snapshot *s = snapshot_open(&job.open, run->words[0]);
		status = s != NULL ? snapshot_judge(cli, s, run->out.path) : EXIT_TROUBLE;
		heft_snapshot_free(s);
	}
	run_release(&job.open.run);
	return status;
}
