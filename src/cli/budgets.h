/* budgets.h - declares what the commands share that check programs against limits. */
#ifndef HEFT_CLI_BUDGETS_H
#define HEFT_CLI_BUDGETS_H

#include "cli/cli.h"

/* Returns the exit status after a check. EXIT_NO: a limit is broken. EXIT_TROUBLE, with a message:
 * limits match nothing, or growth limits lack a base and `allow_no_base` is false. */
int budget_verdict(const struct cli *cli, const struct heft_budget *b, const char *path,
		   bool allow_no_base);

#endif
