/* Implements heft browse: shows a table on a terminal. */
#include "browse/browse.h"
#include "browse/row_card.h"

#include "cli/inputs.h"
#include "cli/outfile.h"
#include "cli/commands.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { O_PID = O_OWN };

struct browse_job {
	struct inputs inputs;
	struct input *opened;  /* Per input. `title` is NULL if the input is not open */
	char process_name[32]; /* Name of input 0 if inputs.pid is not 0 */
	char living[100];      /* Title of the process: its name and its command */
	struct row_card card;
	bool no_mouse;
};

static const struct opt browse_opts[] = {
	{ O_PID, 0, false, "pid", "PID", "the heap of a recorded process that runs" },
#define INPUT_BY_HELP                                                                              \
	"what rows are grouped by at first: data sources of\n"                                     \
	"                              programs (default: sections,symbols), or what\n"            \
	"                              heft diff and heft heap show have as --by"
#include "cli/input_opts.inc"
	{ 0, 0, false, "no-mouse", NULL, "leave the mouse to the terminal",
	  SETS(struct browse_job, no_mouse) },
	{ .help = "Where things are:" },
#include "cli/find_opts.inc"
#include "cli/exe_opts.inc"
#include "cli/region_opts.inc"
#include "cli/last_opts.inc"
};

static const char browse_manual[] =
	"Shows where the bytes go as a tree to look through, on this terminal.  INPUT:\n"
	"programs, .size and .sizediff files, cores and recordings of heaps.  With BASE\n"
	"files after '--', what changed.  --pid shows a process as it goes on.  The key ?\n"
	"tells what the others do.\n";

static bool browse_apply(void *ctx, const struct opt *o, const char *value)
{
	struct browse_job *job = ctx;
	uint64_t pid;
	if (o->id != O_PID)
		return run_apply(job, o, value);
	if (!cli_number(job->inputs.run.cli, o, value, INT32_MAX, &pid))
		return false;
	job->inputs.pid = (uint32_t)pid;
	return pid > 0 || cli_bad_value(job->inputs.run.cli, o, value, "a process id");
}

static bool browse_add_operand(void *ctx, const char *word)
{
	return inputs_add(&((struct browse_job *)ctx)->inputs, word, false);
}

static bool browse_add_base(void *ctx, const char *word)
{
	return inputs_add(&((struct browse_job *)ctx)->inputs, word, true);
}

static const char *title(void *ctx, size_t input)
{
	struct browse_job *job = ctx;
	struct heft_heap_info info = { .size = sizeof info };
	if (job->opened[input].lives) {
		heft_heap_info(job->opened[input].heap, &info, NULL);
		snprintf(job->living, sizeof job->living, "%s: %.50s", job->process_name,
			 info.command);
		return job->living;
	}
	return cli_file_name(job->inputs.files.paths[input]);
}

static const char *const *groups(void *ctx, size_t input)
{
	return input_groups(&((const struct browse_job *)ctx)->opened[input]);
}

static bool browse_open_row(void *of, const struct heft_row *row)
{
	return heft_profile_open_row(of, row, NULL);
}

static bool browse_filter_rows(void *of, const struct heft_row_filter *f, uint64_t *ret_count)
{
	return heft_profile_filter_rows(of, f, ret_count, NULL);
}

static bool browse_open_filtered(void *of, const struct heft_row *row,
				 const struct heft_row *const **ret_list, size_t *ret_count)
{
	return heft_profile_open_filtered(of, row, ret_list, ret_count, NULL);
}

static enum heft_filtered browse_filtered(void *of, const struct heft_row *row,
					  const uint64_t **ret_now, const uint64_t **ret_base)
{
	return heft_profile_filtered(of, row, ret_now, ret_base);
}

static bool open_with(const struct inputs *inputs, size_t i, const char *by, struct input *in,
		      struct browse_table *ret, struct heft_err *err)
{
	bool good = cli_input_open(inputs, i, by, in, err);
	*ret = (struct browse_table){ .table = NULL };
	if (!good && in->unknown[0] != '\0')
		snprintf(err->text, sizeof err->text, "no such data source: '%s'", in->unknown);
	if (good)
		ret->table = input_table(in, by, &ret->only_now, err);
	good = good && ret->table != NULL;
	if (good && in->profile != NULL) {
		heft_session_set_progress(in->session, NULL, NULL);
		ret->rows = (struct browse_rows){ browse_open_row, browse_filter_rows,
						  browse_open_filtered, browse_filtered,
						  in->profile };
	}
	memcpy(ret->by, in->by, sizeof ret->by);
	ret->lives = in->lives;
	if (!good)
		cli_input_close(in);
	return good;
}

static void *browse_make(void *ctx, size_t i, const struct browse_wish *wish,
			 struct browse_table *ret, struct heft_err *err)
{
	struct inputs inputs = ((const struct browse_job *)ctx)->inputs;
	struct input *in = calloc(1, sizeof *in);
	inputs.run.session = heft_session_copy(inputs.run.session);
	bool good = (in != NULL && inputs.run.session != NULL) || cli_no_memory(err);
	if (good) {
		heft_session_set_progress(inputs.run.session, wish->progress, wish->progress_ctx);
		good = open_with(&inputs, i, wish->by, in, ret, err);
	}
	heft_session_free(inputs.run.session);
	if (good)
		return in;
	free(in);
	return NULL;
}

static void browse_drop(void *ctx, void *made)
{
	(void)ctx;
	cli_input_close(made);
	free(made);
}

static void browse_take(void *ctx, size_t i, void *made)
{
	struct input *opened = &((struct browse_job *)ctx)->opened[i];
	cli_input_close(opened);
	*opened = *(struct input *)made;
	free(made);
}

/* Opens an input with rows grouped by `by`. Measures programs again, but not lists and heaps. */
static bool open_input(void *ctx, size_t i, const char *by, struct browse_table *ret,
		       struct heft_err *err)
{
	struct browse_job *job = ctx;
	struct input *opened = &job->opened[i], in = { 0 };
	if (opened->title == NULL || opened->kind == INPUT_PROFILE) {
		if (!open_with(&job->inputs, i, by, &in, ret, err))
			return false;
		cli_input_close(opened);
		*opened = in;
		return true;
	}
	*ret = (struct browse_table){ .table = NULL };
	ret->table = input_table(opened, by, &ret->only_now, err);
	ret->lives = opened->lives;
	memcpy(ret->by, opened->by, sizeof ret->by);
	return ret->table != NULL;
}

/* Shows the sizes of a program's sections at once, from its headers. False for other inputs. */
static bool glance(void *ctx, struct browse_table *ret)
{
	struct browse_job *job = ctx;
	struct inputs inputs = job->inputs;
	enum heft_input_kind kind;
	struct heft_err err;
	if (inputs.pid != 0 ||
	    !heft_input_look(inputs.run.session, inputs.files.paths[0], &kind, &err) ||
	    kind != HEFT_INPUT_PROGRAM)
		return false;
	inputs.perf = NULL;
	inputs.run.session = heft_session_copy(inputs.run.session);
	if (inputs.run.session == NULL)
		return false;
	heft_session_set_progress(inputs.run.session, NULL, NULL);
	const bool good = open_with(&inputs, 0, "sections", &job->opened[0], ret, &err);
	heft_session_free(inputs.run.session);
	return good;
}

static void card(void *ctx, size_t input, const struct browse_row *row, FILE *to)
{
	struct browse_job *job = ctx;
	ASSERT(input < job->inputs.files.count);
	const struct heft_heap_report *r = job->opened[input].report;
	for (size_t i = 0; r != NULL && i < heft_heap_report_frame_count(r, row->row); i++) {
		const struct heft_frame *f = heft_heap_report_frame(r, row->row, i);
		fprintf(to, "  %s  %s:%u\n", f->function, f->file, (unsigned)f->line);
	}
	row_card_put(&job->card, &job->opened[input], row, to);
}

static bool cmd_browse_code(void *ctx, size_t input, const struct browse_row *row, FILE *to,
			    struct heft_err *err)
{
	struct browse_job *job = ctx;
	return row_card_code(&job->card, &job->opened[input], row, to, err);
}

static size_t notes(void *ctx, size_t input, FILE *to)
{
	const struct browse_job *job = ctx;
	const struct heft_note *n;
	size_t count = 0;
	struct heft_session *s = job->opened[input].session;
	for (; s != NULL && (n = heft_session_note(s, count)) != NULL; count++)
		if (to != NULL)
			fprintf(to, "%s: %s (%llu times, %llu bytes)\n", n->path, n->text,
				(unsigned long long)n->count, (unsigned long long)n->bytes);
	return count;
}

/* Adds a tab for input i. Opens a profile again: the page shows how sure owners are, and what keeps
 * them. */
static bool fill_tab(const struct browse_job *job, size_t i, struct heft_page *page,
		     struct heft_err *err)
{
	const struct input *opened = &job->opened[i];
	if (opened->kind != INPUT_PROFILE)
		return input_add_to(&job->inputs, i, opened, page, err);
	struct inputs all = job->inputs;
	struct input in;
	all.flags |= HEFT_PROFILE_HOW_SURE | HEFT_PROFILE_KEEPERS;
	const bool good = cli_input_open(&all, i, opened->by, &in, err) &&
			  input_add_to(&all, i, &in, page, err);
	cli_input_close(&in);
	return good;
}

static bool fill_page(struct browse_job *job, struct heft_page *page, struct heft_err *err)
{
	struct browse_table table;
	for (size_t i = 0; i < job->inputs.files.count; i++) {
		if (job->opened[i].title == NULL && !open_input(job, i, NULL, &table, err))
			return false;
		if (!fill_tab(job, i, page, err))
			return false;
		if (job->opened[i].all)
			return true;
	}
	return true;
}

static bool cmd_browse_write_page(void *ctx, const char *path, struct heft_err *err)
{
	struct browse_job *job = ctx;
	struct heft_page *page = heft_page_new(job->inputs.run.session);
	struct outfile out;
	*err = (struct heft_err){ .code = HEFT_EARG, .offset = HEFT_NO_OFFSET };
	snprintf(err->text, sizeof err->text, "%.300s: cannot write there", path);
	bool input = false;
	for (size_t i = 0; i < job->inputs.files.count && !input; i++)
		input = outfile_is(path, job->inputs.files.paths[i]);
	bool good = (page != NULL || cli_no_memory(err)) && !input && fill_page(job, page, err) &&
		    outfile_open(&out, path);
	if (good && heft_page_write(page, &(struct heft_sink){ outfile_put, out.f }, err))
		good = outfile_close(&out);
	else if (good)
		good = (outfile_drop(&out), false);
	heft_page_free(page);
	return good;
}

static int cmd_browse_look(struct browse_job *job)
{
	const struct cli *cli = job->inputs.run.cli;
	const struct browse_ops ops = {
		.ctx = job,
		.input_count = job->inputs.files.count,
		.title = title,
		.groups = groups,
		.open = open_input,
		.make = browse_make,
		.take = browse_take,
		.drop = browse_drop,
		.glance = glance,
		.card = card,
		.code = cmd_browse_code,
		.notes = notes,
		.page = cmd_browse_write_page,
	};
	struct heft_err err;
	const unsigned flags = (term_color(TERM_AUTO) ? BROWSE_COLOR : 0) |
			       (job->no_mouse ? 0 : BROWSE_MOUSE);
	heft_session_set_progress(job->inputs.run.session, browse_progress, NULL);
	job->inputs.flags = HEFT_PROFILE_RANGES | HEFT_PROFILE_ALIASES | HEFT_PROFILE_LEVELWISE;
	job->card.inputs = &job->inputs;
	const bool good = browse_run(&ops, job->inputs.by, flags, &err);
	row_card_release(&job->card);
	return good ? EXIT_FINE : cli_failed(cli, &err);
}

/* If the user named a process, makes it the only input and names it. False after a message. */
static bool name_process(struct browse_job *job)
{
	const struct cli *cli = job->inputs.run.cli;
	if (job->inputs.pid == 0)
		return true;
	if (job->inputs.files.count > 0)
		return cli_error(cli, "--pid goes without files: %s", job->inputs.files.paths[0]) ==
		       EXIT_FINE;
	snprintf(job->process_name, sizeof job->process_name, "process %u",
		 (unsigned)job->inputs.pid);
	return inputs_add(&job->inputs, job->process_name, false);
}

static int cmd_browse_run(struct browse_job *job)
{
	const struct cli *cli = job->inputs.run.cli;
	if (!name_process(job))
		return EXIT_TROUBLE;
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
	const int status = cmd_browse_look(job);
	for (size_t i = 0; i < count; i++)
		cli_input_close(&job->opened[i]);
	free(job->opened);
	return status;
}

static int cmd_browse(const struct cli *cli, int argc, char **argv)
{
	static const struct cli_words words = { browse_apply, browse_add_operand, browse_add_base };
	struct browse_job job = { .inputs = inputs_new(cli) };
	int status = cli_parse(&job, argc, argv, &words);
	if (status == CLI_GO_ON)
		status = cmd_browse_run(&job);
	inputs_release(&job.inputs);
	return status;
}

static const struct command commands[] = {
	COMMAND(browse, "browse", "[OPTION]... INPUT... [-- BASE...]",
		"a tree of where the bytes go, on this terminal"),
};

int main(int argc, char **argv)
{
	return program_main("browse", &(struct commands){ commands, 1 }, argc, argv);
}
