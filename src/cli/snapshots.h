/* snapshots.h - declares what commands that open snapshots or check limits have in common. */
#pragma once

#include "cli/run.h"

/* The run of a command that opens snapshots, and how it opens them. */
struct snapshot_run {
	struct command_run run;
	unsigned flags;         /* Bits of enum heft_snapshot_flag */
	const char *components; /* File that names the owners of source files, or NULL */
};

/* Opens a program, .size or .sizediff file, and prints the notes. NULL, after a message, if it
 * cannot be read. */
struct heft_snapshot *snapshot_open(const struct snapshot_run *s, const char *path);

/* Opens two snapshots for a diff. False, after a message, if one of them cannot be read. */
bool snapshot_open_pair(const struct snapshot_run *s, const char *const paths[2],
			struct heft_snapshot **ret_before, struct heft_snapshot **ret_after);

/* Writes the problems of a snapshot to a file, or to stdout if `path` is NULL. Returns EXIT_NO if
 * its sums are wrong. */
int snapshot_judge(const struct cli *cli, const struct heft_snapshot *s, const char *path);

/* Returns the exit status after a check. EXIT_NO: a limit is broken. EXIT_TROUBLE, with a message:
 * limits match nothing, or growth limits lack a base and `allow_no_base` is false. */
int budget_verdict(const struct cli *cli, const struct heft_budget *b, const char *path,
		   bool allow_no_base);
