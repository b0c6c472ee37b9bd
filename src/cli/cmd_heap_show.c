/* Implements heft heap show (the holders of a process's memory) and diff (the changes). */
#include "cli/heap_open.h"

#include <stdlib.h>
#include <string.h>

enum { O_THREAD = O_OWN, O_SIZE, O_FRAMES, O_TIMELINE, O_LAYOUT, O_STACKS, O_PID };

struct show_job {
	struct heap_open open;
	struct heft_heap_query query;
	struct heft_heap_report *report; /* NULL if another view is written instead of rows */
	uint64_t pid;                    /* Process to read instead of a dump. 0 if there is none */
	bool exit_code, paged, by_given;
	enum heft_heap_page page;
};

const struct opt heap_show_opts[] = {
#define OUTPUT_FORMATS "table|csv|tsv|json|markdown|folded|pprof|svg"
#define OUTPUT_FORMATS_HELP                                                                        \
	"table (default), csv, tsv, json, markdown; folded,\n"                                     \
	"                              pprof: all stacks; svg: a flame graph"
#include "cli/heap_rows_opts.inc"
	{ .help = "Instead of rows:" },
	{ O_TIMELINE, 0, false, "timeline", NULL, "how much was live when" },
	{ O_LAYOUT, 0, false, "layout", NULL, "what each byte of the memory is" },
	{ O_STACKS, 0, false, "stacks", NULL, "where all threads are" },
	{ .help = "Other:" },
	{ O_PID, 0, false, "pid", "PID", "a recorded process that runs, instead of DUMP" },
	{ 0, 0, false, "exit-code", NULL, "status 1 if there are rows: --leaks",
	  SETS(struct show_job, exit_code) },
#include "cli/heap_open_opts.inc"
};

const char heap_show_manual[] =
	"Shows who holds the memory of a process that ran under the heap recorder.\n\n"
	"DUMP is a core, an image of memory, or a file the recorder wrote.  EXE is the\n"
	"program, where it is not where the process had it.  --pid asks a process that\n"
	"still runs, without stopping it.\n";

const struct opt heap_diff_opts[] = {
#define OUTPUT_FORMATS "table|csv|tsv|json|markdown|folded|svg"
#define OUTPUT_FORMATS_HELP                                                                        \
	"table (default), csv, tsv, json, markdown, folded\n"                                      \
	"                              (all stacks), svg: a flame graph"
#include "cli/heap_rows_opts.inc"
	{ 0, 0, false, "exit-code", NULL, "status 1 if there are differences",
	  SETS(struct show_job, exit_code) },
#include "cli/heap_open_opts.inc"
};

const char heap_diff_manual[] =
	"Shows what changed from one dump to another, of one process or of two.  Stacks\n"
	"are the same whose functions and lines are.\n";

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

static const struct choice order_choices[] = {
	{ "size", HEFT_SORT_SIZE }, { "delta", HEFT_SORT_DELTA }, { "growth", HEFT_SORT_GROWTH },
	{ "old", HEFT_SORT_BASE },  { "name", HEFT_SORT_NAME },   { NULL, 0 },
};

/* Parses "MIN..MAX", "MIN..", "..MAX" or one size. False for other texts. */
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
		const bool good = cli_parse_number(text, false, min);
		*max = *min;
		return good && *min > 0;
	}
	*dots = '\0';
	return (*text == '\0' || cli_parse_number(text, false, min)) &&
	       (dots[2] == '\0' || (cli_parse_number(dots + 2, false, max) && *max > 0));
}

static bool heap_show_apply_number(struct show_job *job, const struct opt *o, const char *value)
{
	uint64_t n;
	if (!cli_parse_number(value, false, &n) || n > UINT32_MAX)
		return cli_bad_value(job->open.run.cli, o, value, "a number");
	if (o->id == O_FRAMES)
		job->open.run.out.write.frames = (uint32_t)n;
	else
		job->query.thread = (uint32_t)n;
	return true;
}

static bool apply_by(struct show_job *job, const struct opt *o, const char *value)
{
	unsigned n;
	if (!cli_choice(job->open.run.cli, o, value, by_choices, &n))
		return false;
	job->query.by = (enum heft_heap_by)n;
	job->by_given = true;
	return true;
}

/* Applies --sort: a key to sort by, or a sort order. */
static bool heap_show_apply_sort(struct show_job *job, const struct opt *o, const char *value)
{
	unsigned n;
	for (const struct choice *c = order_choices; c->word != NULL; c++) {
		if (strcmp(c->word, value) != 0)
			continue;
		job->query.order = (enum heft_sort)c->value;
		return true;
	}
	if (!cli_choice(job->open.run.cli, o, value, sort_choices, &n))
		return false;
	job->query.sort = (enum heft_heap_measure)n;
	return true;
}

static bool apply_page(struct show_job *job, enum heft_heap_page page)
{
	job->paged = true;
	job->page = page;
	return true;
}

static bool heap_show_apply(void *ctx, const struct opt *o, const char *value)
{
	struct show_job *job = ctx;
	struct heft_heap_query *q = &job->query;
	switch (o->id) {
	case O_BY: return apply_by(job, o, value);
	case O_SORT: return heap_show_apply_sort(job, o, value);
	case O_FRAMES:
	case O_THREAD: return heap_show_apply_number(job, o, value);
	case O_SIZE:
		return parse_sizes(value, &q->min_size, &q->max_size) ||
		       cli_bad_value(job->open.run.cli, o, value, "MIN..MAX, in bytes, K, M or G");
	case O_TIMELINE: return apply_page(job, HEFT_HEAP_TIMELINE);
	case O_LAYOUT: return apply_page(job, HEFT_HEAP_LAYOUT);
	case O_STACKS: return apply_page(job, HEFT_HEAP_STACKS);
	case O_PID:
		return cli_number(job->open.run.cli, o, value, INT32_MAX, &job->pid) &&
		       (job->pid > 0 || cli_bad_value(job->open.run.cli, o, value, "a process id"));
	default: return run_apply(job, o, value);
	}
}

static bool write_to(void *ctx, FILE *f, struct heft_err *err)
{
	const struct show_job *job = ctx;
	const struct heft_sink sink = output_sink(&job->open.run.out, f);
	return job->paged
		       ? heft_heap_write(job->open.heap, job->page, job->open.run.out.write.format,
					 &sink, err)
		       : heft_heap_report_write(job->report, &job->open.run.out.write, &sink, err);
}

/* Returns the exit status. With --exit-code, EXIT_NO if there are rows. EXIT_TROUBLE if not all
 * live blocks are known, unless leaks were found anyway. */
static int heap_show_answer(const struct show_job *job)
{
	const bool rows = job->exit_code && job->report != NULL &&
			  heft_heap_report_table(job->report)->top->child_count > 0;
	if (rows && job->query.leaks && job->open.base == NULL)
		return EXIT_NO;
	if (job->paged && job->page == HEFT_HEAP_STACKS)
		return EXIT_FINE;
	if (!heap_open_is_known(&job->open, job->open.heap) ||
	    (job->open.base != NULL && !heap_open_is_known(&job->open, job->open.base))) {
		heap_open_notes(&job->open);
		return EXIT_TROUBLE;
	}
	return rows ? EXIT_NO : EXIT_FINE;
}

static int heap_show_report(struct show_job *job)
{
	struct heft_err err;
	struct heft_heap_info info = { .size = sizeof info };
	ASSERT(job->report == NULL);
	heft_heap_info(job->open.heap, &info, NULL);
	/* glibc's chunks have no call stacks, so a table by stack would be a single row. */
	if (!job->by_given && info.arenas > 0)
		job->query.by = HEFT_HEAP_BY_SIZE;
	/* An SVG of stacks shows them as a tree. */
	if (job->open.run.out.write.format == HEFT_SVG && job->query.by == HEFT_HEAP_BY_STACK)
		job->query.by = HEFT_HEAP_BY_TREE;
	job->query.rows = output_rows(&job->open.run.out,
				      job->query.by == HEFT_HEAP_BY_STACK ? 10 : 20);
	job->open.run.out.write.full = job->open.run.out.wide;
	if (!job->paged)
		job->report = heft_heap_report_new(job->open.heap, job->open.base, &job->query,
						   &err);
	if (!job->paged && job->report == NULL)
		return cli_failed(job->open.run.cli, &err);
	int status = outfile_write(job->open.run.cli, job->open.run.out.path, write_to, job);
	if (status == EXIT_FINE)
		status = heap_show_answer(job);
	heft_heap_report_free(job->report);
	return status;
}

static int run_show(struct show_job *job)
{
	struct heft_err err;
	const struct command_run *run = &job->open.run;
	if (job->pid != 0 && run->word_count > 0)
		return cli_error(run->cli, "--pid goes without a dump: %s", run->words[0]);
	if (job->pid != 0)
		return heft_heap_open_process(job->open.heap, (uint32_t)job->pid, &err)
			       ? heap_show_report(job)
			       : cli_failed(job->open.run.cli, &err);
	if (!run_has_words(run, 1, SIZE_MAX, "a dump"))
		return EXIT_TROUBLE;
	if (run->word_count == 2)
		heft_finder_add_program(heft_session_finder(run->session), run->words[1]);
	if (!heap_open_file(&job->open, job->open.heap, run->words[0]))
		return EXIT_TROUBLE;
	return heap_show_report(job);
}

static int run_diff(struct show_job *job)
{
	const char **words = job->open.run.words;
	if (!run_has_words(&job->open.run, 2, 2, "two dumps") ||
	    !heap_open_file(&job->open, job->open.base, words[0]) ||
	    !heap_open_file(&job->open, job->open.heap, words[1]))
		return EXIT_TROUBLE;
	return heap_show_report(job);
}

static int heap_show_run(const struct cli *cli, bool diff, int argc, char **argv)
{
	static const struct cli_words words = { .option = heap_show_apply };
	struct show_job job = { .open = heap_open_new(cli, table_formats, diff),
				.query = { .size = sizeof job.query } };
	const struct command_run *run = &job.open.run;
	job.open.run.out.write.frames = 8;
	int status = cli_parse_output(&job, argc, argv, &words);
	if (status == CLI_GO_ON && run->word_count > 2)
		status = cli_error(cli, "too many files: %s", run->words[2]);
	if (status == CLI_GO_ON)
		status = diff ? run_diff(&job) : run_show(&job);
	if (status != EXIT_TROUBLE)
		heap_open_notes(&job.open);
	heap_open_release(&job.open);
	return status;
}

int cmd_heap_show(const struct cli *cli, int argc, char **argv)
{
	return heap_show_run(cli, false, argc, argv);
}

int cmd_heap_diff(const struct cli *cli, int argc, char **argv)
{
	return heap_show_run(cli, true, argc, argv);
}
