/* Implements heft stack: shows how many bytes of stack each function takes. */
#include "cli/run.h"

struct stack_job {
	struct command_run run;
	struct heft_stack *stack;
	struct heft_stack_query query;
	bool details;
};

const struct opt stack_opts[] = {
	{ 0, 0, false, "function", "NAME", "this function alone",
	  KEEPS(struct stack_job, query.function) },
	{ 0, 0, false, "functions", NULL, "all functions, not only where ways begin",
	  ADDS(struct stack_job, query.flags, HEFT_STACK_ALL) },
	{ 0, 0, true, "details", NULL, "the deepest way below each row",
	  SETS(struct stack_job, details) },
	{ O_DEMANGLE, 'C', false, "demangle", "none|short|full", "names (default: full)" },
#define OUTPUT_ROWS "rows, 0: all (default: 20 beside handlers)"
#include "cli/output_opts.inc"
#include "cli/find_opts.inc"
#include "cli/stack_opts.inc"
#include "cli/notes_opts.inc"
};

const char stack_manual[] =
	"Tells how much stack a program may take at most: for its entry, its interrupt\n"
	"handlers and all functions that nothing calls directly, with the deepest way of\n"
	"calls.  From the code (x86-64, i386, AArch64, Thumb-2, RISC-V, AVR, Xtensa).\n"
	"What a number does not hold (recursion, indirect calls, unknown callees, alloca)\n"
	"stands beside it.\n";

static bool stack_write_table(void *ctx, FILE *to, struct heft_err *err)
{
	const struct stack_job *job = ctx;
	const struct heft_sink sink = output_sink(&job->run.out, to);
	return heft_stack_write(job->stack, &job->query, &job->run.out.write, &sink, err);
}

static int stack_run(struct stack_job *job)
{
	struct heft_err err;
	enum { USUAL_ROWS = 20 };
	if (!run_has_words(&job->run, 1, 1, "one file"))
		return EXIT_TROUBLE;
	if (!heft_stack_open(job->stack, job->run.words[0], &err))
		return cli_failed(job->run.cli, &err);
	job->query.rows = output_rows(&job->run.out, USUAL_ROWS);
	job->query.flags |= job->run.out.has_rows ? 0u : HEFT_STACK_MORE_ROWS;
	job->run.out.write.full = job->details || job->query.function != NULL;
	const int status = outfile_write(job->run.cli, job->run.out.path, stack_write_table, job);
	notes_print(job->run.cli, job->run.session, job->run.verbose);
	return status;
}

int cmd_stack(const struct cli *cli, int argc, char **argv)
{
	struct stack_job job = { .run = run_new(cli, list_formats),
				 .query = { .size = sizeof job.query } };
	job.stack = cli_made(cli, heft_stack_new(job.run.session));
	int status = cli_parse_output(&job, argc, argv, NULL);
	if (status == CLI_GO_ON)
		status = stack_run(&job);
	run_release(&job.run);
	heft_stack_free(job.stack);
	return status;
}
