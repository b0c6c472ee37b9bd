/* Implements heft heap snapshot: writes the memory of a running process to a core. */
#include "cli/cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	O_FULL = O_OWN,
	O_NO_STOP,
	O_STREAM,
};

const struct opt heap_snapshot_opts[] = {
	{ O_OUTPUT, 'o', false, NULL, "FILE", "write there; .zst packs (heft-core.PID)" },
	{ O_FULL, 0, false, "full", NULL, "all memory that can be read, code as well" },
	{ O_NO_STOP, 0, false, "no-stop", NULL, "let it run: what is read may not fit together" },
	{ O_STREAM, 0, false, "stream", NULL, "write while it stands still: needs little memory" },
	{ O_VERBOSE, 'v', false, NULL, NULL, "tell sizes, and for how long it stood still" },
#include "cli/last_opts.inc"
	{ 0 },
};

const char heap_snapshot_manual[] =
	"Writes the memory of a living process to an ELF core, for heft heap show and\n"
	"for debuggers.  The process stands still only while its memory is copied; it\n"
	"need not run under the recorder.  What is kept: memory that the program\n"
	"changed, and the first page of every mapped file.\n";

struct heap_snapshot_job {
	const struct cli *cli;
	struct heft_dump_opts opts;
	bool verbose;
	const char *output, *process;
	size_t operand_count;
};

static bool heap_snapshot_apply(void *ctx, const struct opt *o, const char *value)
{
	struct heap_snapshot_job *job = ctx;
	switch (o->id) {
	case O_OUTPUT: job->output = value; break;
	case O_FULL: job->opts.full = true; break;
	case O_NO_STOP: job->opts.no_stop = true; break;
	case O_STREAM: job->opts.stream = true; break;
	case O_VERBOSE: job->verbose = true; break;
	default: break;
	}
	return true;
}

static bool heap_snapshot_add_operand(void *ctx, const char *word)
{
	struct heap_snapshot_job *job = ctx;
	job->process = word;
	job->operand_count++;
	return true;
}

static void heap_snapshot_tell(const struct heap_snapshot_job *job, const char *path,
			       const struct heft_dump_facts *f)
{
	const char *program = job->cli->program;
	if (f->unread > 0)
		fprintf(stderr, "%s: note: %s: %" PRIu64 " bytes could not be read; zeros there\n",
			program, path, f->unread);
	if (f->unstopped > 0)
		fprintf(stderr,
			"%s: note: %s: %" PRIu32 " threads wait in the kernel and did not stop\n",
			program, path, f->unstopped);
	if (f->streamed && !job->opts.stream)
		fprintf(stderr,
			"%s: note: %s: the process stood still for %.1f ms while %.1f MB were "
			"written: a copy"
			" in memory was too large for the %.1f MB that are free\n",
			program, path, (double)f->pause_ns / 1e6, (double)f->bytes / 1e6,
			(double)f->available / 1e6);
	if (job->verbose)
		fprintf(stderr,
			"%s: %s: %.1f MB of memory, file %.1f MB, %" PRIu32
			" threads, stood still for %.1f ms; heft took %.1f MB of %.1f MB that were "
			"free\n",
			program, path, (double)f->bytes / 1e6, (double)f->file_size / 1e6,
			f->threads, (double)f->pause_ns / 1e6, (double)f->buffer / 1e6,
			(double)f->available / 1e6);
}

static int heap_snapshot_run(struct heap_snapshot_job *job)
{
	struct heft_dump_facts facts = { .size = sizeof facts };
	struct heft_err err;
	char *end, name[40];
	if (job->operand_count != 1)
		return cli_error(job->cli, "must specify one process id; try '%s --help'",
				 job->cli->usage);
	errno = 0;
	const unsigned long pid = strtoul(job->process, &end, 10);
	if (job->process[0] < '0' || job->process[0] > '9' || *end != '\0' || errno != 0 ||
	    pid == 0 || pid > INT32_MAX)
		return cli_error(job->cli, "'%s' is no process id", job->process);
	snprintf(name, sizeof name, "heft-core.%lu", pid);
	const char *path = job->output != NULL ? job->output : name;
	if (!heft_process_dump((uint32_t)pid, path, &job->opts, &facts, &err))
		return cli_failed(job->cli, &err);
	heap_snapshot_tell(job, path, &facts);
	return EXIT_FINE;
}

int cmd_heap_snapshot(const struct cli *cli, int argc, char **argv)
{
	static const struct cli_words words = { heap_snapshot_apply, heap_snapshot_add_operand };
	struct heap_snapshot_job job = { .cli = cli, .opts = { .size = sizeof job.opts } };
	const int status = cli_parse(cli, argc, argv, &words, &job);
	return status == CLI_GO_ON ? heap_snapshot_run(&job) : status;
}
