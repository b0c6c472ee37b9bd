/* Turns the results of checked limits into an exit status. */
#include "cli/budgets.h"

static size_t budgets_count_state(const struct heft_budget *b, enum heft_budget_state state)
{
	size_t n = 0;
	for (size_t i = 0; i < heft_budget_row_count(b); i++)
		n += heft_budget_row(b, i)->state == state;
	return n;
}

int budget_verdict(const struct cli *cli, const struct heft_budget *b, const char *path,
		   bool allow_no_base)
{
	const size_t unmatched = budgets_count_state(b, HEFT_BUDGET_UNMATCHED);
	const size_t skipped = budgets_count_state(b, HEFT_BUDGET_SKIPPED);
	const size_t unknown = budgets_count_state(b, HEFT_BUDGET_UNKNOWN);
	if (unknown > 0)
		return cli_error(cli, "%s: %zu of %zu limits ask what is not known", path, unknown,
				 heft_budget_row_count(b));
	if (unmatched > 0)
		return cli_error(cli, "%s: %zu of %zu limits match nothing", path, unmatched,
				 heft_budget_row_count(b));
	if (skipped > 0 && !allow_no_base)
		return cli_error(cli,
				 "%s: %zu limits of growth need --base=OLD, or --allow-no-base",
				 path, skipped);
	return budgets_count_state(b, HEFT_BUDGET_BROKEN) > 0 ? EXIT_NO : EXIT_FINE;
}
