/* spawn.h - reads what another program prints. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Reads a stream to its end. The caller frees the text. NULL if there is no memory. */
char *stream_read(FILE *f);
/* Runs a program, found as by execvp(), and returns its output. The caller frees the output. NULL
 * ends `words`. `quiet` suppresses the program's messages. Returns NULL if the program does not
 * exist or its exit status is not 0. */
char *child_output(const char *const *words, bool quiet);
