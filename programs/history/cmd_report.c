/* Implements heft history log, blame, bisect and trend: reports about the builds of a history. */
#include "history/choose.h"
#include "history/commands.h"
#include "history/git.h"
#include "history/questions.h"
#include "history/trend.h"

#include <string.h>

enum { O_LIMIT = O_OWN };

#define OF_HELP "not the file: vm, a section, source, symbol .."

struct report_job {
	struct history_run h;
	const char *of;    /* Name of a size, as for series_make(). NULL means the file */
	const char *until; /* Last build. NULL means the latest */
	uint64_t limit;    /* Size in bytes whose date the trend forecasts. 0 if there is no
			    * limit */
	size_t builds;     /* Number of builds of the trend */
	struct steps steps;
};

const struct opt history_log_opts[] = {
	{ 0, 0, true, "of", "NAME", OF_HELP, KEEPS(struct report_job, of) },
	{ 0, 0, false, "until", "BUILD", "only builds up to this one",
	  KEEPS(struct report_job, until) },
#include "history/history_opts.inc"
#define OUTPUT_ROWS "builds, the latest first, 0: all (20)"
#include "cli/output_opts.inc"
#include "cli/last_opts.inc"
};

const struct opt history_blame_opts[] = {
#include "history/history_opts.inc"
#define OUTPUT_ROWS "builds, the latest first, 0: all (20)"
#include "cli/output_opts.inc"
#include "cli/last_opts.inc"
};

const struct opt history_bisect_opts[] = {
	{ 0, 0, true, "of", "NAME", OF_HELP, KEEPS(struct report_job, of) },
#include "history/history_opts.inc"
#define OUTPUT_ROWS "steps, the largest first, 0: all (20)"
#include "cli/output_opts.inc"
#include "cli/last_opts.inc"
};

const struct opt history_trend_opts[] = {
	{ 0, 0, true, "of", "NAME", OF_HELP, KEEPS(struct report_job, of) },
	{ O_LIMIT, 0, true, "limit", "BYTES", "when it will be so large: 1200K, 3M" },
#include "history/history_opts.inc"
#define OUTPUT_ROWS "changes of level, the latest first, 0: all (20)"
#include "cli/output_opts.inc"
#include "cli/last_opts.inc"
};

const char history_log_manual[] =
	"Lists the builds of a history, the latest first: size of the file, its change\n"
	"from the build before of the same product, configuration and branch, and the\n"
	"course of the last ten sizes.\n";

const char history_blame_manual[] =
	"Tells which builds made something the size it is: NAME is a symbol, source,\n"
	"object, component or section, or all below a folder: 'src/net/'.  The end of a\n"
	"path is enough where one path alone ends so.  Where several are called so, the\n"
	"kind stands in front: 'symbol:main'.\n";

const char history_bisect_manual[] =
	"Tells the steps that explain a growth from one build to another, the largest\n"
	"first, and which commit to build next where the largest step hides several.\n"
	"Builds are named as for 'heft history diff'.\n";

const char history_trend_manual[] =
	"Tells where a size is going: its slope by builds and days, when it reaches a\n"
	"limit, and in which builds its level changed, apart from noise.\n";

static bool report_apply(void *ctx, const struct opt *o, const char *value)
{
	struct report_job *job = ctx;
	if (o->id == O_LIMIT)
		return cli_size(job->h.run.cli, o, value, UINT64_MAX, &job->limit);
	return run_apply(job, o, value);
}

static bool report_series(struct report_job *job, const char *of, struct series *ret,
			  struct heft_err *err)
{
	struct history *h = &job->h.history;
	return series_make(ret, &h->store, &h->timeline, of ? of : "file", err);
}

static bool log_put(void *ctx, struct heft_answer *to, struct heft_err *err)
{
	struct report_job *job = ctx;
	struct timeline *t = &job->h.history.timeline;
	struct series series;
	const struct build *last = job->until ? timeline_find(t, job->until, err) : NULL;
	if (job->until && !last)
		return false;
	if (last)
		t->list.count = timeline_place(t, last) + 1;
	if (!job->of)
		return log_write(t, NULL, to, err);
	if (!report_series(job, job->of, &series, err))
		return false;
	const bool ok = log_write(t, &series, to, err);
	series_release(&series);
	return ok;
}

static bool blame_put(void *ctx, struct heft_answer *to, struct heft_err *err)
{
	struct report_job *job = ctx;
	struct series series;
	if (!report_series(job, job->h.run.words[0], &series, err))
		return false;
	steps_make(&job->steps, &series);
	series_release(&series);
	return steps_write(&job->steps, to, err);
}

static bool bisect_put(void *ctx, struct heft_answer *to, struct heft_err *err)
{
	struct report_job *job = ctx;
	struct series series;
	const struct build *pair[2];
	if (!report_series(job, job->of, &series, err))
		return false;
	bool ok = true;
	for (size_t i = 0; i < COUNT_OF(pair) && ok; i++) {
		pair[i] = timeline_find(&job->h.history.timeline, job->h.run.words[i], err);
		ok = pair[i] != NULL;
	}
	ok = ok && steps_between(&job->steps, &series, pair[0], pair[1], err) &&
	     steps_write(&job->steps, to, err);
	series_release(&series);
	return ok;
}

/* True if tables are written to the standard output. Then sentences may follow them. */
static bool is_for_people(const struct report_job *job)
{
	return !job->h.run.out.path && job->h.run.out.write.format == HEFT_TABLE;
}

static bool trend_put(void *ctx, struct heft_answer *to, struct heft_err *err)
{
	struct report_job *job = ctx;
	struct series series;
	if (!report_series(job, job->of, &series, err))
		return false;
	job->builds = series.values.count;
	const bool ok = trend_write(&series, job->limit, is_for_people(job), to, err);
	series_release(&series);
	return ok;
}

/* Prints the commit to build next, one between the builds of a step. False if git knows none. */
static bool gap_tell(const struct step *step)
{
	char range[200], count[40], next[80];
	const char *before = step->before->facts.commit, *after = step->build->facts.commit;
	snprintf(range, sizeof range, "%s..%s", before, after);
	const char *const how_many[] = { "git", "rev-list", "--count", "--end-of-options",
					 range, NULL };
	const char *const middle[] = { "git", "rev-list", "--bisect", "--end-of-options",
				       range, NULL };
	if (!git_line(how_many, count, sizeof count) || strcmp(count, "1") == 0 ||
	    !git_line(middle, next, sizeof next) || strcmp(next, after) == 0)
		return false;
	printf("\nThe step to %.12s is of %s commits; build %.12s next.\n", after, count, next);
	return true;
}

static void gaps_tell(const struct report_job *job)
{
	for (size_t i = 0; i < job->steps.list.count; i++)
		if (job->steps.list.data[i].apart && gap_tell(&job->steps.list.data[i]))
			return;
}

/* Runs a command that takes `operands` operands. `put` writes its rows. Returns the exit status. */
static int report_run(const struct cli *cli, int argc, char **argv, size_t operands,
		      bool (*put)(void *ctx, struct heft_answer *to, struct heft_err *err))
{
	static const struct cli_words words = { .option = report_apply };
	struct report_job job = { .h.run = { .cli = cli } };
	output_init(&job.h.run.out, list_formats);
	int status = cli_parse_output(&job, argc, argv, &words);
	if (status == CLI_GO_ON && job.h.run.word_count != operands)
		status = cli_error(cli, "must be called as: %s %s", cli->usage,
				   cli->command->operands);
	if (status == CLI_GO_ON)
		status = history_run_open(&job.h, 0)
				 ? history_write(&job.h.run, 20, false, put, &job)
				 : EXIT_TROUBLE;
	const bool told = status == EXIT_FINE && is_for_people(&job);
	if (told && steps_change(&job.steps) != 0)
		printf("\nShares are of %+.0f, the change of all steps together.\n",
		       steps_change(&job.steps));
	if (put == bisect_put && told)
		gaps_tell(&job);
	if (put == trend_put && told && job.builds > 0 && job.builds < TREND_LEAST)
		printf("\nNoise, levels and the date of a limit are known from %d builds on.\n",
		       TREND_LEAST);
	steps_release(&job.steps);
	history_run_release(&job.h);
	return status;
}

int cmd_history_log(const struct cli *cli, int argc, char **argv)
{
	return report_run(cli, argc, argv, 0, log_put);
}

int cmd_history_blame(const struct cli *cli, int argc, char **argv)
{
	return report_run(cli, argc, argv, 1, blame_put);
}

int cmd_history_bisect(const struct cli *cli, int argc, char **argv)
{
	return report_run(cli, argc, argv, 2, bisect_put);
}

int cmd_history_trend(const struct cli *cli, int argc, char **argv)
{
	return report_run(cli, argc, argv, 0, trend_put);
}
