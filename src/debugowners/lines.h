/* lines.h - claims code by the rows of line programs (DWARF 5, 6.2). Private to the data sources.
 *
 * A row's label covers the code until the next row of its sequence. Only code of the image is
 * claimed, at most until the end of the row's section. Rows of unknown files claim nothing. Neither
 * do rows at addresses that several overlays share: that code belongs to its unit's file. Programs
 * are jobs on f->threads, joined in file order. Cost: about 20 ns per row, and a label for each
 * distinct file (and line) of a program. */
#pragma once

#include "program/debuginfo.h"
#include "program/source_file.h"

struct lines {
	const struct source_file *f;
	const struct image *im; /* The measured image */
	struct debuginfo *info;
	bool with_line;     /* True if labels are "FILE:LINE", false if they are "FILE" */
	uint32_t line_bias; /* Number to subtract from line numbers */
	struct claims *vm;
	uint64_t row_count; /* Number of rows that claimed bytes */
};

/* Claims the code of all line programs of l->info. */
void lines_of_all(struct lines *l);
