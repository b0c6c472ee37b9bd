/* heft history log, blame, bisect, trend: what is told about builds that are kept. */
#include "cli/history/choose.h"
#include "cli/history/git.h"
#include "cli/output.h"

#include <string.h>

enum { O_OF = O_OWN, O_LIMIT };

#define HISTORY_FORMATS      "table|csv|tsv|json|markdown"
#define HISTORY_FORMATS_HELP "table (default), csv, tsv, json, markdown"

#define OF_HELP "not the file: vm, a section, source, symbol .."

const struct opt history_log_opts[] = {
	{ O_OF, 0, true, "of", "NAME", OF_HELP },
#include "cli/history/history_opts.inc"
#define OUTPUT_ROWS         "builds, the latest first, 0: all (20)"
#define OUTPUT_FORMATS      HISTORY_FORMATS
#define OUTPUT_FORMATS_HELP HISTORY_FORMATS_HELP
#define OUTPUT_NO_STACKS
#include "cli/output_opts.inc"
#include "cli/last_opts.inc"
	{ 0 },
};

const struct opt history_blame_opts[] = {
#include "cli/history/history_opts.inc"
#define OUTPUT_ROWS         "builds, the latest first, 0: all (20)"
#define OUTPUT_FORMATS      HISTORY_FORMATS
#define OUTPUT_FORMATS_HELP HISTORY_FORMATS_HELP
#define OUTPUT_NO_STACKS
#include "cli/output_opts.inc"
#include "cli/last_opts.inc"
	{ 0 },
};

const struct opt history_bisect_opts[] = {
	{ O_OF, 0, true, "of", "NAME", OF_HELP },
#include "cli/history/history_opts.inc"
#define OUTPUT_ROWS         "steps, the largest first, 0: all (20)"
#define OUTPUT_FORMATS      HISTORY_FORMATS
#define OUTPUT_FORMATS_HELP HISTORY_FORMATS_HELP
#define OUTPUT_NO_STACKS
#include "cli/output_opts.inc"
#include "cli/last_opts.inc"
	{ 0 },
};

const struct opt history_trend_opts[] = {
	{ O_OF, 0, true, "of", "NAME", OF_HELP },
	{ O_LIMIT, 0, true, "limit", "BYTES", "when it will be so large: 1200K, 3M" },
#include "cli/history/history_opts.inc"
#define OUTPUT_ROWS         "changes of level, the latest first, 0: all (20)"
#define OUTPUT_FORMATS      HISTORY_FORMATS
#define OUTPUT_FORMATS_HELP HISTORY_FORMATS_HELP
#define OUTPUT_NO_STACKS
#include "cli/output_opts.inc"
#include "cli/last_opts.inc"
	{ 0 },
};

const char history_log_manual[] =
	"Lists the builds of a history, the latest first: size of the file, its change\n"
	"from the build before of the same product, configuration and branch, and the\n"
	"course of the last ten sizes.\n";

const char history_blame_manual[] =
	"Tells which builds made something the size it is: NAME is a symbol, source,\n"
	"object, component or section, or all below a folder: 'src/net/'.  Where several\n"
	"are called so, the kind stands in front: 'symbol:main'.\n";

const char history_bisect_manual[] =
	"Tells the steps that explain a growth from one build to another, the largest\n"
	"first, and which commit to build next where the largest step hides several.\n"
	"Builds are named as for 'heft history diff'.\n";

const char history_trend_manual[] =
	"Tells where a size is going: its slope by builds and days, when it reaches a\n"
	"limit, and in which builds its level changed, apart from noise.\n";

static const struct choice formats[] = { { "table", HEFT_TABLE },       { "csv", HEFT_CSV },
					 { "tsv", HEFT_TSV },           { "json", HEFT_JSON },
					 { "markdown", HEFT_MARKDOWN }, { NULL, 0 } };

struct report_job {
	const struct cli *cli;
	struct history_settings settings;
	struct output out;
	struct heft_query_opts opts;
	enum heft_history_report what;
	const char *operands[2];
	size_t operand_count, operands_wanted;
	struct heft_history *history;
};

static bool apply(void *ctx, const struct opt *o, const char *value)
{
	struct report_job *job = ctx;
	const enum output_answer answer = output_apply(&job->out, job->cli, o, value);
	if (answer != OUTPUT_OTHER)
		return answer == OUTPUT_TAKEN;
	if (o->id == O_LIMIT)
		return cli_parse_number(value, false, &job->settings.query.limit) ||
		       cli_bad_value(job->cli, o, value, "a number of bytes");
	if (o->id == O_OF)
		job->settings.query.of = value;
	return o->id == O_OF || history_apply(&job->settings, o, value);
}

static bool add_operand(void *ctx, const char *word)
{
	struct report_job *job = ctx;
	if (job->operand_count < job->operands_wanted)
		job->operands[job->operand_count] = word;
	job->operand_count++;
	return true;
}

static bool write_report(void *ctx, FILE *to, struct heft_err *err)
{
	const struct report_job *job = ctx;
	const struct heft_sink sink = output_sink(&job->out, to);
	return heft_history_write(job->history, job->what, &job->settings.query, &job->opts, &sink,
				  err);
}

static int run_report(struct report_job *job)
{
	if (job->operand_count != job->operands_wanted)
		return cli_error(job->cli, "wrong number of operands; try '%s --help'",
				 job->cli->usage);
	job->history = history_open(job->cli, &job->settings);
	if (!job->history)
		return EXIT_TROUBLE;
	job->opts = (struct heft_query_opts){ .size = sizeof job->opts,
					      .format = job->out.write.format,
					      .width = job->out.write.width,
					      .rows = output_rows(&job->out, 20),
					      .csv_safe = job->out.write.csv_safe };
	return outfile_write(job->cli, job->out.path, write_report, job);
}

/* Runs a command whose words are `wanted` operands and options; job->history stays open. */
static int run_words(struct report_job *job, int argc, char **argv)
{
	static const struct cli_words words = { apply, add_operand };
	output_init(&job->out, formats);
	const int status = cli_parse(job->cli, argc, argv, &words, job);
	if (status == CLI_GO_ON && !output_settle(&job->out, job->cli))
		return EXIT_TROUBLE;
	return status;
}

int cmd_history_log(const struct cli *cli, int argc, char **argv)
{
	struct report_job job = { .cli = cli, .what = HEFT_HISTORY_LOG };
	int status = run_words(&job, argc, argv);
	if (status == CLI_GO_ON)
		status = run_report(&job);
	heft_history_free(job.history);
	return status;
}

int cmd_history_blame(const struct cli *cli, int argc, char **argv)
{
	struct report_job job = { .cli = cli, .what = HEFT_HISTORY_BLAME, .operands_wanted = 1 };
	int status = run_words(&job, argc, argv);
	job.settings.query.of = job.operands[0];
	if (status == CLI_GO_ON)
		status = run_report(&job);
	heft_history_free(job.history);
	return status;
}

int cmd_history_trend(const struct cli *cli, int argc, char **argv)
{
	struct report_job job = { .cli = cli, .what = HEFT_HISTORY_TREND };
	int status = run_words(&job, argc, argv);
	if (status == CLI_GO_ON)
		status = run_report(&job);
	heft_history_free(job.history);
	return status;
}

/* ---- builds that are missing ----------------------------------------------------------------- */

/* The commit of a build; "" where it has none. */
static const char *commit_of(const struct heft_history *h, uint64_t id)
{
	struct heft_build b = { .size = sizeof b };
	for (size_t i = 0; heft_history_build(h, i, &b); i++)
		if (b.id == id)
			return b.commit;
	return "";
}

/* Says which commit of a step is to be built next, as far as git knows the commits. */
static bool tell_gap(const struct heft_history *h, const struct heft_step *step)
{
	char range[200], count[40], next[80];
	const char *before = commit_of(h, step->before), *after = commit_of(h, step->build);
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

int cmd_history_bisect(const struct cli *cli, int argc, char **argv)
{
	struct report_job job = { .cli = cli, .what = HEFT_HISTORY_BISECT, .operands_wanted = 2 };
	struct heft_step step = { .size = sizeof step };
	int status = run_words(&job, argc, argv);
	job.settings.query.from = job.operands[0];
	job.settings.query.to = job.operands[1];
	if (status == CLI_GO_ON)
		status = run_report(&job);
	if (job.history && status == EXIT_FINE && !job.out.path &&
	    job.out.write.format == HEFT_TABLE)
		for (size_t i = 0; heft_history_step(job.history, i, &step); i++)
			if (step.apart && tell_gap(job.history, &step))
				break;
	heft_history_free(job.history);
	return status;
}
