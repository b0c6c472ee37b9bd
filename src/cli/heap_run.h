/* heap_run.h - runs a program under the recorder, for heft heap run and for commands that push its
 * profiles.
 *
 * The options end before the program. The written files are listed on stderr. */
#ifndef HEFT_CLI_HEAP_RUN_H
#define HEFT_CLI_HEAP_RUN_H

#include "cli/cli.h"

/* Options of recorder_opts.inc. A command numbers its own options from O_RUN_OWN. */
enum heap_run_option {
	O_DEPTH = O_OWN,
	O_SAMPLE,
	O_CANARY,
	O_INLINE,
	O_FRAME_POINTERS,
	O_NO_CHILDREN,
	O_SIGNAL,
	O_LEAKS,
	O_RECORDER,
	O_QUIET,
	O_RUN_OWN,
};

struct heap_run {
	const struct cli *cli;
	bool (*own)(void *ctx, const struct opt *o, const char *value); /* Applies an option, or
									 * NULL. */
	bool (*before)(struct heap_run *job); /* Called before the program runs. False after a
					       * message. May be NULL. */
	/* Called after the program ended. `end` is NULL if it could not be started. May be NULL. */
	void (*after)(struct heap_run *job, const struct heft_recorder_end *end);
	void *ctx;
	/* heap_run() sets these fields. */
	struct heft_recorder *recorder;
	bool help, version, quiet, leaks, in_blocks;
	char **argv; /* Words of the program */
};

/* Parses the words of the command and runs the program. Returns the exit status of the program. */
int heap_run(struct heap_run *job, int argc, char **argv);

#endif
