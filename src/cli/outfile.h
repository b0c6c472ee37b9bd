/* outfile.h - where results go: stdout, or a file that appears whole or not at all. */
#ifndef HEFT_CLI_OUTFILE_H
#define HEFT_CLI_OUTFILE_H

#include "cli/cli.h"

#include <stdbool.h>
#include <stdio.h>

/* A file is written beside its place under a temporary name and renamed when it is complete.
 * What exists and is no regular file (a device, a pipe) is written directly. */
struct outfile {
	FILE *f;
	const char *path; /* as typed, for messages */
	char *temp;       /* NULL: nothing to rename */
};

/* `path` NULL or "-": stdout.  On failure errno says why. */
bool outfile_open(struct outfile *o, const char *path);
/* Flushes and puts the file in its place; false (errno) if any byte could not be written, and
 * then no file is left behind. */
bool outfile_close(struct outfile *o);
/* Closes without putting the file in its place. */
void outfile_drop(struct outfile *o);

/* Opens, has `write` write, and closes; an exit status.  What fails is said: what the library says,
 * or that the file cannot be written. */
int outfile_write(const struct cli *cli, const char *path,
		  bool (*write)(void *ctx, FILE *to, struct heft_err *err), void *ctx);
/* Whether both are the same file. */
bool outfile_is(const char *path, const char *input);
/* False, and said, where what is to be written is an input. */
bool outfile_spares(const struct cli *cli, const char *path, const char *input);
/* The `write` of a heft_sink whose ctx is a FILE. */
bool outfile_put(void *ctx, const void *data, size_t size);

/* The same with control characters shown as escapes, but for tabs and line ends: what is in names
 * must not drive a terminal. */
bool outfile_put_tame(void *ctx, const void *data, size_t size);

#endif
