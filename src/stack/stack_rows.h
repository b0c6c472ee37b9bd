/* stack_rows.h - makes the rows of a report about stacks, one per function. */
#pragma once

#include "map/rows.h"
#include "program/locate.h"
#include "stack/depths.h"

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

/* Rows. The caller sets the first two members, which are borrowed, and the others to zero */
struct stack_rows {
	struct stack_use *stack;
	struct locator *locator; /* Names functions */
	struct arena arena;
	struct tree tree;
	VEC(uint32_t) chosen; /* Per node except the first: its function */
	struct heft_table table;
};

/* Makes the table for a query, instead of the one before. False if no function has its name. */
bool stack_rows_make(struct stack_rows *r, const struct heft_stack_query *q);
