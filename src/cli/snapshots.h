/* snapshots.h - what the commands share that open snapshots. */
#ifndef HEFT_CLI_SNAPSHOTS_H
#define HEFT_CLI_SNAPSHOTS_H

#include "cli/cli.h"
#include "cli/outfile.h"

/* A table includes find_opts.inc and O_VERBOSE. */
struct snapshot_settings {
	struct heft_session *session;
	unsigned flags;         /* of enum heft_snapshot_flag */
	const char *components; /* a file that tells owners of sources; NULL: none */
	bool verbose;
};

void snapshot_settings_init(struct snapshot_settings *s, const struct cli *cli);
void snapshot_settings_release(struct snapshot_settings *s);

/* A program, .size or .sizediff file.  NULL, and said, where it cannot be read.  Notes are
 * printed. */
struct heft_snapshot *snapshot_open(const struct cli *cli, const struct snapshot_settings *s,
				    const char *path);

/* The same of two for a diff; false, and said, where one cannot be read. */
bool snapshot_open_pair(const struct cli *cli, const struct snapshot_settings *s,
			const char *const paths[2], struct heft_snapshot **ret_before,
			struct heft_snapshot **ret_after);

/* What looks wrong in a snapshot, to a file, or stdout where `path` is NULL; EXIT_NO where its sums
 * are. */
int snapshot_judge(const struct cli *cli, const struct heft_snapshot *s, const char *path);

#endif
