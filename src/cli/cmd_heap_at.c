/* Implements heft heap at (what an address of a process belongs to) and heft heap check
 * (damage). */
#include "cli/heap_open.h"

#include <stdlib.h>

const struct opt heap_at_opts[] = {
#define OUTPUT_FORMATS      "table|json"
#define OUTPUT_FORMATS_HELP "table (default), json: an object an address"
#define OUTPUT_FEW
#include "cli/output_opts.inc"
#include "cli/heap_open_opts.inc"
};

const char heap_at_manual[] =
	"Tells what is at addresses of a process: the block, who asked for it, what lies\n"
	"around it; or what else is mapped there.  ADDR is hexadecimal.\n";

const struct opt heap_check_opts[] = {
#define OUTPUT_FORMATS      "table|json"
#define OUTPUT_FORMATS_HELP "table (default), json"
#define OUTPUT_FEW
#include "cli/output_opts.inc"
#include "cli/heap_open_opts.inc"
};

const char heap_check_manual[] =
	"Looks for damage in a heap: headers and canaries that were written over, the\n"
	"allocator's own data, double frees, the block nearest to a fault; with the\n"
	"block that is to blame and the stack that asked for it.  Tells what glibc said\n"
	"as it ended the program.  Says what it could examine.  Status 1 if there is\n"
	"damage, 2 if no block could be examined.\n";

static const struct choice formats[] = { { "table", HEFT_TABLE },
					 { "json", HEFT_JSON },
					 { NULL, 0 } };

struct at_job {
	struct heap_open open;
	int status;
	uint64_t *addrs; /* Addresses that the words after the dump state */
};

static bool heap_at_put_places(void *ctx, FILE *to, struct heft_err *err)
{
	struct at_job *job = ctx;
	const struct heft_sink sink = { outfile_put, to };
	for (size_t i = 1; i < job->open.run.word_count; i++) {
		struct heft_heap_place at = { .size = sizeof at };
		if (!heft_heap_at(job->open.heap, job->addrs[i], &at, err)) {
			if (err->code != HEFT_ENOTFOUND)
				return false;
			job->status = EXIT_NO;
		}
		if (!heft_heap_place_write(&at, job->open.run.out.write.format, &sink, err))
			return false;
	}
	return true;
}

static int run_at(struct at_job *job)
{
	const struct command_run *run = &job->open.run;
	if (!run_has_words(run, 2, SIZE_MAX, "a dump and at least one address"))
		return EXIT_TROUBLE;
	for (size_t i = 1; i < run->word_count; i++)
		if (!cli_parse_number(run->words[i], true, &job->addrs[i]))
			return cli_error(run->cli, "no address: %s", run->words[i]);
	if (!heap_open_file(&job->open, job->open.heap, run->words[0]))
		return EXIT_TROUBLE;
	const int status = outfile_write(run->cli, run->out.path, heap_at_put_places, job);
	return status != EXIT_FINE ? status : job->status;
}

static bool heap_at_put_check(void *ctx, FILE *to, struct heft_err *err)
{
	const struct at_job *job = ctx;
	return heft_heap_write(job->open.heap, HEFT_HEAP_CHECK, job->open.run.out.write.format,
			       &(struct heft_sink){ outfile_put, to }, err);
}

static int run_check(struct at_job *job)
{
	const struct command_run *run = &job->open.run;
	struct heft_heap_info info = { .size = sizeof info };
	struct heft_err err;
	size_t count;
	if (!run_has_words(run, 1, 2, "a dump"))
		return EXIT_TROUBLE;
	if (run->word_count == 2)
		heft_finder_add_program(heft_session_finder(run->session), run->words[1]);
	if (!heap_open_file(&job->open, job->open.heap, run->words[0]))
		return EXIT_TROUBLE;
	const int status = outfile_write(run->cli, run->out.path, heap_at_put_check, job);
	if (status != EXIT_FINE)
		return status;
	heft_heap_info(job->open.heap, &info, NULL);
	if (!heft_heap_find_damage(job->open.heap, &count, &err))
		return cli_failed(run->cli, &err);
	if (count > 0)
		return EXIT_NO;
	const bool examined = info.arenas == 0 && (info.blocks > 0 || info.freed_blocks > 0);
	if (examined && *info.lacks == '\0')
		return EXIT_FINE;
	heap_open_notes(&job->open);
	return EXIT_TROUBLE;
}

static int heap_at_run(const struct cli *cli, int (*work)(struct at_job *job), int argc,
		       char **argv)
{
	struct at_job job = { .open = heap_open_new(cli, formats, false), .status = EXIT_FINE };
	job.addrs = cli_made(cli, calloc((size_t)argc + 1, sizeof *job.addrs));
	int status = cli_parse(&job, argc, argv, NULL);
	if (status == CLI_GO_ON)
		status = work(&job);
	if (status != EXIT_TROUBLE)
		heap_open_notes(&job.open);
	heap_open_release(&job.open);
	free(job.addrs);
	return status;
}

int cmd_heap_at(const struct cli *cli, int argc, char **argv)
{
	return heap_at_run(cli, run_at, argc, argv);
}

int cmd_heap_check(const struct cli *cli, int argc, char **argv)
{
	return heap_at_run(cli, run_check, argc, argv);
}
