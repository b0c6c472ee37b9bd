/* words.h - what the completions of shells offer. */
#ifndef HEFT_CLI_WORDS_H
#define HEFT_CLI_WORDS_H

#include "cli/cli.h"

/* Every command and option, a line each on stdout: command, option, its value, what it does, with
 * tabs between.  Values that are a choice have "|" between the words.  Ready-made queries are
 * options of the command "@". */
void words_print(const struct command *commands, size_t count);

#endif
