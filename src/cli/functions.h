/* functions.h - functions with basic blocks that are named on the command line. */
#ifndef HEFT_CLI_FUNCTIONS_H
#define HEFT_CLI_FUNCTIONS_H

#include "cli/cli.h"

/* Whether it is called so, in the style shown or by the linker. */
bool function_is(const struct heft_block_function *f, const char *name);
bool function_exists(struct heft_blocks *b, const char *name);
/* Says that none is called so, and which one may be meant. */
void say_no_function(const struct cli *cli, struct heft_blocks *b, const char *file,
		     const char *name);

#endif
