/* heap_run.h - runs a program under the recorder, for heft heap run and for commands that push its
 * profiles.
 *
 * The options end before the program's name. The written files are listed on stderr. */
#pragma once

#include "cli/run.h"

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
	O_RUN_OWN,
};

struct heap_run {
	struct command_run run;
	bool (*before)(struct heap_run *job); /* Called, unless NULL, before the program runs. False
					       * after a message */
	/* Called, unless NULL, after the program ended. `end`: NULL if it could not start. */
	void (*after)(struct heap_run *job, const struct heft_recorder_end *end);
	/* heap_run() sets these fields. */
	struct heft_recorder *recorder;
	bool leaks, in_blocks;
	bool quiet; /* True if the written files are not listed. Set by -q */
};

/* Applies an option of the recorder. Ignores other options. False after a message. */
bool heap_run_apply(void *job, const struct opt *o, const char *value);
/* Parses the words of the command and runs the program. Returns the exit status of the program.
 * `apply` receives the options; it may be heap_run_apply(). */
int heap_run(struct heap_run *job, int argc, char **argv,
	     bool (*apply)(void *job, const struct opt *o, const char *value));
