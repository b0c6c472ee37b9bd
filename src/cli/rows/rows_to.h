/* rows_to.h - where rows for stores go: standard output, a file, or a server.
 *
 * Rows are gathered to requests of a few megabytes, of whole rows: those of small files share one,
 * those of a large one have several, so that no more than a request is in memory.  A file is added
 * to a list when all its rows were taken, so that a run that was broken off goes on behind it:
 * every row arrives at least once. */
#ifndef HEFT_CLI_ROWS_ROWS_TO_H
#define HEFT_CLI_ROWS_ROWS_TO_H

#include "cli/cli.h"

#include <stdio.h>

struct rows_to {
	const char *url;       /* NULL: the file */
	const char *done_path; /* the list, NULL: none */
	FILE *file;
	/* private */
	const struct cli *cli;
	struct heft_upload *upload;
	unsigned char *bytes; /* what waits */
	size_t size, room;
	char *waiting; /* lines for the list, of the files whose rows wait */
	size_t waiting_size;
	char **list; /* what is done already, sorted */
	size_t list_count;
	size_t known;     /* files that the list had */
	uint64_t written; /* bytes */
	size_t start;     /* where the rows of the file at hand begin in `bytes` */
	bool gone;        /* rows could not be sent or written, which was said */
};

/* After url and done_path are set.  `columns`: those in front of the labels.  False, and said,
 * where the address is wrong or the list cannot be read. */
bool rows_to_open(struct rows_to *t, const struct cli *cli, const struct heft_constant *columns,
		  size_t count, enum heft_format format);
void rows_to_close(struct rows_to *t);
/* Whether the list has the file as it is now: its size and time of change. */
bool rows_to_has(struct rows_to *t, const char *path);
/* The `write` of a heft_sink, for whole rows; ctx is the struct rows_to.  False where there is no
 * memory, or where they cannot be sent: `gone` is set then. */
bool rows_to_put(void *ctx, const void *data, size_t size);
/* The rows of a file are complete.  False where they cannot be sent. */
bool rows_to_end_file(struct rows_to *t, const char *path);
/* The file at hand has failed: what waits of its rows is not sent. */
void rows_to_drop_file(struct rows_to *t);
/* Sends what waits; false, and said, where that cannot be done.  Nothing is sent where that failed
 * before. */
bool rows_to_flush(struct rows_to *t);

#endif
