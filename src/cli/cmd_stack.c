/* Implements heft stack: shows how many bytes of stack each function takes. */
#include "cli/notes.h"
#include "cli/output.h"

enum { O_FUNCTION = O_OWN, O_FUNCTIONS, O_DEMANGLE, O_DETAILS };

const struct opt stack_opts[] = {
	{ O_FUNCTION, 0, false, "function", "NAME", "this function alone" },
	{ O_FUNCTIONS, 0, false, "functions", NULL, "all functions, not only where ways begin" },
	{ O_DETAILS, 0, true, "details", NULL, "the deepest way below each row" },
	{ O_DEMANGLE, 'C', false, "demangle", "none|short|full", "names (default: full)" },
#define OUTPUT_ROWS         "rows, 0: all (default: 20 beside handlers)"
#define OUTPUT_FORMATS      "table|csv|tsv|json|markdown"
#define OUTPUT_FORMATS_HELP "table (default), csv, tsv, json, markdown"
#define OUTPUT_NO_STACKS
#include "cli/output_opts.inc"
#include "cli/find_opts.inc"
#include "cli/stack_opts.inc"
	{ O_VERBOSE, 'v', false, NULL, NULL, "notes with offsets" },
#include "cli/last_opts.inc"
	{ 0 },
};

const char stack_manual[] =
	"Tells how much stack a program may take at most: for its entry, its interrupt\n"
	"handlers and all functions that nothing calls directly, with the deepest way of\n"
	"calls.  From the code (x86-64, i386, AArch64, Thumb-2, RISC-V, AVR, Xtensa).\n"
	"What a number does not hold (recursion, indirect calls, unknown callees, alloca)\n"
	"stands beside it.\n";

struct stack_job {
	const struct cli *cli;
	struct heft_stack *stack;
	struct heft_session *session;
	struct output out;
	struct heft_stack_query query;
	bool details, verbose;
	const char *file;
};

static bool stack_apply(void *ctx, const struct opt *o, const char *value)
{
	struct stack_job *job = ctx;
	const enum output_answer answer = output_apply(&job->out, job->cli, o, value);
	unsigned style;
	if (answer != OUTPUT_OTHER)
		return answer == OUTPUT_TAKEN;
	switch (o->id) {
	case O_FUNCTION: job->query.function = value; break;
	case O_FUNCTIONS: job->query.flags |= HEFT_STACK_ALL; break;
	case O_DETAILS: job->details = true; break;
	case O_DEMANGLE:
		if (!cli_choice(job->cli, o, value, style_choices, &style))
			return false;
		heft_session_set_demangle(job->session, (enum heft_demangle)style);
		break;
	case O_VERBOSE: job->verbose = true; break;
	default: return cli_find(job->cli, job->session, o, value);
	}
	return true;
}

static bool stack_write_table(void *ctx, FILE *to, struct heft_err *err)
{
	const struct stack_job *job = ctx;
	const struct heft_sink sink = output_sink(&job->out, to);
	return heft_stack_write(job->stack, &job->query, &job->out.write, &sink, err);
}

static int stack_run(struct stack_job *job)
{
	struct heft_err err;
	enum { USUAL_ROWS = 20 };
	if (!output_settle(&job->out, job->cli))
		return EXIT_TROUBLE;
	if (!heft_stack_open(job->stack, job->file, &err))
		return cli_failed(job->cli, &err);
	job->query.rows = output_rows(&job->out, USUAL_ROWS);
	job->query.flags |= job->out.has_rows ? 0u : HEFT_STACK_MORE_ROWS;
	job->out.write.full = job->details || job->query.function != NULL;
	const int status = outfile_write(job->cli, job->out.path, stack_write_table, job);
	notes_print(job->cli, job->session, job->verbose);
	return status;
}

int cmd_stack(const struct cli *cli, int argc, char **argv)
{
	struct stack_job job = { .cli = cli,
				 .session = cli_session(cli),
				 .query = { .size = sizeof job.query } };
	job.stack = cli_made(cli, heft_stack_new(job.session));
	output_init(&job.out, list_formats);
	int status = cli_parse_file(cli, argc, argv, stack_apply, &job, &job.file);
	if (status == CLI_GO_ON)
		status = stack_run(&job);
	heft_session_free(job.session);
	heft_stack_free(job.stack);
	return status;
}
