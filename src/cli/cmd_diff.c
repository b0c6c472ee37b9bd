#include "cli/history/choose.h"
#include "cli/output.h"
#include "cli/snapshots.h"

#include <stdlib.h>
#include <string.h>

enum {
	O_SECTION = O_OWN,
	O_DEBUG,
	O_MIN,
	O_SAVE,
	O_EXIT_CODE,
	O_SUPERSIZE,
	O_STACKS,
	O_ROWS_OF,
	O_OWNERS,
};

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

const struct opt history_diff_opts[] = {
	{ O_ROWS_OF, 0, true, "of", "SOURCE", "rows of this source instead: regions, heap .." },
#include "cli/history/history_opts.inc"
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
#include "cli/history/history_opts.inc"
#include "cli/diff_opts.inc"
#include "cli/last_opts.inc"
	{ 0 },
};

const char history_top_manual[] =
	"Tells who grew most from one build of a history to another, the first and the\n"
	"latest where they are not named: by the owners that --owners names, else by the\n"
	"components that builds were added with (heft history add --components), or by\n"
	"what --by says.\n";

static const struct choice by_choices[] = {
	{ "symbol", HEFT_DIFF_BY_SYMBOL },       { "source", HEFT_DIFF_BY_SOURCE },
	{ "directory", HEFT_DIFF_BY_DIRECTORY }, { "object", HEFT_DIFF_BY_OBJECT },
	{ "component", HEFT_DIFF_BY_COMPONENT }, { "section", HEFT_DIFF_BY_SECTION },
	{ "container", HEFT_DIFF_BY_CONTAINER }, { "namespace", HEFT_DIFF_BY_NAMESPACE },
	{ "library", HEFT_DIFF_BY_LIBRARY },     { NULL, 0 },
};

static const struct choice sort_choices[] = {
	{ "delta", HEFT_SORT_DELTA },
	{ "growth", HEFT_SORT_GROWTH },
	{ "size", HEFT_SORT_SIZE },
	{ "new", HEFT_SORT_SIZE },
	{ "old", HEFT_SORT_BASE },
	{ "name", HEFT_SORT_NAME },
	{ NULL, 0 },
};

struct diff_job {
	const struct cli *cli;
	struct history_settings history; /* of builds */
	struct snapshot_settings settings;
	struct heft_diff_query query;
	struct output out;
	const char *save;
	const char *rows_of; /* a source, instead of symbols; NULL: symbols */
	struct heft_history *builds;
	const char *files[2];
	size_t file_count;
	bool exit_code;
	unsigned flags; /* enum heft_diff_flag */
	struct heft_diff *diff;
};

/* ---- the command line ------------------------------------------------------------------------ */

static bool apply_query(struct diff_job *job, const struct opt *o, const char *value)
{
	const bool by = o->id == O_BY;
	struct opt told = *o;
	unsigned choice = 0;
	told.value = by ? "symbol, source, directory, object, component, section, container, "
			  "namespace, library"
			: "delta, growth, size, old, name";
	if (!cli_choice(job->cli, &told, value, by ? by_choices : sort_choices, &choice))
		return false;
	if (by)
		job->query.by = (enum heft_diff_by)choice;
	else
		job->query.sort = (enum heft_sort)choice;
	return true;
}

static bool apply(void *ctx, const struct opt *o, const char *value)
{
	struct diff_job *job = ctx;
	const enum output_answer answer = output_apply(&job->out, job->cli, o, value);
	if (answer != OUTPUT_OTHER)
		return answer == OUTPUT_TAKEN;
	switch (o->id) {
	case O_BY:
	case O_SORT: return apply_query(job, o, value);
	case O_MIN: return cli_number(job->cli, o, value, UINT64_MAX / 20, &job->query.min);
	case O_SECTION: job->query.section = value; break;
	case O_DEBUG: job->query.debug = true; break;
	case O_STACKS: job->settings.flags |= HEFT_SNAPSHOT_STACKS; break;
	case O_SAVE: job->save = value; break;
	case O_EXIT_CODE: job->exit_code = true; break;
	case O_ROWS_OF: job->rows_of = value; break;
	case O_OWNERS: job->settings.components = value; break;
	case O_SUPERSIZE:
		job->flags |= HEFT_DIFF_SUPERSIZE;
		job->settings.flags |= HEFT_SNAPSHOT_WHOLE_PATHS;
		break;
	case O_VERBOSE: job->settings.verbose = true; break;
	default:
		return history_apply(&job->history, o, value) ||
		       cli_find(job->cli, job->settings.finder, o, value);
	}
	return true;
}

static bool add_operand(void *ctx, const char *word)
{
	struct diff_job *job = ctx;
	if (job->file_count < 2)
		job->files[job->file_count] = word;
	job->file_count++;
	return true;
}

/* ---- output ---------------------------------------------------------------------------------- */

static bool write_report(void *ctx, FILE *to, struct heft_err *err)
{
	const struct diff_job *job = ctx;
	const struct heft_sink sink = output_sink(&job->out, to);
	return heft_diff_write(job->diff, &job->out.write, &sink, err);
}

static bool write_save(void *ctx, FILE *to, struct heft_err *err)
{
	return heft_diff_save(((const struct diff_job *)ctx)->diff,
			      &(struct heft_sink){ outfile_put, to }, err);
}

static bool has_differences(const struct heft_diff *d)
{
	uint64_t all = 0;
	for (size_t i = 0; i < HEFT_CHANGES; i++)
		all += i == HEFT_UNCHANGED
			       ? 0
			       : heft_diff_section_changes(d, HEFT_DIFF_TOTAL, (enum heft_change)i);
	return all > 0;
}

static int report(struct diff_job *job)
{
	struct heft_err err;
	job->query.rows = output_rows(&job->out, 20);
	if (!heft_diff_rows(job->diff, &job->query, &err))
		return cli_failed(job->cli, &err);
	int status = outfile_write(job->cli, job->out.path, write_report, job);
	if (status == EXIT_FINE && job->save)
		status = outfile_write(job->cli, job->save, write_save, job);
	if (status == EXIT_FINE && job->exit_code && has_differences(job->diff))
		status = EXIT_NO;
	return status;
}

/* The diff of two snapshots, which it frees; the older one may be NULL. */
static int run_pair(struct diff_job *job, struct heft_snapshot *old, struct heft_snapshot *new_)
{
	struct heft_err err;
	int status = EXIT_TROUBLE;
	job->diff = heft_diff_new(old, new_, job->flags, &err);
	if (job->diff)
		status = report(job);
	else if (!old)
		cli_error(job->cli, "%s: no .sizediff file; must specify two files", job->files[0]);
	else
		cli_failed(job->cli, &err);
	heft_diff_free(job->diff);
	heft_snapshot_free(old);
	heft_snapshot_free(new_);
	return status;
}

static int run(struct diff_job *job)
{
	struct heft_snapshot *old = NULL, *new_ = NULL;
	if (job->file_count == 0 || job->file_count > 2)
		return cli_error(job->cli,
				 "must specify two files, or a .sizediff file; try '%s --help'",
				 job->cli->usage);
	if (job->file_count == 1)
		new_ = snapshot_open(job->cli, &job->settings, job->files[0]);
	else
		(void)snapshot_open_pair(job->cli, &job->settings, job->files, &old, &new_);
	return new_ ? run_pair(job, old, new_) : EXIT_TROUBLE;
}

static bool write_source(void *ctx, FILE *to, struct heft_err *err)
{
	const struct diff_job *job = ctx;
	const struct heft_sink sink = output_sink(&job->out, to);
	const struct heft_query_opts opts = { .size = sizeof opts,
					      .format = job->out.write.format,
					      .rows = output_rows(&job->out, 20),
					      .width = job->out.write.width,
					      .csv_safe = job->out.write.csv_safe };
	struct heft_history_query q = job->history.query;
	q.of = job->rows_of;
	q.from = job->files[0];
	q.to = job->files[1];
	return heft_history_write(job->builds, HEFT_HISTORY_ROWS, &q, &opts, &sink, err);
}

static int run_source(struct diff_job *job)
{
	job->builds = history_open(job->cli, &job->history);
	const int status = job->builds ? outfile_write(job->cli, job->out.path, write_source, job)
				       : EXIT_TROUBLE;
	heft_history_free(job->builds);
	return status;
}

static int run_builds(struct diff_job *job)
{
	struct heft_snapshot *sides[2];
	if (job->file_count != 2)
		return cli_error(job->cli, "must specify two builds; try '%s --help'",
				 job->cli->usage);
	if (job->rows_of)
		return run_source(job);
	struct heft_history *h = history_open(job->cli, &job->history);
	const bool ok = h &&
			history_read_pair(job->cli, h, job->files, job->settings.components, sides);
	heft_history_free(h);
	return ok ? run_pair(job, sides[0], sides[1]) : EXIT_TROUBLE;
}

/* The period is that of all builds where none is said. */
static int run_top(struct diff_job *job)
{
	if (job->file_count < 2)
		job->files[1] = "latest";
	if (job->file_count < 1)
		job->files[0] = "first";
	if (job->file_count < 2)
		job->file_count = 2;
	return run_builds(job);
}

static int run_diff(const struct cli *cli, int argc, char **argv, int (*what)(struct diff_job *))
{
	static const struct cli_words words = { apply, add_operand };
	struct diff_job job = { .cli = cli, .query = { .size = sizeof job.query } };
	snapshot_settings_init(&job.settings, cli);
	output_init(&job.out, table_formats);
	if (what == run_top) {
		job.query.by = HEFT_DIFF_BY_COMPONENT;
		job.query.sort = HEFT_SORT_GROWTH;
	}
	int status = cli_parse(cli, argc, argv, &words, &job);
	if (status == CLI_GO_ON && !output_settle(&job.out, cli))
		status = EXIT_TROUBLE;
	if (status == CLI_GO_ON)
		status = what(&job);
	snapshot_settings_release(&job.settings);
	return status;
}

int cmd_history_top(const struct cli *cli, int argc, char **argv)
{
	return run_diff(cli, argc, argv, run_top);
}

int cmd_diff(const struct cli *cli, int argc, char **argv)
{
	return run_diff(cli, argc, argv, run);
}

int cmd_history_diff(const struct cli *cli, int argc, char **argv)
{
	return run_diff(cli, argc, argv, run_builds);
}
