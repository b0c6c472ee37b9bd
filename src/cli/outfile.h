/* outfile.h - writes results to stdout, or to a file that appears complete or not at all. */
#pragma once

#include "cli/cli.h"

#include <stdbool.h>
#include <stdio.h>

/* An output file. A regular file is written under a temporary name in the same folder, and renamed
 * when complete. A device or pipe is written directly. */
struct outfile {
	FILE *f;
	const char *path; /* Path as the user typed it, for messages */
	char *temp;       /* Temporary name. NULL if nothing is to be renamed */
};

/* Opens the output. If `path` is NULL or "-", the output is stdout. False on failure (errno). */
bool outfile_open(struct outfile *o, const char *path);
/* Flushes the file and renames it. If a byte cannot be written, returns false (errno) and removes
 * it. */
bool outfile_close(struct outfile *o);
/* Closes the file and removes it. */
void outfile_drop(struct outfile *o);

/* Opens a file, calls `write`, and closes the file. Returns the exit status. Prints the library's
 * error, or that the file cannot be written. */
int outfile_write(const struct cli *cli, const char *path,
		  bool (*write)(void *ctx, FILE *to, struct heft_err *err), void *ctx);
/* True if `path` and `input` are the same file. */
bool outfile_is(const char *path, const char *input);
/* Returns false, after a message, if the output would overwrite an input. */
bool outfile_spares(const struct cli *cli, const char *path, const char *input);
/* The `write` function of a heft_sink whose ctx is a FILE. */
bool outfile_put(void *ctx, const void *data, size_t size);

/* Writes like outfile_put(), but escapes control characters except tabs and line ends, because
 * names must not drive a terminal. */
bool outfile_put_tame(void *ctx, const void *data, size_t size);
