/* Implements heft history diff and top: the changes between two builds. */
#include "history/choose.h"
#include "history/commands.h"
#include "history/questions.h"

#include "cli/diff_job.h"

enum { O_ROWS_OF = O_DIFF_OWN, O_OWNERS };

const struct opt history_diff_opts[] = {
	{ O_ROWS_OF, 0, true, "of", "SOURCE", "rows of this source instead: regions, heap .." },
#include "history/history_opts.inc"
#include "cli/diff_opts.inc"
#include "cli/last_opts.inc"
	{ 0 },
};

const char history_diff_manual[] =
	"Tells what changed between two builds of a history, as 'heft diff' of their\n"
	"snapshots.  A build is named by a commit or the start of one, a branch, a date,\n"
	"'#NUMBER', or 'latest'; '~N' behind it is the N-th before.  With --of, what rows\n"
	"changed that builds were added with (heft history add -d regions).\n";

const struct opt history_top_opts[] = {
	{ O_OWNERS, 0, true, "owners", "FILE", "a CODEOWNERS that says whose sources are whose" },
#include "history/history_opts.inc"
#include "cli/diff_opts.inc"
#include "cli/last_opts.inc"
	{ 0 },
};

const char history_top_manual[] =
	"Tells who grew most from one build of a history to another, the first and the\n"
	"latest where they are not named: by the owners that --owners names, else by the\n"
	"components that builds were added with (heft history add --components), or by\n"
	"what --by says.\n";

struct builds_job {
	struct diff_job diff;
	struct history_settings settings;
	const char *rows_of; /* Source whose rows are shown. NULL shows symbols */
	struct history history;
};

static bool cmd_diff_apply(void *ctx, const struct opt *o, const char *value)
{
	struct builds_job *job = ctx;
	const enum output_answer answer = diff_apply(&job->diff, o, value);
	if (answer != OUTPUT_OTHER)
		return answer == OUTPUT_TAKEN;
	if (o->id == O_ROWS_OF)
		job->rows_of = value;
	else if (o->id == O_OWNERS)
		job->diff.settings.components = value;
	else
		return history_apply(&job->settings, o, value);
	return true;
}

static bool cmd_diff_add_operand(void *ctx, const char *word)
{
	return diff_add_operand(&((struct builds_job *)ctx)->diff, word);
}

static bool diff_rows_write(void *ctx, struct heft_answer *to, struct heft_err *err)
{
	struct builds_job *job = ctx;
	struct history *h = &job->history;
	const struct build *pair[2];
	struct measures m;
	for (size_t i = 0; i < 2; i++) {
		pair[i] = timeline_find(&h->timeline, job->diff.operands[i], err);
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
	struct heft_snapshot *sides[2];
	if (d->operand_count != 2)
		return cli_error(d->cli, "must specify two builds; try '%s --help'", d->cli->usage);
	if (!history_open(d->cli, &job->settings, 0, &job->history))
		return EXIT_TROUBLE;
	if (job->rows_of)
		return history_write(d->cli, &d->out, 20, false, diff_rows_write, job);
	return history_read_pair(d->cli, &job->history, d->operands, d->settings.components, sides)
		       ? diff_pair(d, sides[0], sides[1])
		       : EXIT_TROUBLE;
}

static int builds_compare(const struct cli *cli, int argc, char **argv, bool top)
{
	static const struct cli_words words = { cmd_diff_apply, cmd_diff_add_operand };
	struct builds_job job = { .rows_of = NULL };
	diff_job_init(&job.diff, cli);
	if (top) {
		job.diff.query.by = HEFT_DIFF_BY_COMPONENT;
		job.diff.query.sort = HEFT_SORT_GROWTH;
	}
	int status = cli_parse(cli, argc, argv, &words, &job);
	if (status == CLI_GO_ON && !output_settle(&job.diff.out, cli))
		status = EXIT_TROUBLE;
	for (struct diff_job *d = &job.diff; top && d->operand_count < 2; d->operand_count++)
		d->operands[d->operand_count] = d->operand_count == 0 ? "first" : "latest";
	if (status == CLI_GO_ON)
		status = builds_run(&job);
	history_close(&job.history);
	diff_job_release(&job.diff);
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
