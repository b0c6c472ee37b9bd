/* line_table.h - stores the rows of one line program for look-ups by address.
 *
 * If rows have the same address, the last one is used, because a row describes the code after it
 * (DWARF 5, 6.2.5). Rows that repeat the previous source line are dropped. 16 bytes per row, 24 per
 * sequence, 8 per file. */
#ifndef HEFT_DEBUG_LINE_TABLE_H
#define HEFT_DEBUG_LINE_TABLE_H

#include "base/intern.h"
#include "debug/line.h"
#include "debug/unit.h"

/* Row: source line of the code from an address on. 0 if unknown. */
struct line_place {
	uint32_t delta; /* Bytes from the first address of the sequence */
	uint32_t file, line, column;
};

struct line_sequence {
	uint64_t end; /* End of its code. */
	uint64_t addr;
	uint32_t first, count; /* Range in `rows`, not empty */
};

struct line_table {
	VEC(struct line_sequence) sequences; /* Sorted by end */
	VEC(struct line_place) rows;
	/* Interned paths by file number. NULL if not made yet. */
	const char **paths;
	size_t path_count;
	struct dwarf *dwarf;
	uint64_t off, str_offsets_base;
	struct str comp_dir;
	uint8_t address_size;
	bool complete; /* True if all paths are known */
	size_t near;   /* Index of the row found last */
};

/* Reads the line program of a unit, or of the skeleton of a split unit. False if there is none.
 * Paths of files in rows are interned in `paths`. Rows before damage are kept. */
bool line_table_read(struct line_table *t, const struct unit *u, struct intern *paths);
void line_table_release(struct line_table *t);
/* Returns the row of an address, or NULL. O(log rows), less near the previous address. */
const struct line_place *line_table_find(struct line_table *t, uint64_t addr);
/* Returns the absolute path (debug/path.h) of a file by its number. "" if there is none. The text
 * belongs to `paths` and never changes. */
const char *line_table_path(struct line_table *t, uint32_t file, struct intern *paths);

#endif
