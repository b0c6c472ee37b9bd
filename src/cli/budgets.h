/* budgets.h - what the commands share that hold programs against limits. */
#ifndef HEFT_CLI_BUDGETS_H
#define HEFT_CLI_BUDGETS_H

#include "cli/cli.h"

/* The exit status after a check: EXIT_NO where a limit is broken.  EXIT_TROUBLE, and said, where
 * limits match nothing, or are of growth and there was no base, unless `allow_no_base`. */
int budget_verdict(const struct cli *cli, const struct heft_budget *b, const char *path,
		   bool allow_no_base);

#endif
