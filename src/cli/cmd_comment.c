/* Implements heft comment: writes the comment on a pull request. */
#include "cli/beside.h"
#include "cli/spawn.h"
#include "cli/snapshots.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { O_NOISE = O_OWN };

struct comment_job {
	struct snapshot_run open;
	struct heft_comment_opts opts;
	const char *budget_path, *base_path;
	const char *store, *product, *config,
		*branch;                /* Place of the history, and which of its builds are read.
					 * `store` is NULL without a history */
	char history[BESIDE_PATH_MOST]; /* Path of the program that reads the history */
	struct heft_snapshot *base, *now;
	struct heft_diff *diff;
	struct heft_budget *budget; /* NULL if there are no limits */
};

const struct opt comment_opts[] = {
	{ 0, 0, false, "base", "OLD", "the program before the change",
	  KEEPS(struct comment_job, base_path) },
	{ 0, 0, false, "budget", "FILE", "limits (format: docs/budgets.md)",
	  KEEPS(struct comment_job, budget_path) },
	{ 0, 0, false, "components", "FILE", "who owns which sources, as CODEOWNERS",
	  KEEPS(struct comment_job, open.components) },
	{ 0, 0, false, "store", "STORE", "courses of the sizes in this history",
	  KEEPS(struct comment_job, store) },
	{ 0, 0, false, "product", "NAME", "what it is there (default: FILE's name)",
	  KEEPS(struct comment_job, product) },
	{ 0, 0, false, "config", "NAME", "only builds of this configuration",
	  KEEPS(struct comment_job, config) },
	{ 0, 0, false, "branch", "NAME", "only builds of this branch",
	  KEEPS(struct comment_job, branch) },
	{ O_NOISE, 0, false, "noise", "BYTES",
	  "write nothing where all limits are kept and\n"
	  "                              every section and region changed by less" },
	{ 0, 0, false, "page-url", "URL", "link to the whole report",
	  KEEPS(struct comment_job, opts.page_url) },
	{ 0, 0, false, "template", "FILE",
	  "own text, with placeholders such as {why} for\n"
	  "                              the parts (docs/budgets.md)",
	  KEEPS(struct comment_job, opts.template_path) },
	{ 0, 0, false, "title", "NAME", "what was measured (default: FILE's name)",
	  KEEPS(struct comment_job, opts.title) },
	{ O_OUTPUT, 'o', false, "output", "FILE", "write there, all or nothing" },
#include "cli/find_opts.inc"
#include "cli/region_opts.inc"
#include "cli/stack_opts.inc"
#include "cli/notes_opts.inc"
};

const char comment_manual[] =
	"Writes what a pull request is told of a change, in markdown: sizes with their\n"
	"limits, the limits that are broken, the symbols and owners behind it.  With a\n"
	"history each size has its course over the last ten builds: those up to the\n"
	"base, where OLD says its commit ('heft snapshot --metadata git_revision=...')\n"
	"and the history has it, else the latest.  The first line is the same for each\n"
	"text of one title, so that a later one can take its place.  Exits with 1 if a\n"
	"limit is broken, as 'heft check' does.\n";

static bool comment_apply(void *ctx, const struct opt *o, const char *value)
{
	struct comment_job *job = ctx;
	return o->id == O_NOISE
		       ? cli_size(job->open.run.cli, o, value, UINT64_MAX / 20, &job->opts.noise)
		       : run_apply(job, o, value);
}

/* Returns the output of `heft history log` for the size named `of`: tab-separated, latest build
 * first, from commit `until` back (NULL: from the latest build). The caller frees it. NULL if the
 * size is unknown. */
static char *log_of(const struct comment_job *job, const char *of, const char *until,
		    const char *rows, bool quiet)
{
	const char *const options[][2] = { { "--store", job->store },
					   { "--product", job->product },
					   { "--format", "tsv" },
					   { "--rows", rows },
					   { "--of", of },
					   { "--config", job->config },
					   { "--branch", job->branch },
					   { "--until", until } };
	const char *words[2 + 2 * (sizeof options / sizeof *options) + 1] = { job->history, "log" };
	size_t count = 2;
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (options[i][1] != NULL) {
			words[count++] = options[i][0];
			words[count++] = options[i][1];
		}
	ASSERT(count < sizeof words / sizeof *words && job->store != NULL);
	return child_output(words, quiet);
}

static size_t columns_before_change(const char *header)
{
	size_t column = 0;
	for (; strncmp(header, "change\t", 7) != 0; column++) {
		header += strcspn(header, "\t\n");
		if (*header++ != '\t')
			return 0;
	}
	return column;
}

/* Reads at most `count` sizes from log_of()'s output into `ret`, oldest first. Returns their
 * number. */
static size_t log_values(const char *log, double *ret, size_t count)
{
	const size_t column = columns_before_change(log);
	size_t given = 0;
	for (log += strcspn(log, "\n");
	     column > 0 && log[0] == '\n' && log[1] != '\0' && given < count;
	     log += strcspn(log, "\n")) {
		const char *value = ++log;
		for (size_t i = 1; i < column; i++)
			value += strcspn(value, "\t") + 1;
		ret[given++] = strtod(value, NULL);
	}
	ASSERT(given <= count);
	for (size_t i = 0; i < given / 2; i++) {
		const double v = ret[i];
		ret[i] = ret[given - 1 - i];
		ret[given - 1 - i] = v;
	}
	return given;
}

/* Sets ret[] to the last `count` values of a size in the history, oldest first, up to the base's
 * commit if the history has it. Returns the number of values, 0 if it was never measured. */
static size_t give_course(void *ctx, const char *subject, const char *name, double *ret,
			  size_t count)
{
	const struct comment_job *job = ctx;
	const char *before = strcmp(subject, "region") == 0    ? "regions.used:"
			     : strcmp(subject, "section") == 0 ? "section:"
							       : subject;
	const char *commit = heft_snapshot_metadata(job->base, "git_revision");
	char of[300], rows[24];
	const int size = snprintf(of, sizeof of, "%s%s", before, name);
	if (size < 0 || (size_t)size >= sizeof of)
		return 0;
	snprintf(rows, sizeof rows, "%zu", count);
	char *log = commit != NULL ? log_of(job, of, commit, rows, true) : NULL;
	if (log == NULL)
		log = log_of(job, of, NULL, rows, true);
	const size_t given = log != NULL ? log_values(log, ret, count) : 0;
	free(log);
	return given;
}

/* True if the history gives trends. Otherwise prints that there are none. */
static bool courses_open(struct comment_job *job)
{
	if (!beside_find("history", job->history)) {
		beside_run(job->open.run.cli, "history", 0, NULL);
		return false;
	}
	char *log = log_of(job, NULL, NULL, "1", false);
	free(log);
	job->opts.course = give_course;
	job->opts.course_ctx = job;
	return log != NULL;
}

static bool comment_write(void *ctx, FILE *to, struct heft_err *err)
{
	const struct comment_job *job = ctx;
	return heft_comment_write(job->diff, job->budget, &job->opts,
				  &(struct heft_sink){ outfile_put, to }, err);
}

static int comment_compare(struct comment_job *job)
{
	struct heft_err err;
	if (job->budget && !heft_budget_check(job->budget, job->now, job->base, &err))
		return cli_error(job->open.run.cli, "%s: %s", job->budget_path, err.text);
	ASSERT(job->base != NULL && job->now != NULL);
	job->diff = heft_diff_new(job->base, job->now, 0, &err);
	if (!job->diff)
		return cli_failed(job->open.run.cli, &err);
	const int status = outfile_write(job->open.run.cli, job->open.run.out.path, comment_write,
					 job);
	if (status != EXIT_FINE || !job->budget)
		return status;
	return budget_verdict(job->open.run.cli, job->budget, job->budget_path, false);
}

/* Writes the comment. Reads the limits first, so that a mistake in them shows early. */
static int comment_run(struct comment_job *job)
{
	const char *const paths[] = { job->base_path, job->open.run.words[0] };
	struct heft_err err;
	if (!job->base_path)
		return cli_error(job->open.run.cli, "must specify --base=OLD; try '%s --help'",
				 job->open.run.cli->usage);
	if (job->budget_path) {
		job->budget = heft_budget_new(job->open.run.session, job->budget_path, &err);
		if (!job->budget)
			return cli_error(job->open.run.cli, "%s", err.text);
		job->open.flags |= heft_budget_flags(job->budget);
	}
	if (job->store && !courses_open(job))
		return EXIT_TROUBLE;
	if (!snapshot_open_pair(&job->open, paths, &job->base, &job->now))
		return EXIT_TROUBLE;
	return comment_compare(job);
}

int cmd_comment(const struct cli *cli, int argc, char **argv)
{
	static const struct cli_words words = { .option = comment_apply };
	struct comment_job job = { .open.run = run_new(cli, NULL),
				   .opts = { .size = sizeof job.opts } };
	int status = cli_parse(&job, argc, argv, &words);
	if (status == CLI_GO_ON && !run_has_words(&job.open.run, 1, 1, "one file"))
		status = EXIT_TROUBLE;
	if (status == CLI_GO_ON) {
		if (!job.product)
			job.product = cli_file_name(job.open.run.words[0]);
		status = comment_run(&job);
	}
	heft_diff_free(job.diff);
	heft_budget_free(job.budget);
	heft_snapshot_free(job.base);
	heft_snapshot_free(job.now);
	run_release(&job.open.run);
	return status;
}
