/* Implements heft heap digest: summarizes each dump in one line. */
#include "cli/heap_open.h"
#include "cli/outfile.h"

#include <stdlib.h>

const struct opt heap_digest_opts[] = {
	{ O_OUTPUT, 'o', false, "output", "FILE", "write there, all or nothing" },
#include "cli/heap_open_opts.inc"
	{ 0 },
};

const char heap_digest_manual[] =
	"Writes one line of JSON a dump, for a farm of them: what is live, leaked,\n"
	"fragmented and damaged, the stacks that hold most, by hash, and a signature of\n"
	"them.  No byte of memory and no argument of the command is in it.\n"
	"A dump that cannot be read, or that does not tell all that is live, makes the\n"
	"exit status 2; the others have their lines.\n";

struct digest_job {
	struct heap_open open;
	const char *output;
	const char **dumps; /* Paths of the dumps. Has room for as many paths as there are
			     * arguments */
	size_t dump_count;
	int status;
};

static bool heap_digest_apply(void *ctx, const struct opt *o, const char *value)
{
	struct digest_job *job = ctx;
	if (o->id != O_OUTPUT)
		return heap_open_apply(&job->open, o, value);
	job->output = value;
	return true;
}

static bool heap_digest_add_operand(void *ctx, const char *word)
{
	struct digest_job *job = ctx;
	job->dumps[job->dump_count++] = word;
	return true;
}

/* Writes the line of a dump. Opens a handle per dump, so that memory holds one dump at a time. */
static void digest(struct digest_job *job, const char *path, FILE *to)
{
	const struct heft_sink sink = { outfile_put, to };
	struct heft_err err;
	heft_heap_free(job->open.heap);
	job->open.heap = heft_heap_new(job->open.session);
	if (job->open.heap == NULL) {
		job->status = cli_error(job->open.cli, "%s: out of memory", path);
		return;
	}
	if (!heap_open_file(&job->open, job->open.heap, path))
		job->status = EXIT_TROUBLE;
	else if (!heft_heap_digest_write(job->open.heap, &sink, &err))
		job->status = cli_failed(job->open.cli, &err);
	else if (!heap_open_is_known(&job->open, job->open.heap))
		job->status = EXIT_TROUBLE;
	if (job->open.verbose)
		heap_open_notes(&job->open);
}

static bool heap_digest_write_all(void *ctx, FILE *to, struct heft_err *err)
{
	struct digest_job *job = ctx;
	(void)err;
	for (size_t i = 0; i < job->dump_count && !ferror(to); i++)
		digest(job, job->dumps[i], to);
	return !ferror(to);
}

int cmd_heap_digest(const struct cli *cli, int argc, char **argv)
{
	static const struct cli_words words = { heap_digest_apply, heap_digest_add_operand };
	struct digest_job job = { .status = EXIT_FINE };
	heap_open_init(&job.open, cli, false);
	job.dumps = calloc((size_t)argc + 1, sizeof *job.dumps);
	int status = job.dumps ? cli_parse(cli, argc, argv, &words, &job)
			       : cli_error(cli, "out of memory");
	if (status == CLI_GO_ON && job.dump_count == 0)
		status = cli_error(cli, "must specify at least one dump; try '%s --help'",
				   cli->usage);
	if (status == CLI_GO_ON)
		status = outfile_write(cli, job.output, heap_digest_write_all, &job);
	if (status == EXIT_FINE)
		status = job.status;
	heap_open_release(&job.open);
	free(job.dumps);
	return status;
}
