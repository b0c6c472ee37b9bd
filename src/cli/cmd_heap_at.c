/* heft heap at, heft heap check: what is at an address of a process; what is damaged. */
#include "cli/heap_open.h"
#include "cli/outfile.h"

#include <inttypes.h>
#include <stdlib.h>

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
	"allocator's own data, double frees, the block nearest to a fault; with the\n"
	"block that is to blame and the stack that asked for it.  Says what it could\n"
	"examine.  Status 1 if there is damage, 2 if no block could be examined.\n";

struct at_job {
	struct heap_open open;
	enum heft_format format;
	const char **words; /* the dump, then addresses */
	size_t word_count;
};

static bool apply(void *ctx, const struct opt *o, const char *value)
{
	struct at_job *job = ctx;
	if (o->id != O_JSON)
		return heap_open_apply(&job->open, o, value);
	job->format = HEFT_JSON;
	return true;
}

static bool add_operand(void *ctx, const char *word)
{
	struct at_job *job = ctx;
	job->words[job->word_count++] = word;
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
	progress_end(cli->progress);
	for (size_t i = 1; i < job->word_count; i++) {
		struct heft_heap_place at = { .size = sizeof at };
		struct heft_err err;
		uint64_t addr;
		if (!cli_parse_number(job->words[i], true, &addr))
			return cli_error(cli, "no address: %s", job->words[i]);
		if (!heft_heap_at(job->open.heap, addr, &at, &err)) {
			if (err.code != HEFT_ENOTFOUND)
				return cli_failed(cli, &err);
			status = EXIT_NO;
		}
		if (!heft_heap_place_write(&at, job->format,
					   &(struct heft_sink){ outfile_put, stdout }, NULL))
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
		heft_finder_add_program(job->open.finder, job->words[1]);
	if (!heap_open_file(&job->open, job->open.heap, job->words[0]))
		return EXIT_TROUBLE;
	progress_end(cli->progress);
	if (!heft_heap_write(job->open.heap, HEFT_HEAP_CHECK, job->format,
			     &(struct heft_sink){ outfile_put, stdout }, &err))
		return cli_failed(cli, &err);
	struct heft_heap_info info = { .size = sizeof info };
	heft_heap_info(job->open.heap, &info);
	size_t count;
	if (!heft_heap_find_damage(job->open.heap, &count, &err))
		return cli_failed(cli, &err);
	if (count > 0)
		return EXIT_NO;
	return info.arenas == 0 && (info.blocks > 0 || info.freed_blocks > 0) ? EXIT_FINE
									      : EXIT_TROUBLE;
}

static int run(const struct cli *cli, int (*work)(struct at_job *job), int argc, char **argv)
{
	static const struct cli_words words = { apply, add_operand };
	struct at_job job = { .format = HEFT_TABLE };
	heap_open_init(&job.open, cli, false);
	job.words = calloc((size_t)argc + 1, sizeof *job.words);
	int status = job.words == NULL ? cli_error(cli, "out of memory")
				       : cli_parse(cli, argc, argv, &words, &job);
	if (status == CLI_GO_ON)
		status = work(&job);
	if (status != EXIT_TROUBLE)
		heap_open_notes(&job.open);
	heap_open_release(&job.open);
	free(job.words);
	return status;
}

int cmd_heap_at(const struct cli *cli, int argc, char **argv)
{
	return run(cli, run_at, argc, argv);
}

int cmd_heap_check(const struct cli *cli, int argc, char **argv)
{
	return run(cli, run_check, argc, argv);
}
