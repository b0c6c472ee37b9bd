#include "cli/snapshots.h"
#include "cli/term.h"

#include <stdlib.h>
#include <string.h>

enum {
	O_BY = O_OWN,
	O_SORT,
	O_ROWS,
	O_SECTION,
	O_MIN,
	O_FORMAT,
	O_OUTPUT,
	O_SAVE,
	O_EXIT_CODE,
	O_SUPERSIZE,
	O_WIDE,
};

const struct opt diff_opts[] = {
	{ O_BY, 0, false, "by",
	  "symbol|source|directory|object|component|section|container|namespace",
	  "what rows are (default: symbol)" },
	{ O_SORT, 's', false, "sort", "delta|new|old|name", "order of the rows (default: delta)" },
	{ O_ROWS, 'n', false, "rows", "N", "rows before the rest is summed up, 0: all (20)" },
	{ O_SECTION, 0, false, "section", "NAME", "only this section: .text, or its letter t" },
	{ O_MIN, 0, false, "min", "BYTES", "leave out rows that changed by less" },
	{ O_FORMAT, 0, false, "format", "table|csv|json|markdown", "(default: table)" },
	{ O_WIDE, 'w', false, NULL, NULL, "do not cut names; with paths" },
	{ O_OUTPUT, 'o', false, "output", "FILE", "write there" },
	{ O_SAVE, 0, false, "save", "FILE", "also write a .sizediff file" },
	{ O_EXIT_CODE, 0, false, "exit-code", NULL, "exit with 1 if there are differences" },
	{ O_SUPERSIZE, 0, false, "supersize", NULL,
	  "pair symbols by SuperSize's four passes alone" },
#include "cli/find_opts.inc"
	{ O_VERBOSE, 'v', false, NULL, NULL, "notes with offsets" },
#include "cli/last_opts.inc"
	{ 0 },
};

const char diff_manual[] =
	"Tells what changed between two programs or .size files, symbol by symbol.\n"
	"Bytes that several names share count in parts for each (PSS).  A .sizediff\n"
	"file may stand for both.\n";

static const struct choice by_choices[] = {
	{ "symbol", HEFT_DIFF_BY_SYMBOL },
	{ "source", HEFT_DIFF_BY_SOURCE },
	{ "directory", HEFT_DIFF_BY_DIRECTORY },
	{ "object", HEFT_DIFF_BY_OBJECT },
	{ "component", HEFT_DIFF_BY_COMPONENT },
	{ "section", HEFT_DIFF_BY_SECTION },
	{ "container", HEFT_DIFF_BY_CONTAINER },
	{ "namespace", HEFT_DIFF_BY_NAMESPACE },
	{ NULL, 0 },
};

static const struct choice sort_choices[] = {
	{ "delta", HEFT_DIFF_SORT_DELTA },
	{ "new", HEFT_DIFF_SORT_NEW },
	{ "old", HEFT_DIFF_SORT_OLD },
	{ "name", HEFT_DIFF_SORT_NAME },
	{ NULL, 0 },
};

static const struct choice format_choices[] = {
	{ "table", HEFT_DIFF_TABLE },
	{ "csv", HEFT_DIFF_CSV },
	{ "json", HEFT_DIFF_JSON },
	{ "markdown", HEFT_DIFF_MARKDOWN },
	{ NULL, 0 },
};

struct diff_job {
	const struct cli *cli;
	struct snapshot_settings settings;
	struct heft_diff_query query;
	unsigned format;
	const char *output, *save;
	const char *files[2];
	size_t file_count;
	bool exit_code, supersize, wide;
	struct heft_diff *diff;
};

/* ---- the command line -------------------------------------------------------------------------- */

static bool apply_query(struct diff_job *job, const struct opt *o, const char *value)
{
	unsigned choice = 0;
	uint64_t number = 0;
	switch (o->id) {
	case O_BY:
		if (!cli_choice(job->cli, o, value, by_choices, &choice))
			return false;
		job->query.by = (enum heft_diff_by)choice;
		return true;
	case O_SORT:
		if (!cli_choice(job->cli, o, value, sort_choices, &choice))
			return false;
		job->query.sort = (enum heft_diff_sort)choice;
		return true;
	case O_ROWS:
		if (!cli_number(job->cli, o, value, UINT32_MAX, &number))
			return false;
		job->query.rows = (uint32_t)number;
		return true;
	default: return cli_number(job->cli, o, value, UINT64_MAX / 20, &job->query.min);
	}
}

static bool apply(void *ctx, const struct opt *o, const char *value)
{
	struct diff_job *job = ctx;
	switch (o->id) {
	case O_SECTION: job->query.section = value; break;
	case O_FORMAT: return cli_choice(job->cli, o, value, format_choices, &job->format);
	case O_OUTPUT: job->output = value; break;
	case O_SAVE: job->save = value; break;
	case O_EXIT_CODE: job->exit_code = true; break;
	case O_SUPERSIZE: job->supersize = true; break;
	case O_WIDE: job->wide = true; break;
	case O_VERBOSE: job->settings.verbose = true; break;
	case O_BY:
	case O_SORT:
	case O_ROWS:
	case O_MIN: return apply_query(job, o, value);
	default: return cli_find(job->cli, job->settings.finder, o, value);
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

/* ---- output ------------------------------------------------------------------------------------ */

static bool write_report(void *ctx, FILE *to, struct heft_err *err)
{
	const struct diff_job *job = ctx;
	const unsigned width = job->wide ? 0 : job->output ? 0 : term_width();
	return heft_diff_write(job->diff, (enum heft_diff_format)job->format, width, outfile_put,
			       to, err);
}

static bool write_save(void *ctx, FILE *to, struct heft_err *err)
{
	return heft_diff_save(((const struct diff_job *)ctx)->diff, outfile_put, to, err);
}

static bool has_differences(const struct heft_diff *d)
{
	const struct heft_diff_section *total = heft_diff_total(d);
	uint64_t all = 0;
	for (size_t i = 0; i < HEFT_CHANGES; i++)
		all += i == HEFT_UNCHANGED ? 0 : total->counts[i];
	return all > 0;
}

static int report(struct diff_job *job)
{
	heft_diff_rows(job->diff, &job->query);
	int status = outfile_write(job->cli, job->output, write_report, job);
	if (status == EXIT_FINE && job->save)
		status = outfile_write(job->cli, job->save, write_save, job);
	if (status == EXIT_FINE && job->exit_code && has_differences(job->diff))
		status = EXIT_NO;
	return status;
}

static int run(struct diff_job *job)
{
	struct heft_snapshot *old = NULL, *new_ = NULL;
	struct heft_err err;
	int status = EXIT_TROUBLE;
	if (job->file_count == 0 || job->file_count > 2)
		return cli_error(job->cli,
				 "must specify two files, or a .sizediff file; try '%s --help'",
				 job->cli->usage);
	if (job->file_count == 1)
		new_ = snapshot_open(job->cli, &job->settings, job->files[0]);
	else
		(void)snapshot_open_pair(job->cli, &job->settings, job->files, &old, &new_);
	if (new_) {
		job->diff = heft_diff_new(old, new_, job->supersize, &err);
		if (job->diff)
			status = report(job);
		else if (!old)
			cli_error(job->cli, "%s: no .sizediff file; must specify two files",
				  job->files[0]);
		else
			cli_failed(job->cli, &err);
	}
	heft_diff_free(job->diff);
	heft_snapshot_free(old);
	heft_snapshot_free(new_);
	return status;
}

int cmd_diff(const struct cli *cli, int argc, char **argv)
{
	static const struct cli_words words = { apply, add_operand };
	struct diff_job job = { .cli = cli, .query = { .size = sizeof job.query, .rows = 20 } };
	snapshot_settings_init(&job.settings);
	int status = cli_parse(cli, argc, argv, &words, &job);
	if (status == CLI_GO_ON)
		status = run(&job);
	snapshot_settings_release(&job.settings);
	return status;
}
