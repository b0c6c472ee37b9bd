/* functions.h - handles functions with basic blocks that are named on the command line. */
#ifndef HEFT_CLI_FUNCTIONS_H
#define HEFT_CLI_FUNCTIONS_H

#include "cli/cli.h"

/* Prints why heft_blocks_named() found no function, and a similar name. */
void say_no_function(const struct cli *cli, struct heft_blocks *b, const char *name,
		     const struct heft_err *err);

#endif
