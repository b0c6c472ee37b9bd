/* snapshots.h - what the commands share that open snapshots: options for those made from a program, opening. */
#ifndef HEFT_CLI_SNAPSHOTS_H
#define HEFT_CLI_SNAPSHOTS_H

#include "cli/cli.h"
#include "cli/outfile.h"

enum {
	O_SNAPSHOT_MAP = 1000,
	O_SNAPSHOT_DIR,
	O_SNAPSHOT_NO_SEARCH,
	O_SNAPSHOT_VERBOSE,
};

/* Rows of a table of options. */
#define SNAPSHOT_OPTS                                                                                  \
	{ O_SNAPSHOT_MAP, 0, false, "no-map", NULL, "use no linker map beside a program" },            \
		{ O_SNAPSHOT_DIR, 'D', false, "debug-dir", "DIR", "look for debug files here first" }, \
		{ O_SNAPSHOT_NO_SEARCH, 0,    false,                                                   \
		  "no-debug-search",    NULL, "use no separate debug file" },                          \
		{ O_SNAPSHOT_VERBOSE, 'v', false, NULL, NULL, "notes with offsets" }

struct snapshot_settings {
	const char **dirs; /* room for all words of the command line */
	size_t dir_count;
	bool no_map, no_search, verbose;
};

bool snapshot_settings_init(struct snapshot_settings *s, const struct cli *cli, int argc);
void snapshot_settings_release(struct snapshot_settings *s);
/* False where the option is none of these. */
bool snapshot_settings_apply(struct snapshot_settings *s, const struct opt *o, const char *value);

/* A program, .size or .sizediff file.  NULL, and said, where it cannot be read.  Notes are printed. */
struct heft_snapshot *snapshot_open(const struct cli *cli, const struct snapshot_settings *s,
				    const char *path);

/* A decimal number up to `max`.  False, and said, where the value is none. */
bool cli_number(const struct cli *cli, const struct opt *o, const char *value, uint64_t max,
		uint64_t *ret);

/* Output through `write` to a file, or stdout where `path` is NULL; an exit status. */
int snapshot_output(const struct cli *cli, const char *path,
		    bool (*write)(void *ctx, FILE *to, struct heft_err *err), void *ctx);
/* For the library's sinks; ctx is a FILE. */
bool put_to_file(void *ctx, const void *data, size_t size);

#endif
