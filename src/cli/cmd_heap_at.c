/* heft heap at, heft heap check: what is at an address of a process; what is damaged. */
#include "cli/heap_open.h"

#include <inttypes.h>
#include <stdlib.h>

enum { O_JSON = 1 };

const struct opt heap_at_opts[] = {
	{ O_JSON, 0, false, "json", NULL, "one JSON object a line, an address each" },
#include "cli/heap_open_opts.inc"
	{ 0 },
};

const char heap_at_manual[] =
	"Tells what is at addresses of a process: the block, who asked for it, what lies\n"
	"around it; or what else is mapped there.  ADDR is hexadecimal.\n";

const struct opt heap_check_opts[] = {
	{ O_JSON, 0, false, "json", NULL, "JSON" },
#include "cli/heap_open_opts.inc"
	{ 0 },
};

const char heap_check_manual[] =
	"Looks for damage in a heap: headers and canaries that were written over, the\n"
	"allocator's own data, double frees, the block nearest to a fault; with the block\n"
	"that is to blame and the stack that asked for it.  Status 1 if there is any.\n";

struct at_job {
	struct heap_open open;
	enum heft_heap_format format;
	const char **words; /* the dump, then addresses */
	size_t word_count;
};

static bool parse(struct at_job *job, const struct opt *opts, int argc, char **argv)
{
	struct opt_cursor c;
	options_init(&c, opts, argc, argv);
	while (!job->open.help && !job->open.version) {
		switch (options_next(&c)) {
		case OPT_END: return true;
		case OPT_OPTION:
			if (c.opt->id == O_JSON)
				job->format = HEFT_HEAP_JSON;
			else if (!heap_open_apply(&job->open, c.opt, c.value))
				return false;
			break;
		case OPT_OPERAND: job->words[job->word_count++] = c.value; break;
		case OPT_SEPARATOR: break;
		case OPT_BAD: cli_error(job->open.cli, "%s", c.problem); return false;
		}
	}
	return true;
}

static int run_at(struct at_job *job)
{
	const struct cli *cli = job->open.cli;
	int status = EXIT_FINE;
	if (job->word_count < 2)
		return cli_error(cli,
				 "must specify a dump and at least one address; try '%s --help'",
				 cli->usage);
	if (!heap_open_file(&job->open, job->open.heap, job->words[0]))
		return EXIT_TROUBLE;
	for (size_t i = 1; i < job->word_count; i++) {
		struct heft_heap_place at;
		uint64_t addr;
		if (!heap_parse_number(job->words[i], true, &addr))
			return cli_error(cli, "no address: %s", job->words[i]);
		if (!heft_heap_at(job->open.heap, addr, &at))
			status = EXIT_NO;
		if (!heft_heap_place_write(&at, job->format, heap_write_piece, stdout))
			break;
	}
	return status;
}

static int run_check(struct at_job *job)
{
	const struct cli *cli = job->open.cli;
	struct heft_err err;
	if (job->word_count == 0 || job->word_count > 2)
		return cli_error(cli, "must specify a dump; try '%s --help'", cli->usage);
	if (job->word_count == 2)
		heft_heap_set_program(job->open.heap, job->words[1]);
	if (!heap_open_file(&job->open, job->open.heap, job->words[0]))
		return EXIT_TROUBLE;
	if (!heft_heap_write(job->open.heap, HEFT_HEAP_CHECK, job->format, heap_write_piece, stdout,
			     &err))
		return cli_failed(cli, &err);
	return heft_heap_damage_count(job->open.heap) > 0 ? EXIT_NO : EXIT_FINE;
}

static int run(const struct cli *cli, const struct opt *opts, int (*work)(struct at_job *job),
	       int argc, char **argv)
{
	struct at_job job = { .format = HEFT_HEAP_TABLE };
	int status = EXIT_FINE;
	heap_open_init(&job.open, cli, false);
	job.words = calloc((size_t)argc + 1, sizeof *job.words);
	if (job.words == NULL)
		status = cli_error(cli, "out of memory");
	else if (!parse(&job, opts, argc, argv))
		status = EXIT_TROUBLE;
	else if (job.open.help)
		cli_help(cli);
	else if (job.open.version)
		cli_version(cli);
	else
		status = work(&job);
	if (status != EXIT_TROUBLE)
		heap_open_notes(&job.open);
	heap_open_release(&job.open);
	free(job.words);
	return status;
}

int cmd_heap_at(const struct cli *cli, int argc, char **argv)
{
	return run(cli, heap_at_opts, run_at, argc, argv);
}

int cmd_heap_check(const struct cli *cli, int argc, char **argv)
{
	return run(cli, heap_check_opts, run_check, argc, argv);
}
