/* Implements heft blocks profile: counts how often basic blocks ran, from samples. */
#include "cli/functions.h"
#include "cli/notes.h"
#include "cli/output.h"

#include <stdio.h>
#include <string.h>

enum {
	O_PERF = O_OWN,
	O_SCRIPT,
	O_ADDRESSES,
	O_FORCE,
	O_FUNCTION,
	O_DEMANGLE,
};

const struct opt blocks_profile_opts[] = {
	{ O_PERF, 0, false, "perf", "FILE", "samples as perf record writes them" },
	{ O_SCRIPT, 0, false, "script", "FILE", "what perf script -F ip,brstack printed" },
	{ O_ADDRESSES, 0, false, "addresses", "FILE", "a line an address, perhaps a count behind" },
#define OUTPUT_ROWS         "functions, and blocks of each, 0: all (20)"
#define OUTPUT_SORT         "count|name"
#define OUTPUT_SORT_HELP    "count (default) or name"
#define OUTPUT_FORMATS      NULL
#define OUTPUT_FORMATS_HELP "see above (default: table)"
#include "cli/output_opts.inc"
	{ O_FUNCTION, 0, false, "function", "NAME", "this function alone" },
	{ O_FORCE, 0, false, "force", NULL, "samples of another build are fine" },
	{ O_DEMANGLE, 'C', false, "demangle", "none|short|full", "names (default: full)" },
#include "cli/find_opts.inc"
	{ O_VERBOSE, 'v', false, NULL, NULL, "notes with offsets" },
#include "cli/last_opts.inc"
	{ 0 },
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

struct profile_job {
	const struct cli *cli;
	struct heft_blocks *blocks;
	struct heft_session *session;
	struct heft_samples *read;
	enum heft_samples_form form;
	struct output out;
	struct heft_samples_query query;
	bool verbose;
	unsigned flags; /* Bits of enum heft_samples_flag */
	const char *file, *samples;
	size_t file_count, samples_count;
};

static bool blocks_profile_apply_sort(struct profile_job *job, const struct opt *o,
				      const char *value)
{
	static const struct choice sorts[] = { { "count", HEFT_SORT_SIZE },
					       { "size", HEFT_SORT_SIZE },
					       { "name", HEFT_SORT_NAME },
					       { NULL, 0 } };
	struct opt told = *o;
	unsigned sort;
	told.value = "count, name";
	if (!cli_choice(job->cli, &told, value, sorts, &sort))
		return false;
	job->query.sort = (enum heft_sort)sort;
	return true;
}

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
	const enum output_answer answer = output_apply(&job->out, job->cli, o, value);
	unsigned style;
	if (answer != OUTPUT_OTHER)
		return answer == OUTPUT_TAKEN;
	switch (o->id) {
	case O_PERF: return apply_samples(job, HEFT_SAMPLES_PERF, value);
	case O_SCRIPT: return apply_samples(job, HEFT_SAMPLES_SCRIPT, value);
	case O_ADDRESSES: return apply_samples(job, HEFT_SAMPLES_ADDRESSES, value);
	case O_SORT: return blocks_profile_apply_sort(job, o, value);
	case O_FUNCTION: job->query.function = value; break;
	case O_FORCE: job->flags |= HEFT_SAMPLES_ANY_BUILD; break;
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

/* Takes an operand: the program, or a file of samples that is recognized without --perf. */
static bool blocks_profile_add_operand(void *ctx, const char *word)
{
	struct profile_job *job = ctx;
	enum heft_input_kind kind;
	if (heft_input_look(job->session, word, &kind, NULL) && kind == HEFT_INPUT_SAMPLES)
		return apply_samples(job, HEFT_SAMPLES_PERF, word);
	job->file = word;
	job->file_count++;
	return true;
}

static bool write_samples(void *ctx, FILE *to, struct heft_err *err)
{
	const struct profile_job *job = ctx;
	const struct heft_sink sink = output_sink(&job->out, to);
	return heft_samples_write(job->read, &job->query, &job->out.write, &sink, err);
}

static int blocks_profile_report(struct profile_job *job)
{
	struct heft_err err;
	ASSERT(job->samples != NULL && job->read == NULL);
	job->read = heft_samples_new(job->blocks, job->samples, job->form, job->flags, &err);
	if (job->read == NULL)
		return cli_failed(job->cli, &err);
	job->query.rows = output_rows(&job->out, 20);
	int status = outfile_write(job->cli, job->out.path, write_samples, job);
	fflush(stdout);
	notes_print_each(job->cli, job->session, job->verbose);
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
		return cli_error(job->cli, "must specify one file; try '%s --help'",
				 job->cli->usage);
	if (job->samples_count != 1)
		return cli_error(job->cli,
				 "must specify one of --perf, --script and --addresses; try '%s "
				 "--help'",
				 job->cli->usage);
	if (!heft_blocks_open(job->blocks, job->file, &err))
		return cli_failed(job->cli, &err);
	if (heft_blocks_function_count(job->blocks) == 0) {
		cli_error(job->cli, "%s: no basic-block map", job->file);
		return EXIT_NO;
	}
	if (job->query.function &&
	    !heft_blocks_named(job->blocks, job->query.function, &numbers, &count, &err)) {
		say_no_function(job->cli, job->blocks, job->query.function, &err);
		return EXIT_NO;
	}
	return blocks_profile_report(job);
}

int cmd_blocks_profile(const struct cli *cli, int argc, char **argv)
{
	struct profile_job job = { .cli = cli,
				   .session = cli_session(cli),
				   .query = { .size = sizeof job.query } };
	job.blocks = cli_made(cli, heft_blocks_new(job.session));
	output_init(&job.out, formats);
	static const struct cli_words words = { blocks_profile_apply, blocks_profile_add_operand };
	int status = cli_parse(cli, argc, argv, &words, &job);
	if (status == CLI_GO_ON && !output_settle(&job.out, cli))
		status = EXIT_TROUBLE;
	if (status == CLI_GO_ON)
		status = blocks_profile_run(&job);
	heft_session_free(job.session);
	heft_blocks_free(job.blocks);
	return status;
}
