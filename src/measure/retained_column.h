/* retained_column.h - keeps what each row of a profile retains, for a column: the bytes that would
 * go with all symbols of the row (graph/graph.h). */
#ifndef HEFT_MEASURE_RETAINED_COLUMN_H
#define HEFT_MEASURE_RETAINED_COLUMN_H

#include "base/arena.h"
#include "map/rollup.h"

struct graph;

/* Number of groups (rows with several symbols) per level whose retained bytes are found: the
 * largest ones. Other groups have no text, because each costs a search. */
enum { RETAINED_GROUPS = 1024 };

/* Retained bytes of each row. Must be zeroed before the first retained_column_add() */
struct retained_column {
	bool vm;            /* True to keep bytes of the VM image instead of the file */
	VEC(uint64_t) sums; /* Per node of the tree: retained bytes plus 1. 0 if unknown */
};

extern const struct heft_text size_retained_text;

/* Adds the symbols of a program to the rows of a tree. `levels`: spans of the VM image. */
void retained_column_add(struct retained_column *c, const struct graph *g, struct tree *t,
			 const struct rollup_level *levels, size_t level_count, unsigned threads);
/* Returns the text of a row. "" if unknown. */
const char *retained_column_text(const struct retained_column *c, uint32_t node,
				 struct arena *arena);

#endif
