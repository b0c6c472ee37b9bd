/* lines.h - code by the rows of line programs (DWARF 5, 6.2).  Private to the sources.
 *
 * A row's label holds up to the next row of its sequence; only code of the image is claimed, at
 * most up to the end of the section a row lies in.  Rows whose file is not known claim nothing, and
 * those of files nothing where several overlays run: the code is there of its unit's file.
 * Programs are jobs of f->threads, put together in file order.  Cost: about 20 ns a row, and a
 * label for each distinct file (and line) of a program. */
#ifndef HEFT_SOURCE_ATTR_LINES_H
#define HEFT_SOURCE_ATTR_LINES_H

#include "program/debuginfo.h"
#include "source/source.h"

struct lines {
	const struct source_file *f;
	const struct image *im; /* measured */
	struct debuginfo *info;
	bool with_line; /* labels are "FILE:LINE", not "FILE" */
	struct claims *vm;
	uint64_t row_count; /* that claimed bytes */
};

/* Claims the code of all line programs that l->info has. */
void lines_of_all(struct lines *l);

#endif
