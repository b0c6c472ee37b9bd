/* heft browse: the table on a terminal. */
#include "browse/browse.h"

#include "cli/inputs.h"
#include "cli/outfile.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct opt browse_opts[] = {
#define INPUT_BY_HELP                                                                              \
	"what rows are grouped by at first: data sources of\n"                                     \
	"                              programs (default: sections,symbols), or what\n"            \
	"                              heft diff and heft heap show have as --by"
#include "cli/input_opts.inc"
	{ .help = "Where things are:" },
#include "cli/find_opts.inc"
#include "cli/exe_opts.inc"
#include "cli/last_opts.inc"
	{ 0 },
};

const char browse_manual[] =
	"Shows where the bytes go as a tree to look through, on this terminal.  INPUT:\n"
	"programs, .size and .sizediff files, cores and recordings of heaps.  With BASE\n"
	"files after '--', what changed.  The key ? tells what the others do.\n";

struct browse_job {
	struct inputs inputs;
	struct input *opened; /* by number; title NULL: not yet */
};

static bool apply(void *ctx, const struct opt *o, const char *value)
{
	return inputs_apply(&((struct browse_job *)ctx)->inputs, o, value);
}

static bool add_operand(void *ctx, const char *word)
{
	return inputs_add(&((struct browse_job *)ctx)->inputs, word, false);
}

static bool add_base(void *ctx, const char *word)
{
	return inputs_add(&((struct browse_job *)ctx)->inputs, word, true);
}

#ifdef HEFT_HAVE_NCURSES

/* ---- what the screen asks for ---------------------------------------------------------------- */

static const char *title(void *ctx, size_t input)
{
	const struct browse_job *job = ctx;
	const char *path = job->inputs.files.paths[input], *slash = strrchr(path, '/');
	return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

static const char *const *groups(void *ctx, size_t input)
{
	return input_groups(&((const struct browse_job *)ctx)->opened[input]);
}

/* Programs are measured again, of lists and heaps there are rows of another kind. */
static bool open_input(void *ctx, size_t i, const char *by, struct browse_table *ret,
		       struct heft_err *err)
{
	struct browse_job *job = ctx;
	struct input *opened = &job->opened[i], in = { 0 };
	const bool again = opened->title == NULL || opened->kind == INPUT_PROFILE;
	if (again && !input_open(&job->inputs, i, by, &in, err)) {
		if (in.unknown[0] != '\0')
			snprintf(err->text, sizeof err->text, "no such data source: '%s'",
				 in.unknown);
		input_close(&in);
		return false;
	}
	struct input *from = again ? &in : opened;
	ret->table = input_table(from, by, &ret->only_now, err);
	memcpy(ret->by, from->by, sizeof ret->by);
	if (ret->table != NULL && again) {
		input_close(opened);
		*opened = in;
	} else {
		input_close(&in);
	}
	return ret->table != NULL;
}

static void put_frames(const struct heft_heap_report *r, const struct heft_row *row, FILE *to)
{
	const size_t count = heft_heap_report_frame_count(r, row);
	for (size_t i = 0; i < count; i++) {
		const struct heft_frame *f = heft_heap_report_frame(r, row, i);
		fprintf(to, "  %s  %s:%u\n", f->function, f->file, (unsigned)f->line);
	}
}

static void card(void *ctx, size_t input, const struct heft_row *row, FILE *to)
{
	const struct browse_job *job = ctx;
	if (job->opened[input].report != NULL)
		put_frames(job->opened[input].report, row, to);
}

static size_t notes(void *ctx, size_t input, FILE *to)
{
	const struct browse_job *job = ctx;
	const struct heft_note *n;
	size_t count = 0;
	for (; (n = input_note(&job->opened[input], count)) != NULL; count++)
		if (to != NULL)
			fprintf(to, "%s: %s (%llu times, %llu bytes)\n", n->path, n->text,
				(unsigned long long)n->count, (unsigned long long)n->bytes);
	return count;
}

/* ---- the page -------------------------------------------------------------------------------- */

static bool fill_page(struct browse_job *job, struct heft_page *page, struct heft_err *err)
{
	struct browse_table table;
	for (size_t i = 0; i < job->inputs.files.count; i++) {
		if (job->opened[i].title == NULL && !open_input(job, i, NULL, &table, err))
			return false;
		if (!input_add_to(&job->opened[i], page, err))
			return false;
		if (job->opened[i].all)
			return true;
	}
	return true;
}

static bool is_input(const struct browse_job *job, const char *path)
{
	for (size_t i = 0; i < job->inputs.files.count; i++)
		if (outfile_is(path, job->inputs.files.paths[i]))
			return true;
	return false;
}

static bool write_page(void *ctx, const char *path, struct heft_err *err)
{
	struct browse_job *job = ctx;
	struct heft_page *page = heft_page_new();
	struct outfile out;
	*err = (struct heft_err){ .code = HEFT_EARG, .offset = HEFT_NO_OFFSET };
	snprintf(err->text, sizeof err->text, "%.300s: cannot write there", path);
	bool good = !is_input(job, path) && fill_page(job, page, err) && outfile_open(&out, path);
	if (good && heft_page_write(page, &(struct heft_sink){ outfile_put, out.f }, err))
		good = outfile_close(&out);
	else if (good)
		good = (outfile_drop(&out), false);
	heft_page_free(page);
	return good;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int look(struct browse_job *job)
{
	const struct cli *cli = job->inputs.cli;
	const struct browse_ops ops = {
		job, job->inputs.files.count, title, groups, open_input, card, notes, write_page
	};
	struct browse_table first;
	struct heft_err err;
	if (!open_input(job, 0, job->inputs.by, &first, &err))
		return cli_failed(cli, &err);
	progress_end(cli->progress);
	job->inputs.progress = browse_progress;
	return browse_run(&ops, &first, term_color(TERM_AUTO), &err) ? EXIT_FINE
								     : cli_failed(cli, &err);
}

static int run(struct browse_job *job)
{
	const struct cli *cli = job->inputs.cli;
	const size_t count = job->inputs.files.count;
	if (count == 0)
		return cli_error(cli, "must specify at least one file; try '%s --help'",
				 cli->usage);
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return cli_error(
			cli, "there is no terminal; heft size writes tables, heft report a page");
	job->opened = calloc(count, sizeof *job->opened);
	if (job->opened == NULL)
		return cli_error(cli, "out of memory");
	const int status = look(job);
	for (size_t i = 0; i < count; i++)
		input_close(&job->opened[i]);
	free(job->opened);
	return status;
}

#else

static int run(const struct browse_job *job)
{
	return cli_error(job->inputs.cli, "this heft was built without ncurses (libncurses-dev); "
					  "heft report writes a page to look at");
}

#endif

int cmd_browse(const struct cli *cli, int argc, char **argv)
{
	static const struct cli_words words = { apply, add_operand, add_base };
	struct browse_job job = { 0 };
	inputs_init(&job.inputs, cli);
	int status = cli_parse(cli, argc, argv, &words, &job);
	if (status == CLI_GO_ON)
		status = run(&job);
	inputs_release(&job.inputs);
	return status;
}
