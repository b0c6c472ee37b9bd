/* line_table.h - stores the rows of one line program for look-ups by address.
 *
 * Of rows with the same address, only the last describes code, because a row describes the code
 * until the next row (DWARF 5, 6.2.5). Rows that repeat the previous source line are dropped. 16
 * bytes per row, 24 per sequence, 8 per file. */
#pragma once

#include "base/intern.h"
#include "debug/line.h"
#include "debug/unit.h"

/* Source line of the code from an address on. Numbers are 0 if unknown */
struct line_place {
	uint32_t delta; /* Distance from the first address of the sequence */
	uint32_t file, line, column;
};

struct line_sequence {
	uint64_t end;
	uint64_t addr;
	uint32_t first, count; /* Range in `rows`, not empty */
};

struct line_table {
	VEC(struct line_sequence) sequences; /* Sorted by end */
	VEC(struct line_place) rows;
	/* Paths by file number, in the caller's intern. NULL until needed. */
	const char **paths;
	size_t path_count;
	struct dwarf *dwarf;
	uint64_t off, str_offsets_base;
	struct str comp_dir;
	uint8_t address_size;
	bool complete; /* True if no path is NULL */
	size_t near;   /* Index of the last row found */
};

/* Reads the line program of a unit, or of the skeleton of a split unit. False if there is none.
 * Paths of files are interned in `paths`. Keeps the rows before damage. */
bool line_table_read(struct line_table *t, const struct unit *u, struct intern *paths);
void line_table_release(struct line_table *t);
/* Returns the row of an address, or NULL. O(log rows), and faster near the last address. */
const struct line_place *line_table_find(struct line_table *t, uint64_t addr);
/* Returns the absolute path (debug/path.h) of a file by its number. "" if there is none. The text
 * belongs to `paths` and never changes. */
const char *line_table_path(struct line_table *t, uint32_t file, struct intern *paths);
