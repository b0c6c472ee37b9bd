/* line_table.h - the rows of one line program, kept for looking addresses up.
 *
 * Of rows with one address the last counts (DWARF 5, 6.2.5: each describes what follows it),
 * rows that repeat the place before are dropped.  16 bytes a row, 24 a sequence, 8 a file. */
#ifndef HEFT_DEBUG_LINE_TABLE_H
#define HEFT_DEBUG_LINE_TABLE_H

#include "base/intern.h"
#include "debug/line.h"
#include "debug/unit.h"

/* Where a row says an address comes from; numbers 0 = unknown. */
struct line_place {
	uint32_t delta; /* from the sequence's first address */
	uint32_t file, line, column;
};

struct line_sequence {
	uint64_t end; /* one past its code */
	uint64_t addr;
	uint32_t first, count; /* in rows; at least one */
};

struct line_table {
	VEC(struct line_sequence) sequences; /* by end */
	VEC(struct line_place) rows;
	/* By file number: interned; NULL = not asked for yet. */
	const char **paths;
	size_t path_count;
	struct dwarf *dwarf;
	uint64_t off, str_offsets_base;
	struct str comp_dir;
	uint8_t address_size;
	bool complete; /* every path is known */
	size_t near;   /* the row found last */
};

/* Reads the line program of a unit (a skeleton for split ones); false if it has none.  Paths of
 * files that rows name are interned in `paths`.  Damage keeps the rows before it. */
bool line_table_read(struct line_table *t, const struct unit *u, struct intern *paths);
void line_table_release(struct line_table *t);
/* NULL where no row covers the address.  O(log rows), less where the look-up before was near. */
const struct line_place *line_table_find(struct line_table *t, uint64_t addr);
/* The path of a file by its number, made absolute (debug/path.h); "" where there is none.  Belongs
 * to `paths`, the same as ever. */
const char *line_table_path(struct line_table *t, uint32_t file, struct intern *paths);

#endif
