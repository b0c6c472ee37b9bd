/* spawn.h - what another program prints. */
#ifndef HEFT_CLI_SPAWN_H
#define HEFT_CLI_SPAWN_H

#include <stdbool.h>
#include <stddef.h>

/* Runs a program, found as by execvp, and reads what it prints, as a text that the caller frees.
 * `words` ends with NULL.  `quiet`: it prints no messages.  NULL where there is no such program, or
 * its exit status is not 0. */
char *child_output(const char *const *words, bool quiet);

#endif
