/* budget_handle.h - gives other files of api/ the results of checked limits. */
#pragma once

#include "report/budget_report.h"

/* Returns the results of the last check, which belong to the handle. If `b` is NULL, there are
 * none. */
struct budget_report budget_handle_report(const struct heft_budget *b);
