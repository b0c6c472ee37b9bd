/* Implements heft push run: runs a program, and regularly sends its profiles to a server. */
#include "push/push.h"

#include "cli/heap_run.h"
#include "push/pusher.h"

#include <errno.h>
#include <stdlib.h>

enum { O_EVERY = O_RUN_OWN };

struct push_run {
	struct heap_run job;
	const char *url; /* NULL if not given */
	uint64_t every_ms;
	struct push_options options;
	struct pusher *pusher;
};

const struct opt push_run_opts[] = {
	{ 0, 0, false, "to", "URL",
	  "pyroscope://HOST:4040, parca://HOST:7070 or any\n"
	  "                              http address",
	  KEEPS(struct push_run, url) },
	{ O_EVERY, 0, false, "every", "TIME", "how often: 60s (default), 5m" },
	{ 0, 0, false, "service", "NAME", "its name there (default: CMD's file name)",
	  KEEPS(struct push_run, options.service) },
	{ 0, 0, false, "addresses", NULL,
	  "build ids and addresses, for a receiver that names\n"
	  "                              them itself",
	  SETS(struct push_run, options.addresses) },
	{ 0, 0, false, "name-cache", "DIR",
	  "keep names there by build id; none (default: in\n"
	  "                              the user's cache)",
	  KEEPS(struct push_run, options.name_cache) },
	{ .help = "The recorder, as of heft heap run:" },
#include "cli/recorder_opts.inc"
#include "cli/last_opts.inc"
};

const char push_run_manual[] =
	"Runs a program, records its heap and posts a profile of what is in use, every so\n"
	"often and at its end.  heft hands on signals, and the program's exit status.\n";

/* Parses a time: "60s", "5m", "2h", or "60" for seconds. False, after a message, for others. */
static bool every_parse(struct push_run *run, const struct opt *o, const char *value)
{
	char *end;
	errno = 0;
	const uint64_t n = strtoull(value, &end, 10);
	const uint64_t unit = *end == 'm' ? 60 : *end == 'h' ? 3600 : 1;
	end += *end == 's' || *end == 'm' || *end == 'h';
	if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0 || n == 0 ||
	    n > INT32_MAX)
		return cli_bad_value(run->job.run.cli, o, value, "a time, such as 60s or 5m");
	run->every_ms = n * unit * 1000;
	return true;
}

static bool push_run_option(void *ctx, const struct opt *o, const char *value)
{
	return o->id == O_EVERY ? every_parse(ctx, o, value) : heap_run_apply(ctx, o, value);
}

static bool push_run_tick(void *ctx, uint32_t pid)
{
	pusher_want(ctx, pid);
	return true;
}

static bool pushing_start(struct heap_run *job)
{
	struct push_run *run = (struct push_run *)job;
	struct receiver to;
	struct heft_err err;
	if (!run->url)
		return cli_error(job->run.cli, "must specify where to push: --to=URL"), false;
	if (job->in_blocks)
		return cli_error(job->run.cli,
				 "--inline leaves call stacks in the blocks, where no "
				 "profile finds them"),
		       false;
	if (!receiver_parse(&to, run->url, &err))
		return cli_error(job->run.cli, "--to: %s", err.text), false;
	if (!run->options.service)
		run->options.service = cli_file_name(job->run.program[0]);
	run->pusher = pusher_start(job->run.cli, &to, &run->options);
	if (run->pusher)
		heft_recorder_set_timer(job->recorder, run->every_ms, push_run_tick, run->pusher);
	return run->pusher != NULL;
}

/* Sends the last profiles, from the files of the processes, the program's own file first. */
static void pushing_end(struct heap_run *job, const struct heft_recorder_end *end)
{
	const struct push_run *run = (const struct push_run *)job;
	struct heft_recorder_file f = { .size = sizeof f };
	pusher_stop(run->pusher);
	for (int own = 1; end && own >= 0; own--)
		for (size_t i = 0; heft_recorder_file(job->recorder, i, &f, NULL); i++) {
			/* A process may have several files. The last has the state at its end. */
			struct heft_recorder_file next = { .size = sizeof next };
			const bool more = heft_recorder_file(job->recorder, i + 1, &next, NULL) &&
					  !next.empty && next.pid == f.pid;
			if ((f.pid == end->pid) == own && !f.empty && !more)
				pusher_last(run->pusher, f.path, f.pid);
		}
	pusher_end(run->pusher);
}

int cmd_push_run(const struct cli *cli, int argc, char **argv)
{
	struct push_run run = {
		.job = { .run = { .cli = cli }, .before = pushing_start, .after = pushing_end },
		.every_ms = 60000
	};
	return heap_run(&run.job, argc, argv, push_run_option);
}
