/* choose.h - what the commands about histories share: which one, which of its builds. */
#ifndef HEFT_CLI_HISTORY_CHOOSE_H
#define HEFT_CLI_HISTORY_CHOOSE_H

#include "cli/cli.h"

#define NO_WAIT_HELP "fail at once where another job writes"

/* A table includes history_opts.inc.  Zeroed: history.db, all builds. */
struct history_settings {
	const char *store;
	struct heft_history_query query;
};

/* Whether it is an option of history_opts.inc, which it takes. */
bool history_apply(struct history_settings *s, const struct opt *o, const char *value);
/* Opened for reading, the builds of the settings selected; NULL, and said, where it cannot be. */
struct heft_history *history_open(const struct cli *cli, struct history_settings *s);
/* The same with flags of enum heft_history_flag. */
struct heft_history *history_open_for(const struct cli *cli, struct history_settings *s,
				      unsigned flags);
/* The snapshot of a build; NULL, and said, where it cannot be read.  `components` is a file that
 * tells owners of sources; NULL: those that it was added with. */
struct heft_snapshot *history_read(const struct cli *cli, struct heft_history *h, const char *word,
				   const char *components);
/* The snapshots of two builds; false, and said, where one cannot be read. */
bool history_read_pair(const struct cli *cli, struct heft_history *h, const char *const words[2],
		       const char *components, struct heft_snapshot *ret[2]);

#endif
