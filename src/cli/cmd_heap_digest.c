/* Implements heft heap digest: summarizes each dump in one line. */
#include "cli/heap_open.h"

const struct opt heap_digest_opts[] = {
	{ O_OUTPUT, 'o', false, "output", "FILE", "write there, all or nothing" },
#include "cli/heap_open_opts.inc"
};

const char heap_digest_manual[] =
	"Writes one line of JSON a dump, for a farm of them: what is live, leaked,\n"
	"fragmented and damaged, the stacks that hold most, by hash, and a signature of\n"
	"them.  No byte of memory and no argument of the command is in it.\n"
	"A dump that cannot be read, or that does not tell all that is live, makes the\n"
	"exit status 2; the others have their lines.\n";

struct digest_job {
	struct heap_open open;
	int status;
};

/* Writes the line of a dump. Opens a handle per dump, so that memory holds one dump at a time. */
static void digest(struct digest_job *job, const char *path, FILE *to)
{
	const struct heft_sink sink = { outfile_put, to };
	struct heft_err err;
	heft_heap_free(job->open.heap);
	job->open.heap = heft_heap_new(job->open.run.session);
	if (job->open.heap == NULL) {
		job->status = cli_error(job->open.run.cli, "%s: out of memory", path);
		return;
	}
	if (!heap_open_file(&job->open, job->open.heap, path))
		job->status = EXIT_TROUBLE;
	else if (!heft_heap_digest_write(job->open.heap, &sink, &err))
		job->status = cli_failed(job->open.run.cli, &err);
	else if (!heap_open_is_known(&job->open, job->open.heap))
		job->status = EXIT_TROUBLE;
	if (job->open.run.verbose)
		heap_open_notes(&job->open);
}

static bool heap_digest_write_all(void *ctx, FILE *to, struct heft_err *err)
{
	struct digest_job *job = ctx;
	(void)err;
	for (size_t i = 0; i < job->open.run.word_count && !ferror(to); i++)
		digest(job, job->open.run.words[i], to);
	return !ferror(to);
}

int cmd_heap_digest(const struct cli *cli, int argc, char **argv)
{
	struct digest_job job = { .open = heap_open_new(cli, NULL, false), .status = EXIT_FINE };
	const struct command_run *run = &job.open.run;
	int status = cli_parse(&job, argc, argv, NULL);
	if (status == CLI_GO_ON && !run_has_words(run, 1, SIZE_MAX, "at least one dump"))
		status = EXIT_TROUBLE;
	if (status == CLI_GO_ON)
		status = outfile_write(cli, run->out.path, heap_digest_write_all, &job);
	if (status == EXIT_FINE)
		status = job.status;
	heap_open_release(&job.open);
	return status;
}
