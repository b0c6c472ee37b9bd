/* budget_handle.h - what the rest of api/ sees of limits that were checked. */
#ifndef HEFT_API_BUDGET_HANDLE_H
#define HEFT_API_BUDGET_HANDLE_H

#include "report/budget_report.h"

/* The rows of the last check; without any for NULL.  Borrowed from the handle. */
struct budget_report budget_handle_report(const struct heft_budget *b);

#endif
