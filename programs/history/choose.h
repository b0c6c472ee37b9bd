/* choose.h - what the commands about histories share: which one, which of its builds. */
#ifndef HEFT_HISTORY_CHOOSE_H
#define HEFT_HISTORY_CHOOSE_H

#include "cli/output.h"
#include "history/timeline.h"

#define NO_WAIT_HELP "fail at once where another job writes"

/* A table includes history_opts.inc.  Zeroed: history.db, all builds. */
struct history_settings {
	const char *store;
	struct build_filter filter;
};

/* A history that is open, and the builds that the settings let through.  Zeroed: there is none. */
struct history {
	struct store store;
	struct timeline timeline;
};

/* Whether it is an option of history_opts.inc, which it takes. */
bool history_apply(struct history_settings *s, const struct opt *o, const char *value);
/* `flags` are bits of enum db_flag.  False, and said, where it cannot be opened. */
bool history_open(const struct cli *cli, const struct history_settings *s, unsigned flags,
		  struct history *ret);
void history_close(struct history *h);
/* Lets other builds through. */
void history_select(struct history *h, const struct build_filter *f);

/* The snapshot of a build; NULL, and said, where it cannot be read.  `components` is a file that
 * tells owners of sources; NULL: those that it was added with. */
struct heft_snapshot *history_read(const struct cli *cli, struct history *h, const char *word,
				   const char *components);
/* The snapshots of two builds; false, and said, where one cannot be read. */
bool history_read_pair(const struct cli *cli, struct history *h, const char *const words[2],
		       const char *components, struct heft_snapshot *ret[2]);

/* Writes rows where the options say, `zstd`: packed; an exit status.  `usual` rows are shown, 0:
 * all. */
int history_write(const struct cli *cli, const struct output *out, uint32_t usual, bool zstd,
		  bool (*write)(void *ctx, struct heft_answer *to, struct heft_err *err),
		  void *ctx);

#endif
