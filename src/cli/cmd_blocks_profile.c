/* heft blocks profile: how often basic blocks ran, from samples. */
#include "cli/notes.h"
#include "cli/outfile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
	O_HELP = 1,
	O_VERSION,
	O_PERF,
	O_SCRIPT,
	O_ADDRESSES,
	O_FORMAT,
	O_OUTPUT,
	O_FORCE,
	O_DEMANGLE,
	O_DEBUG_FILE,
	O_DEBUG_DIR,
	O_NO_SEARCH,
	O_VERBOSE,
};

const struct opt blocks_profile_opts[] = {
	{ O_PERF, 0, false, "perf", "FILE", "samples as perf record writes them" },
	{ O_SCRIPT, 0, false, "script", "FILE", "what perf script -F ip,brstack printed" },
	{ O_ADDRESSES, 0, false, "addresses", "FILE", "a line an address, perhaps a count behind" },
	{ O_FORMAT, 0, false, "output-format", "FORMAT", "see above (default: table)" },
	{ O_OUTPUT, 'o', false, NULL, "FILE", "write there" },
	{ O_FORCE, 0, false, "force", NULL, "samples of another build are fine" },
	{ O_DEMANGLE, 'C', false, "demangle", "none|short|full", "names (default: full)" },
	{ O_DEBUG_FILE, 0, false, "debug-file", "FILE", "separate debug file, same build id" },
	{ O_DEBUG_DIR, 'D', false, "debug-dir", "DIR", "look for debug files here first" },
	{ O_NO_SEARCH, 0, false, "no-debug-search", NULL, "use no debug file that was not named" },
	{ O_VERBOSE, 'v', false, NULL, NULL, "notes with offsets" },
	{ O_HELP, 'h', false, "help", NULL, "show this and stop" },
	{ O_VERSION, 0, false, "version", NULL, "show heft's version and stop" },
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
	enum heft_samples_form form;
	enum heft_samples_format format;
	bool verbose, force;
	const char *file, *samples, *output;
	size_t file_count, samples_count;
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
	case O_DEBUG_FILE: heft_blocks_add_debug_file(job->blocks, value); break;
	case O_DEBUG_DIR: heft_blocks_add_debug_dir(job->blocks, value); break;
	case O_NO_SEARCH: heft_blocks_set_find_debug(job->blocks, false); break;
	case O_VERBOSE: job->verbose = true; break;
	default: break;
	}
	return true;
}

static bool add_operand(void *ctx, const char *word)
{
	struct profile_job *job = ctx;
	job->file = word;
	job->file_count++;
	return true;
}

/* ---- the profile ------------------------------------------------------------------------------- */

static bool put_piece(void *ctx, const void *data, size_t size)
{
	return fwrite(data, 1, size, ctx) == size;
}

static int cannot_write(const struct profile_job *job)
{
	const char *name = job->output != NULL ? job->output : "standard output";
	return cli_error(job->cli, "%s: cannot write: %s", name, strerror(errno));
}

static int write_out(const struct profile_job *job, struct heft_samples *samples)
{
	struct heft_err err;
	struct outfile out;
	if (!outfile_open(&out, job->output))
		return cannot_write(job);
	if (!heft_samples_write(samples, job->format, put_piece, out.f, &err)) {
		const int status = err.code == HEFT_EIO ? cannot_write(job)
							: cli_failed(job->cli, &err);
		outfile_drop(&out);
		return status;
	}
	return outfile_close(&out) ? EXIT_FINE : cannot_write(job);
}

static int report(const struct profile_job *job)
{
	struct heft_err err;
	struct heft_samples *samples = heft_samples_read(job->blocks, job->samples, job->form,
							 job->force, &err);
	if (samples == NULL)
		return cli_failed(job->cli, &err);
	int status = write_out(job, samples);
	fflush(stdout);
	for (size_t i = 0; i < heft_blocks_note_count(job->blocks); i++)
		note_print(job->cli, heft_blocks_note(job->blocks, i), job->verbose);
	if (status == EXIT_FINE && heft_samples_get_info(samples)->inside == 0)
		status = EXIT_NO;
	heft_samples_free(samples);
	return status;
}

static int run(const struct profile_job *job)
{
	struct heft_err err;
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
	return report(job);
}

int cmd_blocks_profile(const struct cli *cli, int argc, char **argv)
{
	static const struct cli_words words = { apply, add_operand };
	struct profile_job job = { .cli = cli, .blocks = heft_blocks_new() };
	int status = cli_parse(cli, argc, argv, &words, &job);
	if (status == CLI_GO_ON)
		status = run(&job);
	heft_blocks_free(job.blocks);
	return status;
}
