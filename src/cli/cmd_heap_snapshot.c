/* Implements heft heap snapshot: writes the memory of a running process to a core. */
#include "cli/run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

struct heap_snapshot_job {
	struct command_run run;
	struct heft_dump_opts opts;
};

const struct opt heap_snapshot_opts[] = {
	{ O_OUTPUT, 'o', false, NULL, "FILE", "write there; .zst packs (heft-core.PID)" },
	{ 0, 0, false, "full", NULL, "all memory that can be read, code as well",
	  SETS(struct heap_snapshot_job, opts.full) },
	{ 0, 0, false, "no-stop", NULL, "let it run: what is read may not fit together",
	  SETS(struct heap_snapshot_job, opts.no_stop) },
	{ 0, 0, false, "stream", NULL, "write while it stands still: needs little memory",
	  SETS(struct heap_snapshot_job, opts.stream) },
	{ O_VERBOSE, 'v', false, NULL, NULL, "tell sizes, and for how long it stood still" },
#include "cli/last_opts.inc"
};

const char heap_snapshot_manual[] =
	"Writes the memory of a living process to an ELF core, for heft heap show and\n"
	"for debuggers.  The process stands still only while its memory is copied; it\n"
	"need not run under the recorder.  What is kept: memory that the program\n"
	"changed, and the first page of every mapped file.\n";

static void heap_snapshot_tell(const struct heap_snapshot_job *job, const char *path,
			       const struct heft_dump_facts *f)
{
	const char *program = job->run.cli->program;
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
	if (job->run.verbose)
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
	if (!run_has_words(&job->run, 1, 1, "one process id"))
		return EXIT_TROUBLE;
	const char *process = job->run.words[0];
	errno = 0;
	const unsigned long pid = strtoul(process, &end, 10);
	if (process[0] < '0' || process[0] > '9' || *end != '\0' || errno != 0 || pid == 0 ||
	    pid > INT32_MAX)
		return cli_error(job->run.cli, "'%s' is no process id", process);
	snprintf(name, sizeof name, "heft-core.%lu", pid);
	const char *path = job->run.out.path != NULL ? job->run.out.path : name;
	if (!heft_process_dump((uint32_t)pid, path, &job->opts, &facts, &err))
		return cli_failed(job->run.cli, &err);
	heap_snapshot_tell(job, path, &facts);
	return EXIT_FINE;
}

int cmd_heap_snapshot(const struct cli *cli, int argc, char **argv)
{
	struct heap_snapshot_job job = { .run = { .cli = cli },
					 .opts = { .size = sizeof job.opts } };
	int status = cli_parse(&job, argc, argv, NULL);
	if (status == CLI_GO_ON)
		status = heap_snapshot_run(&job);
	run_release(&job.run);
	return status;
}
