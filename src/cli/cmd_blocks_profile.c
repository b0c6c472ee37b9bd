/* Implements heft blocks profile: counts how often basic blocks ran, from samples. */
#include "cli/functions.h"
#include "cli/run.h"

#include <stdio.h>

enum { O_PERF = O_OWN, O_SCRIPT, O_ADDRESSES };

struct profile_job {
	struct command_run run;
	struct heft_blocks *blocks;
	struct heft_samples *read;
	enum heft_samples_form form;
	struct heft_samples_query query;
	unsigned flags; /* Bits of enum heft_samples_flag */
	const char *file, *samples;
	size_t file_count, samples_count;
};

static const struct choice sorts[] = { { "count", HEFT_SORT_SIZE },
				       { "size", HEFT_SORT_SIZE },
				       { "name", HEFT_SORT_NAME },
				       { NULL, 0 } };

const struct opt blocks_profile_opts[] = {
	{ O_PERF, 0, false, "perf", "FILE", "samples as perf record writes them" },
	{ O_SCRIPT, 0, false, "script", "FILE", "what perf script -F ip,brstack printed" },
	{ O_ADDRESSES, 0, false, "addresses", "FILE", "a line an address, perhaps a count behind" },
#define OUTPUT_ROWS         "functions, and blocks of each, 0: all (20)"
#define OUTPUT_SORT_PICKS   PICKS(struct profile_job, query.sort, sorts)
#define OUTPUT_SORT         "count|name"
#define OUTPUT_SORT_HELP    "count (default) or name"
#define OUTPUT_FORMATS      NULL
#define OUTPUT_FORMATS_HELP "see above (default: table)"
#include "cli/output_opts.inc"
	{ 0, 0, false, "function", "NAME", "this function alone",
	  KEEPS(struct profile_job, query.function) },
	{ 0, 0, false, "force", NULL, "samples of another build are fine",
	  ADDS(struct profile_job, flags, HEFT_SAMPLES_ANY_BUILD) },
	{ O_DEMANGLE, 'C', false, "demangle", "none|short|full", "names (default: full)" },
#include "cli/find_opts.inc"
#include "cli/notes_opts.inc"
};

const char blocks_profile_manual[] =
	"Counts how often the basic blocks of a program or shared object ran, by samples\n"
	"of branches (perf record -j any,u), or where its time went, by others.\n\n"
	"Formats: table, csv, tsv, json, markdown, folded, pprof, svg; propeller for\n"
	"clang -fbasic-block-sections=list=, symbol-order for ld.lld\n"
	"--symbol-ordering-file, autofdo for create_gcov --profiler=text.\n";

static const struct choice formats[] = {
	LIST_FORMATS,
	{ "folded", HEFT_FOLDED },
	{ "pprof", HEFT_PPROF },
	{ "svg", HEFT_SVG },
	{ "propeller", HEFT_PROPELLER },
	{ "symbol-order", HEFT_SYMBOL_ORDER },
	{ "autofdo", HEFT_AUTOFDO },
	{ NULL, 0 },
};

static bool apply_samples(struct profile_job *job, enum heft_samples_form form, const char *value)
{
	job->form = form;
	job->samples = value;
	job->samples_count++;
	return true;
}

static bool blocks_profile_apply(void *ctx, const struct opt *o, const char *value)
{
	struct profile_job *job = ctx;
	switch (o->id) {
	case O_PERF: return apply_samples(job, HEFT_SAMPLES_PERF, value);
	case O_SCRIPT: return apply_samples(job, HEFT_SAMPLES_SCRIPT, value);
	case O_ADDRESSES: return apply_samples(job, HEFT_SAMPLES_ADDRESSES, value);
	default: return run_apply(job, o, value);
	}
}

/* Takes an operand: the program, or a file of perf samples. False after a message. */
static bool blocks_profile_add_operand(void *ctx, const char *word)
{
	struct profile_job *job = ctx;
	enum heft_input_kind kind;
	if (heft_input_look(job->run.session, word, &kind, NULL) && kind == HEFT_INPUT_SAMPLES)
		return apply_samples(job, HEFT_SAMPLES_PERF, word);
	job->file = word;
	job->file_count++;
	return true;
}

static bool write_samples(void *ctx, FILE *to, struct heft_err *err)
{
	const struct profile_job *job = ctx;
	const struct heft_sink sink = output_sink(&job->run.out, to);
	return heft_samples_write(job->read, &job->query, &job->run.out.write, &sink, err);
}

static int blocks_profile_report(struct profile_job *job)
{
	struct heft_err err;
	ASSERT(job->samples != NULL && job->read == NULL);
	job->read = heft_samples_new(job->blocks, job->samples, job->form, job->flags, &err);
	if (job->read == NULL)
		return cli_failed(job->run.cli, &err);
	job->query.rows = output_rows(&job->run.out, 20);
	int status = outfile_write(job->run.cli, job->run.out.path, write_samples, job);
	fflush(stdout);
	notes_print_each(job->run.cli, job->run.session, job->run.verbose);
	if (status == EXIT_FINE && heft_samples_info(job->read)->inside == 0)
		status = EXIT_NO;
	heft_samples_free(job->read);
	return status;
}

static int blocks_profile_run(struct profile_job *job)
{
	struct heft_err err;
	const size_t *numbers;
	size_t count;
	if (job->file_count != 1)
		return cli_error(job->run.cli, "must specify one file; try '%s --help'",
				 job->run.cli->usage);
	if (job->samples_count != 1)
		return cli_error(job->run.cli,
				 "must specify one of --perf, --script and --addresses; try '%s "
				 "--help'",
				 job->run.cli->usage);
	if (!heft_blocks_open(job->blocks, job->file, &err))
		return cli_failed(job->run.cli, &err);
	if (heft_blocks_function_count(job->blocks) == 0) {
		cli_error(job->run.cli, "%s: no basic-block map", job->file);
		return EXIT_NO;
	}
	if (job->query.function &&
	    !heft_blocks_named(job->blocks, job->query.function, &numbers, &count, &err)) {
		say_no_function(job->run.cli, job->blocks, job->query.function, &err);
		return EXIT_NO;
	}
	return blocks_profile_report(job);
}

int cmd_blocks_profile(const struct cli *cli, int argc, char **argv)
{
	static const struct cli_words words = { blocks_profile_apply, blocks_profile_add_operand };
	struct profile_job job = { .run = run_new(cli, formats),
				   .query = { .size = sizeof job.query } };
	job.blocks = cli_made(cli, heft_blocks_new(job.run.session));
	int status = cli_parse_output(&job, argc, argv, &words);
	if (status == CLI_GO_ON)
		status = blocks_profile_run(&job);
	run_release(&job.run);
	heft_blocks_free(job.blocks);
	return status;
}
