/* functions.h - declares helpers for commands that name functions with basic blocks. */
#pragma once

#include "cli/cli.h"

/* Prints why heft_blocks_named() found no function, and suggests a similar name. */
void say_no_function(const struct cli *cli, struct heft_blocks *b, const char *name,
		     const struct heft_err *err);
