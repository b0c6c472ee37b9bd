/* stack_rows.h - the rows of a report about stacks: a function each. */
#ifndef HEFT_STACK_STACK_ROWS_H
#define HEFT_STACK_STACK_ROWS_H

#include "map/rows.h"
#include "program/locate.h"
#include "stack/depths.h"

/* Texts of a row, and measures. */
enum stack_text {
	STACK_TEXT_KIND,
	STACK_TEXT_BESIDES,
	STACK_TEXT_PATH,
	STACK_TEXT_STATED,
	STACK_TEXT_CAUSE,
	STACK_TEXTS
};
enum stack_measure { STACK_MOST, STACK_FRAME, STACK_MEASURES };

extern const struct heft_text stack_texts[STACK_TEXTS];
extern const struct heft_measure stack_measures[STACK_MEASURES];

/* Zeroed but for the first two, which are borrowed: ready. */
struct stack_rows {
	struct stack_use *stack;
	struct locator *locator; /* names functions */
	/* private */
	struct arena arena;
	struct tree tree;
	VEC(uint32_t) chosen; /* function of each node behind the first */
	struct heft_table table;
};

/* Makes the table that the query asks for; the one before is gone.  False where no function has the
 * name that it asks for. */
bool stack_rows_make(struct stack_rows *r, const struct heft_stack_query *q);
void stack_rows_release(struct stack_rows *r);

#endif
