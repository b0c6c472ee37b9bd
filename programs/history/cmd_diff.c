/* Implements heft history diff and top: the changes between two builds. */
#include "history/choose.h"
#include "history/commands.h"
#include "history/questions.h"

#include "cli/diff_job.h"

struct builds_job {
	struct diff_job diff;
	struct history_settings settings;
	const char *rows_of; /* Data source whose rows are shown. NULL shows symbols */
	struct history history;
};

#define HISTORY_JOB struct builds_job

const struct opt history_diff_opts[] = {
	{ 0, 0, true, "of", "SOURCE", "rows of this source instead: regions, heap ..",
	  KEEPS(struct builds_job, rows_of) },
#include "history/history_opts.inc"
#include "cli/diff_opts.inc"
#include "cli/last_opts.inc"
};

const char history_diff_manual[] =
	"Tells what changed between two builds of a history, as 'heft diff' of their\n"
	"snapshots.  A build is named by a commit or the start of one, a branch, a date,\n"
	"'#NUMBER', or 'latest'; '~N' behind it is the N-th before.  With --of, what rows\n"
	"changed that builds were added with (heft history add -d regions).\n";

const struct opt history_top_opts[] = {
	{ 0, 0, true, "owners", "FILE", "a CODEOWNERS that says whose sources are whose",
	  KEEPS(struct builds_job, diff.open.components) },
#include "history/history_opts.inc"
#include "cli/diff_opts.inc"
#include "cli/last_opts.inc"
};

const char history_top_manual[] =
	"Tells who grew most from one build of a history to another, the first and the\n"
	"latest where they are not named: by the owners that --owners names, else by the\n"
	"components that builds were added with (heft history add --components), or by\n"
	"what --by says.\n";

static bool diff_rows_write(void *ctx, struct heft_answer *to, struct heft_err *err)
{
	struct builds_job *job = ctx;
	struct history *h = &job->history;
	const struct build *pair[2];
	struct measures m;
	for (size_t i = 0; i < 2; i++) {
		pair[i] = timeline_find(&h->timeline, job->diff.open.run.words[i], err);
		if (!pair[i])
			return false;
	}
	const bool ok = store_measures(&h->store, &m, job->rows_of, pair[0]->id, pair[1]->id,
				       err) &&
			rows_compare(&m, to, err);
	measures_release(&m);
	return ok;
}

static int builds_run(struct builds_job *job)
{
	struct diff_job *d = &job->diff;
	const struct command_run *run = &d->open.run;
	struct heft_snapshot *sides[2];
	if (!run_has_words(run, 2, 2, "two builds") ||
	    !history_open(run->cli, &job->settings, 0, &job->history))
		return EXIT_TROUBLE;
	if (job->rows_of)
		return history_write(run, 20, false, diff_rows_write, job);
	return history_read_pair(run->cli, &job->history, run->words, d->open.components, sides)
		       ? diff_pair(d, sides[0], sides[1])
		       : EXIT_TROUBLE;
}

static int builds_compare(const struct cli *cli, int argc, char **argv, bool top)
{
	static const struct cli_words words = { .option = diff_apply };
	struct builds_job job = { .diff = diff_job_new(cli) };
	struct command_run *run = &job.diff.open.run;
	if (top) {
		job.diff.query.by = HEFT_DIFF_BY_COMPONENT;
		job.diff.query.sort = HEFT_SORT_GROWTH;
	}
	int status = cli_parse_output(&job, argc, argv, &words);
	for (; status == CLI_GO_ON && top && run->word_count < 2; run->word_count++)
		run->words[run->word_count] = run->word_count == 0 ? "first" : "latest";
	if (status == CLI_GO_ON)
		status = builds_run(&job);
	history_close(&job.history);
	run_release(run);
	return status;
}

int cmd_history_top(const struct cli *cli, int argc, char **argv)
{
	return builds_compare(cli, argc, argv, true);
}

int cmd_history_diff(const struct cli *cli, int argc, char **argv)
{
	return builds_compare(cli, argc, argv, false);
}
