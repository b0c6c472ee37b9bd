/* heap_run.h - runs a program under the recorder, for heft heap run and for commands that push its
 * profiles.
 *
 * Options end before the program. The files that were written are listed on stderr. */
#ifndef HEFT_CLI_HEAP_RUN_H
#define HEFT_CLI_HEAP_RUN_H

#include "cli/cli.h"

/* Options of recorder_opts.inc. A command's own options begin at O_RUN_OWN. */
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
	/* Functions of the command. A function may be NULL. */
	bool (*own)(void *ctx, const struct opt *o, const char *value); /* Takes an option. */
	bool (*before)(struct heap_run *job); /* Runs before the program. False after a message. */
	/* Runs after the program. `end` is NULL if the program could not be started. */
	void (*after)(struct heap_run *job, const struct heft_recorder_end *end);
	void *ctx;
	/* Set by heap_run(). */
	struct heft_recorder *recorder;
	bool help, version, quiet, leaks, in_blocks;
	char **argv; /* Words of the program. */
};

/* Handles the words of the command and runs the program. Returns the exit status of the program. */
int heap_run(struct heap_run *job, int argc, char **argv);

#endif
