/* Lists the JSON members, for docs/json.md. */
#include "measure/profile.h"
#include "measure/stack_column.h"
#include "report/all_fields.h"
#include "report/budget_report.h"
#include "report/diff_report.h"
#include "report/heap_report.h"
#include "measure/advice_rows.h"
#include "measure/info_rows.h"
#include "source/region_sums.h"
#include "stack/stack_rows.h"

static const struct row_fields rows[] = {
	{ "row of sizes", size_stack_texts, STACK_COLUMN_TEXTS, size_measures, SIZE_ALL },
	{ "row that retains", &size_retained_text, 1, NULL, 0 },
	{ "row of a memory region", region_texts, REGION_TEXTS, NULL, 0 },
	{ "row of a file", info_texts, INFO_TEXTS, info_measures, INFO_MEASURES },
	{ "row of a stack", stack_texts, STACK_TEXTS, stack_measures, STACK_MEASURES },
	{ "row of advice", advice_texts, ADVICE_TEXTS, advice_measures, 1 },
	{ "row of a heap", heap_texts, HEAP_TEXTS, heap_measures, HEFT_HEAP_WITH_CALLEES + 1 },
	{ "row of changes", diff_texts_of_stacks, DIFF_ALL_TEXTS, diff_measures, DIFF_MEASURES },
	{ "row of a limit", budget_texts, BUDGET_TEXTS, budget_measures, BUDGET_MEASURES },
};

static bool fields_write(const struct heft_sink *sink, struct heft_err *err)
{
	struct sink s;
	sink_start(&s, sink);
	for (size_t i = 0; all_fields[i] != NULL; i++)
		fields_document(&s, all_fields[i]);
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		row_fields_document(&s, &rows[i]);
	return sink_end(&s, err);
}

bool heft_fields_write(const struct heft_sink *sink, struct heft_err *err)
{
	return GUARDED_BARE(err, fields_write(sink, err));
}
