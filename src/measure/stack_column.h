/* stack_column.h - keeps the deepest stack of each symbol's label, for a column of a profile. */
#pragma once

#include "base/arena.h"
#include "map/space.h"
#include "map/view.h"
#include "stack/depths.h"

/* The deepest stack of each label. Several functions may have one label. All zero: no functions */
struct stack_column {
	VEC(struct stack_cell {
		uint64_t most;    /* Bytes plus 1. 0 if unknown */
		unsigned besides; /* Why the stack may be deeper: bits of enum stack_told */
	})
	cells; /* Per shown label, by its id */
};

enum { STACK_COLUMN_MOST, STACK_COLUMN_BESIDES, STACK_COLUMN_TEXTS };
extern const struct heft_text size_stack_texts[STACK_COLUMN_TEXTS];

/* Adds the functions of a program. `spans`: its symbols in the VM image. `view`: their labels. */
void stack_column_add(struct stack_column *c, const struct stack_use *use,
		      const struct spans *spans, const struct view *view);
/* Sets the texts of a label's row: "" if its stack is unknown. */
void stack_column_texts(const struct stack_column *c, label_id label, struct arena *arena,
			const char **ret);
