/* lines.h - code by the rows of line programs (DWARF 5, 6.2).  Private to the sources.
 *
 * A row's label holds up to the next row of its sequence; only code of the image is claimed, at
 * most up to the end of the section a row lies in.  Rows whose file is not known claim nothing.
 * Cost: about 20 ns a row, and a label for each distinct file (and line) of a unit.  One
 * thread. */
#ifndef HEFT_SOURCE_ATTR_LINES_H
#define HEFT_SOURCE_ATTR_LINES_H

#include "base/map.h"
#include "debug/line.h"
#include "program/debuginfo.h"
#include "source/source.h"

struct line_label {
	uint64_t key; /* file << 32 | line */
	label_id label;
};

struct lines {
	const struct source_file *f;
	const struct image *im; /* measured */
	struct debuginfo *info;
	bool with_line; /* labels are "FILE:LINE", not "FILE" */
	struct claims *vm;
	uint64_t row_count; /* that claimed bytes */

	/* private */
	const struct section *section; /* of the last row */
	uint64_t *seen;                /* line programs: a bit for each offset of DW_LINE */
	VEC(struct line_label) lines;  /* of the unit at work */
	struct map by_key;             /* lines */
	struct text path;              /* of path_file, and a colon if with_line */
	uint64_t path_file;            /* DW_NO_OFFSET = none */
};

/* Claims the code of the unit's line program, if no unit before had the same one. */
void lines_of_unit(struct lines *l, const struct unit *u);
/* Of all units of l->info. */
void lines_of_all(struct lines *l);
void lines_release(struct lines *l);

#endif
