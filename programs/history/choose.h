/* choose.h - opens a history and selects builds by options, for the history commands. */
#pragma once

#include "cli/run.h"
#include "history/timeline.h"

#define NO_WAIT_HELP "fail at once where another job writes"

/* Settings. All zero: history.db and all its builds. */
struct history_settings {
	const char *store;
	struct build_filter filter;
};

/* An open history, and the selected builds. All zero if none is open. */
struct history {
	struct store store;
	struct timeline timeline;
};

/* The run of a command that reads a history. It is the first member of each job whose table of
 * options includes history_opts.inc. */
struct history_run {
	struct command_run run;
	struct history_settings settings;
	struct history history;
};

void history_run_release(struct history_run *h);
/* True if the command has no operands. False, after a message, if it has one. */
bool history_has_no_words(const struct command_run *run);
/* Opens a history. `flags` are bits of enum db_flag. False, after a message, on failure. */
bool history_open(const struct cli *cli, const struct history_settings *s, unsigned flags,
		  struct history *ret);
void history_close(struct history *h);
/* Opens the history of a run. False after a message. */
bool history_run_open(struct history_run *h, unsigned flags);
/* Replaces the list of builds in `h` by the builds that match the filter. */
void history_select(struct history *h, const struct build_filter *f);

/* Reads the snapshot of a build. NULL, after a message, if it cannot be read. `components` is a
 * file that names owners of sources. If NULL, uses the components of the build in the history. */
struct heft_snapshot *history_read(const struct cli *cli, struct history *h, const char *word,
				   const char *components);
/* Reads the snapshots of two builds. False, after a message, if one of them cannot be read. */
bool history_read_pair(const struct cli *cli, struct history *h, const char *const words[2],
		       const char *components, struct heft_snapshot *ret[2]);

/* Writes rows to the output of the options, compressed if `zstd`. Returns the exit status. `usual`
 * is the default limit of rows, 0 for all. */
int history_write(const struct command_run *run, uint32_t usual, bool zstd,
		  bool (*write)(void *ctx, struct heft_answer *to, struct heft_err *err),
		  void *ctx);
