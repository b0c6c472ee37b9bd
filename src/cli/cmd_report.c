/* Implements heft report: writes one HTML page. */
#include "cli/inputs.h"

#include <unistd.h>

struct cli_report_job {
	struct inputs inputs;
	struct heft_page *page;
};

const struct opt report_opts[] = {
#define INPUT_BY_HELP                                                                              \
	"data sources of programs to group by (default:\n"                                         \
	"                              sections,compileunits,packages,namespaces,symbols)"
#include "cli/input_opts.inc"
	{ O_OUTPUT, 'o', true, "output", "FILE", "write there, all or nothing" },
	{ 0, 0, false, "with-arguments", NULL, "of dumps, state the arguments of the command",
	  ADDS(struct inputs, heap_flags, HEFT_HEAP_ARGUMENTS) },
	{ 0, 0, false, "disassembly", NULL, "cards of functions of programs have their code",
	  SETS(struct inputs, code) },
	{ .help = "Where things are:" },
#include "cli/find_opts.inc"
#include "cli/exe_opts.inc"
#include "cli/region_opts.inc"
#include "cli/notes_opts.inc"
};

const char report_manual[] =
	"Writes one html file that shows where the bytes go, for a browser without a\n"
	"network: treemap, flame graph, table, to be grouped and filtered as one looks.\n"
	"INPUT: programs, .size and .sizediff files, cores and recordings of heaps, each\n"
	"a tab; and what perf record wrote, for a tab of what ran of a program.  With\n"
	"BASE files after '--', what changed; of one program and one base there is also\n"
	"a tab of their symbols, with what was renamed and moved.\n";

static bool cmd_report_add_operand(void *ctx, const char *word)
{
	return inputs_add(&((struct cli_report_job *)ctx)->inputs, word, false);
}

static bool report_add_base(void *ctx, const char *word)
{
	return inputs_add(&((struct cli_report_job *)ctx)->inputs, word, true);
}

/* Adds the diff of symbols. A profile pairs its rows only by label, but the diff also shows renamed
 * and moved symbols. Ignores failures, because the page is complete without the diff. */
static void report_add_symbols(const struct cli_report_job *job, const struct input *of)
{
	const struct inputs *all = &job->inputs;
	struct heft_err err;
	struct input in;
	ASSERT(of->profile != NULL);
	if (!input_open_symbols(all, of, &in, &err) ||
	    !input_add_to(all, 0, &in, job->page, &err)) {
		char text[sizeof err.text + 40];
		snprintf(text, sizeof text, "no tab of symbols: %s", err.text);
		note_print(all->run.cli,
			   &(struct heft_note){ .path = all->files.paths[0],
						.text = text,
						.offset = HEFT_NO_OFFSET,
						.count = 1 },
			   false);
	}
	cli_input_close(&in);
}

/* Adds an input. The first program adds one comparison of all programs with all bases. */
static bool report_add_input(const struct cli_report_job *job, size_t i, bool *ret_all)
{
	const struct inputs *all = &job->inputs;
	struct heft_err err;
	struct input in;
	bool good = cli_input_open(all, i, all->by, &in, &err) &&
		    input_add_to(all, i, &in, job->page, &err);
	input_print_notes(all, &in);
	if (!good)
		input_failed(all, &in, &err);
	else if (in.all && all->files.count == 1 && all->bases.count == 1 && all->by == NULL)
		report_add_symbols(job, &in);
	*ret_all = in.all;
	cli_input_close(&in);
	return good;
}

static bool report_write_page(void *ctx, FILE *to, struct heft_err *err)
{
	return heft_page_write(((const struct cli_report_job *)ctx)->page,
			       &(struct heft_sink){ outfile_put, to }, err);
}

static int cmd_report_run(struct cli_report_job *job)
{
	const struct cli *cli = job->inputs.run.cli;
	const char *output = job->inputs.run.out.path;
	const struct input_files *files = &job->inputs.files;
	bool all = false;
	ASSERT(job->page != NULL && job->inputs.rows > 0);
	if (job->inputs.by != NULL) /* The user named data sources. */
		job->inputs.flags &= ~(unsigned)HEFT_PROFILE_REGIONS;
	if (files->count == 0)
		return cli_error(cli, "must specify at least one file; try '%s --help'",
				 cli->usage);
	if (!job->inputs.run.out.has_path && isatty(STDOUT_FILENO))
		return cli_error(cli, "a page is not for a terminal; name a file with -o");
	for (size_t i = 0; i < files->count && !all; i++)
		if (!outfile_spares(cli, output, files->paths[i]) ||
		    !report_add_input(job, i, &all))
			return EXIT_TROUBLE;
	return outfile_write(cli, output, report_write_page, job);
}

int cmd_report(const struct cli *cli, int argc, char **argv)
{
	static const struct cli_words words = { NULL, cmd_report_add_operand, report_add_base };
	struct cli_report_job job = { .inputs = inputs_new(cli) };
	job.page = cli_made(cli, heft_page_new(job.inputs.run.session));
	job.inputs.rows = 1; /* The page shows all rows. */
	job.inputs.flags = HEFT_PROFILE_RANGES | HEFT_PROFILE_REGIONS | HEFT_PROFILE_HOW_SURE |
			   HEFT_PROFILE_KEEPERS;
	job.inputs.usual = "sections,compileunits,packages,namespaces,symbols";
	int status = cli_parse(&job, argc, argv, &words);
	if (status == CLI_GO_ON)
		status = cmd_report_run(&job);
	inputs_release(&job.inputs);
	heft_page_free(job.page);
	return status;
}
