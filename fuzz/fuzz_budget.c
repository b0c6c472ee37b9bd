/* Input: a file of budgets.  Each limit's text, read alone, gives the same limit; errors name a
 * place. */
#include "query/budget.h"

#include <stdio.h>

static void check_error(const struct heft_err *err, size_t size)
{
	unsigned line = 0, column = 0;
	ASSERT(err->code == HEFT_EFORMAT && err->offset <= size);
	ASSERT(sscanf(err->text, "x:%u:%u: ", &line, &column) == 2);
	ASSERT(line >= 1 && column >= 1 && line <= size + 1 && column <= size + 1);
}

static void check_limit(const struct budget_limit *l)
{
	struct budget again;
	struct heft_err err;
	ASSERT(budget_parse(&again, "x", str_of(l->text), &err));
	ASSERT(again.limits.count == 1);
	const struct budget_limit *m = &again.limits.data[0];
	ASSERT(m->subject == l->subject && m->growth == l->growth && m->percent == l->percent &&
	       m->amount == l->amount && strcmp(m->pattern, l->pattern) == 0);
	budget_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget b;
	struct heft_err err = { 0 };
	if (!budget_parse(&b, "x", (struct str){ (const char *)data, size }, &err)) {
		check_error(&err, size);
		return 0;
	}
	for (size_t i = 0; i < b.limits.count; i++)
		check_limit(&b.limits.data[i]);
	budget_release(&b);
	return 0;
}
