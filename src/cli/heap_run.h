/* heap_run.h - a program that runs under the recorder: heft heap run, and what pushes its profiles.
 *
 * Options end where the program begins.  Files that were written are told on stderr. */
#ifndef HEFT_CLI_HEAP_RUN_H
#define HEFT_CLI_HEAP_RUN_H

#include "cli/cli.h"

/* Options of recorder_opts.inc; a command's own begin at O_RUN_OWN. */
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
	/* The command's own; each may be NULL. */
	bool (*own)(void *ctx, const struct opt *o, const char *value); /* takes an option */
	bool (*before)(struct heap_run *job); /* before the program runs; false after a message */
	/* After it has run; `end` NULL: it could not be run. */
	void (*after)(struct heap_run *job, const struct heft_recorder_end *end);
	void *ctx;
	/* Set by heap_run. */
	struct heft_recorder *recorder;
	bool help, version, quiet, leaks, in_blocks;
	char **argv; /* of the program */
};

/* Takes the words of the command; returns its exit status, which is the program's own. */
int heap_run(struct heap_run *job, int argc, char **argv);

#endif
