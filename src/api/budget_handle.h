/* budget_handle.h - gives other files of api/ the results of checked limits. */
#ifndef HEFT_API_BUDGET_HANDLE_H
#define HEFT_API_BUDGET_HANDLE_H

#include "report/budget_report.h"

/* Returns the rows of the last check, none for NULL. Borrowed from the handle. */
struct budget_report budget_handle_report(const struct heft_budget *b);

#endif
