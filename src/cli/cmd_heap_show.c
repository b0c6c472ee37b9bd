/* heft heap show, heft heap diff: who holds the memory of a process, and what changed. */
#include "cli/heap_open.h"
#include "cli/outfile.h"
#include "cli/term.h"

#include <stdlib.h>
#include <string.h>

enum {
	O_BY = O_OWN,
	O_SORT,
	O_ROWS,
	O_FUNCTION,
	O_MODULE,
	O_FILE,
	O_THREAD,
	O_SIZE,
	O_LEAKS,
	O_HELPERS,
	O_FRAMES,
	O_FULL,
	O_CSV,
	O_JSON,
	O_FOLDED,
	O_PPROF,
	O_SPEEDSCOPE,
	O_TIMELINE,
	O_LAYOUT,
	O_OUTPUT,
	O_EXIT_CODE,
};

const struct opt heap_show_opts[] = {
#include "cli/heap_rows_opts.inc"
	{ O_PPROF, 0, false, "pprof", NULL, "profile for pprof, all stacks; with -o" },
	{ O_SPEEDSCOPE, 0, false, "speedscope", NULL, "JSON for speedscope.app, all stacks" },
	{ O_TIMELINE, 0, false, "timeline", NULL, "how much was live when, instead of rows" },
	{ O_LAYOUT, 0, false, "layout", NULL, "what each byte of the memory is, instead of rows" },
	{ O_OUTPUT, 'o', false, NULL, "FILE", "write there, all or nothing" },
#include "cli/heap_open_opts.inc"
	{ 0 },
};

const char heap_show_manual[] =
	"Shows who holds the memory of a process that ran under the heap recorder.\n\n"
	"DUMP is a core, an image of memory, or a file the recorder wrote.  EXE is the\n"
	"program, where it is not where the process had it.\n";

const struct opt heap_diff_opts[] = {
#include "cli/heap_rows_opts.inc"
	{ O_OUTPUT, 'o', false, NULL, "FILE", "write there, all or nothing" },
	{ O_EXIT_CODE, 0, false, "exit-code", NULL, "status 1 if there are differences" },
#include "cli/heap_open_opts.inc"
	{ 0 },
};

const char heap_diff_manual[] =
	"Shows what changed from one dump to another, of one process or of two.  Stacks\n"
	"are the same whose functions and lines are.\n";

struct show_job {
	struct heap_open open;
	struct heft_heap_query query;
	struct heft_heap_write_opts write;
	const char *files[2];
	struct heft_heap_report *report; /* NULL: a page */
	size_t file_count;
	const char *output;
	bool rows_given, exit_code, paged;
	enum heft_heap_page page;
};

/* ---- the command line ----------------------------------------------------------------------- */

static const struct choice by_choices[] = {
	{ "stack", HEFT_HEAP_BY_STACK },
	{ "tree", HEFT_HEAP_BY_TREE },
	{ "callers", HEFT_HEAP_BY_CALLERS },
	{ "function", HEFT_HEAP_BY_FUNCTION },
	{ "module", HEFT_HEAP_BY_MODULE },
	{ "file", HEFT_HEAP_BY_FILE },
	{ "line", HEFT_HEAP_BY_LINE },
	{ "thread", HEFT_HEAP_BY_THREAD },
	{ "size", HEFT_HEAP_BY_SIZE },
	{ "age", HEFT_HEAP_BY_AGE },
	{ NULL, 0 },
};

static const struct choice sort_choices[] = {
	{ "live", HEFT_HEAP_LIVE_BYTES },
	{ "blocks", HEFT_HEAP_LIVE },
	{ "peak", HEFT_HEAP_PEAK_BYTES },
	{ "allocated", HEFT_HEAP_ALLOC_BYTES },
	{ "allocs", HEFT_HEAP_ALLOCS },
	{ "temporary", HEFT_HEAP_TEMPORARY },
	{ NULL, 0 },
};

/* "MIN..MAX", "MIN..", "..MAX" or one size. */
static bool parse_sizes(const char *value, uint64_t *min, uint64_t *max)
{
	char text[64];
	if (strlen(value) >= sizeof text)
		return false;
	strcpy(text, value);
	char *dots = strstr(text, "..");
	*min = 0;
	*max = 0;
	if (dots == NULL) {
		const bool good = heap_parse_number(text, false, min);
		*max = *min;
		return good && *min > 0;
	}
	*dots = '\0';
	return (*text == '\0' || heap_parse_number(text, false, min)) &&
	       (dots[2] == '\0' || (heap_parse_number(dots + 2, false, max) && *max > 0));
}

static bool apply_number(struct show_job *job, const struct opt *o, const char *value)
{
	uint64_t n;
	if (!heap_parse_number(value, false, &n) || n > UINT32_MAX)
		return cli_bad_value(job->open.cli, o, value, "a number");
	if (o->id == O_ROWS) {
		job->query.rows = (uint32_t)n;
		job->rows_given = true;
	} else if (o->id == O_FRAMES) {
		job->write.frames = (uint32_t)n;
	} else {
		job->query.thread = (uint32_t)n;
	}
	return true;
}

static bool apply_choice(struct show_job *job, const struct opt *o, const char *value)
{
	unsigned n;
	struct opt told = *o;
	told.value = o->id == O_BY ? "stack tree callers function module file line thread size age"
				   : "live blocks peak allocated allocs temporary";
	if (!cli_choice(job->open.cli, &told, value, o->id == O_BY ? by_choices : sort_choices, &n))
		return false;
	if (o->id == O_BY)
		job->query.by = (enum heft_heap_by)n;
	else
		job->query.sort = (enum heft_heap_measure)n;
	return true;
}

static bool apply_page(struct show_job *job, enum heft_heap_page page)
{
	job->paged = true;
	job->page = page;
	return true;
}

static bool apply_format(struct show_job *job, enum heft_heap_format format)
{
	job->write.format = format;
	return true;
}

static bool apply(void *ctx, const struct opt *o, const char *value)
{
	struct show_job *job = ctx;
	struct heft_heap_query *q = &job->query;
	switch (o->id) {
	case O_BY:
	case O_SORT: return apply_choice(job, o, value);
	case O_ROWS:
	case O_FRAMES:
	case O_THREAD: return apply_number(job, o, value);
	case O_FULL: job->write.full = true; return true;
	case O_FUNCTION: q->function = value; return true;
	case O_MODULE: q->module = value; return true;
	case O_FILE: q->file = value; return true;
	case O_SIZE:
		return parse_sizes(value, &q->min_size, &q->max_size) ||
		       cli_bad_value(job->open.cli, o, value, "MIN..MAX, in bytes, K, M or G");
	case O_HELPERS: q->helpers = value; return true;
	case O_LEAKS: q->leaks = true; return true;
	case O_CSV: return apply_format(job, HEFT_HEAP_CSV);
	case O_JSON: return apply_format(job, HEFT_HEAP_JSON);
	case O_FOLDED: return apply_format(job, HEFT_HEAP_FOLDED);
	case O_PPROF: return apply_format(job, HEFT_HEAP_PPROF);
	case O_SPEEDSCOPE: return apply_format(job, HEFT_HEAP_SPEEDSCOPE);
	case O_TIMELINE: return apply_page(job, HEFT_HEAP_TIMELINE);
	case O_LAYOUT: return apply_page(job, HEFT_HEAP_LAYOUT);
	case O_OUTPUT: job->output = value; return true;
	case O_EXIT_CODE: job->exit_code = true; return true;
	default: return heap_open_apply(&job->open, o, value);
	}
}

static bool add_operand(void *ctx, const char *word)
{
	struct show_job *job = ctx;
	if (job->file_count == 2) {
		cli_error(job->open.cli, "too many files: %s", word);
		return false;
	}
	job->files[job->file_count++] = word;
	return true;
}

/* ---- the run -------------------------------------------------------------------------------- */

static bool write_to(void *ctx, FILE *f, struct heft_err *err)
{
	const struct show_job *job = ctx;
	return job->paged ? heft_heap_write(job->open.heap, job->page, job->write.format,
					    outfile_put, f, err)
			  : heft_heap_report_write(job->report, &job->write, outfile_put, f, err);
}

static int report(struct show_job *job)
{
	struct heft_err err;
	if (!job->rows_given)
		job->query.rows = job->query.by == HEFT_HEAP_BY_STACK ? 10 : 20;
	if (!job->paged)
		job->report = heft_heap_report_new(job->open.heap, job->open.base, &job->query,
						   &err);
	if (!job->paged && job->report == NULL)
		return cli_failed(job->open.cli, &err);
	if (job->output == NULL && !job->write.full)
		job->write.width = term_width();
	int status = outfile_write(job->open.cli, job->output, write_to, job);
	if (status == EXIT_FINE && job->exit_code && heft_heap_report_count(job->report) > 0)
		status = EXIT_NO;
	heft_heap_report_free(job->report);
	return status;
}

static int run_show(struct show_job *job)
{
	if (job->file_count == 0)
		return cli_error(job->open.cli, "must specify a dump; try '%s --help'",
				 job->open.cli->usage);
	if (job->file_count == 2)
		heft_finder_add_program(job->open.finder, job->files[1]);
	if (!heap_open_file(&job->open, job->open.heap, job->files[0]))
		return EXIT_TROUBLE;
	return report(job);
}

static int run_diff(struct show_job *job)
{
	if (job->file_count != 2)
		return cli_error(job->open.cli, "must specify two dumps; try '%s --help'",
				 job->open.cli->usage);
	if (!heap_open_file(&job->open, job->open.base, job->files[0]) ||
	    !heap_open_file(&job->open, job->open.heap, job->files[1]))
		return EXIT_TROUBLE;
	return report(job);
}

static int run(const struct cli *cli, bool diff, int argc, char **argv)
{
	static const struct cli_words words = { apply, add_operand };
	struct show_job job = { .query = { .size = sizeof job.query },
				.write = {
					.size = sizeof job.write, .frames = 8, .summary = true } };
	heap_open_init(&job.open, cli, diff);
	int status = cli_parse(cli, argc, argv, &words, &job);
	if (status == CLI_GO_ON)
		status = diff ? run_diff(&job) : run_show(&job);
	if (status != EXIT_TROUBLE)
		heap_open_notes(&job.open);
	heap_open_release(&job.open);
	return status;
}

int cmd_heap_show(const struct cli *cli, int argc, char **argv)
{
	return run(cli, false, argc, argv);
}

int cmd_heap_diff(const struct cli *cli, int argc, char **argv)
{
	return run(cli, true, argc, argv);
}
