/* budgets.h - declares what commands share that check programs against limits. */
#ifndef HEFT_CLI_BUDGETS_H
#define HEFT_CLI_BUDGETS_H

#include "cli/cli.h"

/* Returns the exit status after a check: EXIT_NO if a limit is broken. EXIT_TROUBLE, with a
 * message, if limits match nothing, or if growth limits lack a base, unless `allow_no_base`. */
int budget_verdict(const struct cli *cli, const struct heft_budget *b, const char *path,
		   bool allow_no_base);

#endif
