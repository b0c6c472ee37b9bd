/* Implements heft advise: proposes changes that make a program smaller. */
#include "cli/snapshots.h"

struct advise_job {
	struct snapshot_run open;
	struct heft_advice *advice;
};

const struct opt advise_opts[] = {
#define OUTPUT_ROWS "rows of each level, 0: all (default: 5)"
#include "cli/output_opts.inc"
#include "cli/find_opts.inc"
#include "cli/notes_opts.inc"
};

const char advise_manual[] =
	"Proposes changes that make a program smaller, the largest first: the bytes that\n"
	"each saves in the file, how sure that is, who owns them, what to do, and what it\n"
	"costs.  Proposals overlap, so they do not add up.\n";

static bool advise_write(void *ctx, FILE *to, struct heft_err *err)
{
	const struct advise_job *job = ctx;
	const struct heft_sink sink = output_sink(&job->open.run.out, to);
	return heft_advice_write(job->advice, output_rows(&job->open.run.out, 5),
				 &job->open.run.out.write, &sink, err);
}

static int advise_with(struct advise_job *job, const struct heft_snapshot *s,
		       const struct heft_info *info)
{
	const struct command_run *run = &job->open.run;
	struct heft_err err;
	job->advice = heft_advice_new(s, info, &err);
	if (job->advice == NULL)
		return cli_failed(run->cli, &err);
	const int status = outfile_write(run->cli, run->out.path, advise_write, job);
	const struct heft_table *table = heft_advice_table(job->advice, 1);
	if (table != NULL && table->top->child_count == 0)
		cli_error(run->cli, "%s: nothing to propose was found", run->words[0]);
	return status;
}

static int advise_run(struct advise_job *job)
{
	const struct command_run *run = &job->open.run;
	if (!run_has_words(run, 1, 1, "one program"))
		return EXIT_TROUBLE;
	struct heft_err err;
	struct heft_info *info = cli_made(run->cli, heft_info_new(run->session));
	struct heft_snapshot *s = NULL;
	int status = EXIT_TROUBLE;
	if (heft_info_add(info, run->words[0], &err))
		s = snapshot_open(&job->open, run->words[0]);
	else if (err.code == HEFT_EUNSUPPORTED)
		cli_error(run->cli, "%s: advice is for programs, libraries, objects and archives",
			  run->words[0]);
	else
		cli_failed(run->cli, &err);
	if (s != NULL)
		status = advise_with(job, s, info);
	heft_advice_free(job->advice);
	heft_info_free(info);
	heft_snapshot_free(s);
	return status;
}

int cmd_advise(const struct cli *cli, int argc, char **argv)
{
	struct advise_job job = { .open.run = run_new(cli, list_formats) };
	job.open.flags = HEFT_SNAPSHOT_ALONE | HEFT_SNAPSHOT_CONTENTS;
	int status = cli_parse_output(&job, argc, argv, NULL);
	if (status == CLI_GO_ON)
		status = advise_run(&job);
	run_release(&job.open.run);
	return status;
}
