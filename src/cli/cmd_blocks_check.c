/* Implements heft blocks check: checks maps of basic blocks against the code. */
#include "cli/run.h"

const struct opt blocks_check_opts[] = {
#define OUTPUT_FORMATS "table|csv|tsv|json|markdown"
#define OUTPUT_FORMATS_HELP                                                                        \
	"table (default), csv, tsv, markdown: the findings,\n"                                     \
	"                              json: an object each, then one of the sums"
#define OUTPUT_NO_STACKS
#define OUTPUT_LINES
#include "cli/output_opts.inc"
#include "cli/find_opts.inc"
	{ O_VERBOSE, 'v', false, NULL, NULL, "all findings, not the first of each kind" },
#include "cli/last_opts.inc"
};

const char blocks_check_manual[] =
	"Holds the map of basic blocks in FILE against its code: are block starts those\n"
	"of instructions, do jumps lead to blocks, do flags fit, is the map that of\n"
	"this code. Exit status 1: the map is wrong.  Findings that are odd, such as\n"
	"functions without a map, do not count there.\n";

enum { SHOWN = 10 }; /* Number of errors of each kind that are printed without -v */

struct blocks_check_job {
	struct command_run run;
	struct heft_blocks *blocks;
	struct heft_block_check sums;
};

/* Prints the first errors of each kind, or all if the user asked for all. */
static bool blocks_check_put_findings(const struct blocks_check_job *job,
				      const struct heft_sink *sink, struct heft_err *err)
{
	const struct heft_write_opts *opts = &job->run.out.write;
	const bool all = job->run.verbose || opts->format != HEFT_TABLE;
	struct heft_block_finding f = { .size = sizeof f };
	size_t seen[100] = { 0 };
	bool good = heft_block_finding_write(NULL, opts, sink, err);
	for (size_t i = 0; good && heft_blocks_finding(job->blocks, i, &f, NULL); i++) {
		const unsigned kind = (unsigned)(f.id[2] - '0') * 10 + (unsigned)(f.id[3] - '0');
		if (++seen[kind % 100] <= SHOWN || all)
			good = heft_block_finding_write(&f, opts, sink, err);
	}
	for (size_t i = 0; good && !all && i < 100; i++) {
		char line[80];
		if (seen[i] <= SHOWN)
			continue;
		const int size = snprintf(line, sizeof line, "BB%02zu: %zu more (-v)\n", i,
					  seen[i] - SHOWN);
		good = sink->write(sink->ctx, line, (size_t)size);
	}
	return good;
}

static bool blocks_check_put(void *ctx, FILE *to, struct heft_err *err)
{
	const struct blocks_check_job *job = ctx;
	const struct heft_sink sink = output_sink(&job->run.out, to);
	return blocks_check_put_findings(job, &sink, err) &&
	       heft_block_check_write(&job->sums, &job->run.out.write, &sink, err);
}

static int blocks_check_run(struct blocks_check_job *job)
{
	struct heft_err err;
	if (!run_has_words(&job->run, 1, 1, "one file"))
		return EXIT_TROUBLE;
	heft_blocks_set_derive(job->blocks, HEFT_DERIVE_NEVER);
	if (!heft_blocks_open(job->blocks, job->run.words[0], &err) ||
	    !heft_blocks_check(job->blocks, &job->sums, &err))
		return cli_failed(job->run.cli, &err);
	const int status = outfile_write(job->run.cli, job->run.out.path, blocks_check_put, job);
	notes_print_each(job->run.cli, job->run.session, job->run.verbose);
	return status != EXIT_FINE ? status : job->sums.wrong > 0 ? EXIT_NO : EXIT_FINE;
}

int cmd_blocks_check(const struct cli *cli, int argc, char **argv)
{
	struct blocks_check_job job = { .run = run_new(cli, list_formats),
					.sums = { .size = sizeof job.sums } };
	job.blocks = cli_made(cli, heft_blocks_new(job.run.session));
	int status = cli_parse(&job, argc, argv, NULL);
	if (status == CLI_GO_ON)
		status = blocks_check_run(&job);
	run_release(&job.run);
	heft_blocks_free(job.blocks);
	return status;
}
