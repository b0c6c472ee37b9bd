/* heft blocks profile: how often basic blocks ran, from samples. */
#include "cli/notes.h"
#include "cli/outfile.h"

#include <stdio.h>
#include <string.h>

enum {
	O_PERF = O_OWN,
	O_SCRIPT,
	O_ADDRESSES,
	O_FORMAT,
	O_OUTPUT,
	O_FORCE,
	O_DEMANGLE,
};

const struct opt blocks_profile_opts[] = {
	{ O_PERF, 0, false, "perf", "FILE", "samples as perf record writes them" },
	{ O_SCRIPT, 0, false, "script", "FILE", "what perf script -F ip,brstack printed" },
	{ O_ADDRESSES, 0, false, "addresses", "FILE", "a line an address, perhaps a count behind" },
	{ O_FORMAT, 0, false, "output-format", "FORMAT", "see above (default: table)" },
	{ O_OUTPUT, 'o', false, NULL, "FILE", "write there" },
	{ O_FORCE, 0, false, "force", NULL, "samples of another build are fine" },
	{ O_DEMANGLE, 'C', false, "demangle", "none|short|full", "names (default: full)" },
#include "cli/bolt_opts.inc"
#include "cli/find_opts.inc"
	{ O_VERBOSE, 'v', false, NULL, NULL, "notes with offsets" },
#include "cli/last_opts.inc"
	{ 0 },
};

const char blocks_profile_manual[] =
	"Counts how often the basic blocks of a program or shared object ran, by samples\n"
	"of branches (perf record -j any,u), or where its time went, by others.\n\n"
	"Formats: table, csv, json, folded; propeller-v0 and propeller-v1 for clang\n"
	"-fbasic-block-sections=list=, symbol-order for ld.lld --symbol-ordering-file,\n"
	"autofdo for create_gcov --profiler=text, fdata for llvm-bolt -data=.\n";

static const struct choice format_choices[] = {
	{ "table", HEFT_SAMPLES_TABLE },
	{ "csv", HEFT_SAMPLES_CSV },
	{ "json", HEFT_SAMPLES_JSON },
	{ "folded", HEFT_SAMPLES_FOLDED },
	{ "propeller-v0", HEFT_SAMPLES_PROPELLER_V0 },
	{ "propeller-v1", HEFT_SAMPLES_PROPELLER_V1 },
	{ "symbol-order", HEFT_SAMPLES_SYMBOL_ORDER },
	{ "autofdo", HEFT_SAMPLES_AUTOFDO },
	{ "fdata", HEFT_SAMPLES_FDATA },
	{ NULL, 0 },
};

struct profile_job {
	const struct cli *cli;
	struct heft_blocks *blocks;
	struct heft_finder *finder;
	struct heft_samples *read;
	enum heft_samples_form form;
	enum heft_samples_format format;
	bool verbose, force;
	const char *file, *samples, *output;
	size_t samples_count;
};

/* ---- the command line -------------------------------------------------------------------------- */

static bool apply_style(struct profile_job *job, const struct opt *o, const char *value)
{
	unsigned style;
	if (!cli_choice(job->cli, o, value, style_choices, &style))
		return false;
	heft_blocks_set_demangle(job->blocks, (enum heft_demangle)style);
	return true;
}

static bool apply_format(struct profile_job *job, const struct opt *o, const char *value)
{
	for (const struct choice *c = format_choices; c->word != NULL; c++)
		if (strcmp(c->word, value) == 0) {
			job->format = (enum heft_samples_format)c->value;
			return true;
		}
	return cli_bad_value(job->cli, o, value, "a format; see --help");
}

static bool apply_samples(struct profile_job *job, enum heft_samples_form form, const char *value)
{
	job->form = form;
	job->samples = value;
	job->samples_count++;
	return true;
}

static bool apply(void *ctx, const struct opt *o, const char *value)
{
	struct profile_job *job = ctx;
	switch (o->id) {
	case O_PERF: return apply_samples(job, HEFT_SAMPLES_PERF, value);
	case O_SCRIPT: return apply_samples(job, HEFT_SAMPLES_SCRIPT, value);
	case O_ADDRESSES: return apply_samples(job, HEFT_SAMPLES_ADDRESSES, value);
	case O_FORMAT: return apply_format(job, o, value);
	case O_OUTPUT: job->output = value; break;
	case O_FORCE: job->force = true; break;
	case O_DEMANGLE: return apply_style(job, o, value);
	case O_BOLT_INPUT: heft_blocks_set_bolt_input(job->blocks, value); break;
	case O_VERBOSE: job->verbose = true; break;
	default: return cli_find(job->cli, job->finder, o, value);
	}
	return true;
}

/* ---- the profile ------------------------------------------------------------------------------- */

static bool write_samples(void *ctx, FILE *to, struct heft_err *err)
{
	const struct profile_job *job = ctx;
	return heft_samples_write(job->read, job->format, outfile_put, to, err);
}

static int report(struct profile_job *job)
{
	struct heft_err err;
	job->read = heft_samples_read(job->blocks, job->samples, job->form, job->force, &err);
	if (job->read == NULL)
		return cli_failed(job->cli, &err);
	int status = outfile_write(job->cli, job->output, write_samples, job);
	fflush(stdout);
	for (size_t i = 0; i < heft_blocks_note_count(job->blocks); i++)
		note_print(job->cli, heft_blocks_note(job->blocks, i), job->verbose);
	if (status == EXIT_FINE && heft_samples_get_info(job->read)->inside == 0)
		status = EXIT_NO;
	heft_samples_free(job->read);
	return status;
}

static int run(struct profile_job *job)
{
	struct heft_err err;
	if (job->samples_count != 1)
		return cli_error(job->cli,
				 "must specify one of --perf, --script and --addresses; try '%s "
				 "--help'",
				 job->cli->usage);
	heft_blocks_set_finder(job->blocks, job->finder);
	if (!heft_blocks_open(job->blocks, job->file, &err))
		return cli_failed(job->cli, &err);
	if (heft_blocks_function_count(job->blocks) == 0) {
		cli_error(job->cli, "%s: no basic-block map", job->file);
		return EXIT_NO;
	}
	return report(job);
}

int cmd_blocks_profile(const struct cli *cli, int argc, char **argv)
{
	struct profile_job job = { .cli = cli,
				   .blocks = heft_blocks_new(),
				   .finder = heft_finder_new() };
	int status = cli_parse_file(cli, argc, argv, apply, &job, &job.file);
	if (status == CLI_GO_ON)
		status = run(&job);
	heft_finder_free(job.finder);
	heft_blocks_free(job.blocks);
	return status;
}
