/* Runs a program under the heap recorder. */
#include "cli/heap_run.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* Sets what an option's value says: a number above 0, or with `units` a size in bytes such as "4K".
 * False after a message. */
static bool heap_run_apply_number(struct heap_run *job, const struct opt *o, const char *value,
				  enum heft_recorder_setting what, bool units)
{
	uint64_t n = 0;
	if (!(units ? cli_size(job->run.cli, o, value, UINT64_MAX, &n)
		    : cli_number(job->run.cli, o, value, UINT64_MAX, &n)))
		return false;
	if (n == 0)
		return cli_bad_value(job->run.cli, o, value, "above 0");
	heft_recorder_set(job->recorder, what, n);
	return true;
}

bool heap_run_apply(void *ctx, const struct opt *o, const char *value)
{
	struct heap_run *job = ctx;
	struct heft_recorder *r = job->recorder;
	switch (o->id) {
	case O_OUTPUT: heft_recorder_set_output(r, value); break;
	case O_DEPTH: return heap_run_apply_number(job, o, value, HEFT_RECORD_DEPTH, false);
	case O_SAMPLE: return heap_run_apply_number(job, o, value, HEFT_RECORD_SAMPLE, true);
	case O_WIDE: heft_recorder_set(r, HEFT_RECORD_WIDE, 1); break;
	case O_CANARY: heft_recorder_set(r, HEFT_RECORD_CANARY, 1); break;
	case O_INLINE:
		heft_recorder_set(r, HEFT_RECORD_INLINE, 1);
		job->in_blocks = true;
		break;
	case O_FRAME_POINTERS: heft_recorder_set(r, HEFT_RECORD_FRAME_POINTERS, 1); break;
	case O_NO_CHILDREN: heft_recorder_set(r, HEFT_RECORD_NO_CHILDREN, 1); break;
	case O_LEAKS:
		heft_recorder_set(r, HEFT_RECORD_MEMORY, 1);
		job->leaks = true;
		break;
	case O_SIGNAL: heft_recorder_set_signal(r, value); break;
	case O_RECORDER: heft_recorder_set_library(r, value); break;
	default: break;
	}
	return true;
}

/* Explains a death by a signal. The recording was only in memory, so a core is needed. */
static void tell_death(const struct heap_run *job, int signal)
{
	/* The system writes a core for these signals, if its settings allow cores. */
	static const int signals[] = { SIGQUIT, SIGILL,  SIGTRAP, SIGABRT, SIGBUS,
				       SIGFPE,  SIGSEGV, SIGXCPU, SIGXFSZ, SIGSYS };
	const char *program = job->run.cli->program;
	struct rlimit core = { 0, 0 };
	bool leaves_core = false;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		leaves_core |= signals[i] == signal;
	fprintf(stderr, "%s: nothing was written: %s was ended by signal %d (%s)\n", program,
		job->run.program[0], signal, strsignal(signal));
	if (!leaves_core) {
		fprintf(stderr,
			"%s: to look at it while it runs: heft heap snapshot PID, or a file a "
			"signal: heft heap run --signal=USR2\n",
			program);
		return;
	}
	getrlimit(RLIMIT_CORE, &core);
	if (core.rlim_cur == 0)
		fprintf(stderr,
			"%s: its core would have all, but none was allowed: ulimit -c unlimited, "
			"and run it again\n",
			program);
	else
		fprintf(stderr,
			"%s: its core has all: heft heap check CORE, heft heap show CORE; "
			"/proc/sys/kernel/core_pattern says where it is\n",
			program);
}

static void tell_written(const struct heap_run *job, const struct heft_recorder_file *own,
			 size_t count)
{
	struct heft_recorder_file other = { .size = sizeof other };
	size_t i = 0;
	ASSERT(count > 0 && own->path != NULL);
	while (heft_recorder_file(job->recorder, i, &other, NULL) &&
	       strcmp(other.path, own->path) == 0)
		i++;
	fprintf(stderr, "%s: wrote %s", job->run.cli->program, own->path);
	if (count > 1)
		fprintf(stderr, " and %zu more (%s%s)", count - 1, cli_file_name(other.path),
			count > 2 ? " ..." : "");
	fprintf(stderr, "; to look: heft heap show %s%s\n", own->memory ? "--leaks " : "",
		own->path);
	if (job->leaks && !own->memory)
		fprintf(stderr,
			"%s: %s: has no leaks: the memory of %s could not be kept, as that of "
			"32-bit "
			"programs and of those that may not be looked at\n",
			job->run.cli->program, own->path, job->run.program[0]);
}

static void tell_others(const char *program, const struct heft_recorder_end *end)
{
	if (end->others_lost > 0)
		fprintf(stderr,
			"%s: %zu more process%s left no file: ended by a signal, not by exit(), or "
			"replaced by a program that was not recorded\n",
			program, end->others_lost, end->others_lost == 1 ? "" : "es");
	if (end->others_running > 0)
		fprintf(stderr,
			"%s: %zu process%s still run%s, to write at the end if allowed to by "
			"then\n",
			program, end->others_running, end->others_running == 1 ? "" : "es",
			end->others_running == 1 ? "s" : "");
}

/* Prints one line: the file of the program, and the number of files of other processes. */
static void heap_run_tell_files(const struct heap_run *job, const struct heft_recorder_end *end)
{
	const size_t count = heft_recorder_file_count(job->recorder);
	struct heft_recorder_file f = { .size = sizeof f }, own = { .size = sizeof own };
	bool empty = true;
	for (size_t i = 0; heft_recorder_file(job->recorder, i, &f, NULL); i++) {
		if (own.path == NULL || (f.pid == end->pid && own.pid != end->pid))
			own = f;
		empty = empty && f.empty;
	}
	const char *program = job->run.cli->program, *command = job->run.program[0];
	if (own.path == NULL && end->signal != 0)
		tell_death(job, end->signal);
	else if (own.path == NULL && end->lost)
		fprintf(stderr,
			"%s: nothing was written: %s was recorded and did not end by exit(): it "
			"called the system itself, as programs in Go do, or another program took "
			"its place that was not recorded; heft heap snapshot PID works while it "
			"runs\n",
			program, command);
	else if (own.path == NULL)
		fprintf(stderr,
			"%s: nothing was written: %s loaded no recorder, or could not announce "
			"itself in the folder and did not end by exit()\n",
			program, command);
	else if (empty)
		fprintf(stderr,
			"%s: nothing was recorded: %s did not call malloc, has its own, or its "
			"file could not be written\n",
			program, command);
	else if (job->in_blocks && !job->leaks)
		fprintf(stderr,
			"%s: wrote %s, which has no call stacks: by --inline they are in the "
			"blocks; add --leaks, or write a core or heft heap snapshot while %s "
			"runs\n",
			program, own.path, command);
	else
		tell_written(job, &own, count);
	tell_others(program, end);
	if (own.path != NULL && own.beside != NULL && *own.beside != '\0')
		fprintf(stderr,
			"%s: not recorded: the blocks that %s asked these functions for: %s\n",
			program, command, own.beside);
}

/* Ends this process as the program ended, so that the calling process sees the same status. */
static int end_alike(const struct heft_recorder_end *end)
{
	if (end->signal == 0)
		return end->status;
	const struct rlimit no_core = { 0, 0 };
	sigset_t one;
	sigemptyset(&one);
	sigaddset(&one, end->signal);
	fflush(stdout);
	setrlimit(RLIMIT_CORE, &no_core);
	signal(end->signal, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	raise(end->signal);
	return 128 + end->signal;
}

static int run_program(struct heap_run *job)
{
	enum { CANNOT_RUN = 126, NOT_FOUND = 127 }; /* Exit statuses that shells also use */
	struct heft_recorder_end end = { .size = sizeof end };
	struct heft_err err;
	if (job->run.program[0] == NULL)
		return cli_error(job->run.cli, "must specify a program to run; try '%s --help'",
				 job->run.cli->usage);
	if (job->before != NULL && !job->before(job))
		return EXIT_TROUBLE;
	ASSERT(job->recorder != NULL);
	const bool ran = heft_recorder_run(job->recorder, job->run.program, &end, &err);
	if (job->after != NULL)
		job->after(job, ran ? &end : NULL);
	if (!ran) {
		const int status = cli_failed(job->run.cli, &err);
		return err.code != HEFT_EIO || err.sys_errno == ENOMEM ? status
		       : err.sys_errno == ENOENT                       ? NOT_FOUND
								       : CANNOT_RUN;
	}
	if (!job->quiet)
		heap_run_tell_files(job, &end);
	return end_alike(&end);
}

int heap_run(struct heap_run *job, int argc, char **argv,
	     bool (*apply)(void *job, const struct opt *o, const char *value))
{
	const struct cli_words words = { .option = apply, .program = true };
	job->recorder = cli_made(job->run.cli, heft_recorder_new());
	int status = cli_parse(job, argc, argv, &words);
	if (status == CLI_GO_ON)
		status = run_program(job);
	heft_recorder_free(job->recorder);
	run_release(&job->run);
	return status;
}
