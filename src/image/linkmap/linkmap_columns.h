/* linkmap_columns.h - the layout lld introduced and mold took over: numbers in columns, then text,
 * whose indentation says what the line is: a section, a piece of it, a symbol in that. */
#ifndef HEFT_IMAGE_LINKMAP_LINKMAP_COLUMNS_H
#define HEFT_IMAGE_LINKMAP_LINKMAP_COLUMNS_H

#include "image/linkmap/linkmap_internal.h"

enum columns_level { COLUMNS_SECTION, COLUMNS_PIECE, COLUMNS_SYMBOL };

struct columns_line {
	uint64_t addr, size, align;
	uint64_t load_addr; /* lld alone; addr where there is no such column */
	enum columns_level level;
	struct str text;
};

/* "path:(section)". */
struct columns_place {
	struct str object, section;
};

/* Splits what stands behind the column of the alignment: one blank, 8 for each level, text,
 * which may be empty. */
bool columns_take_text(struct str rest, struct columns_line *ret);
/* False where the text is not of that form. */
bool columns_place(struct str text, struct columns_place *ret);

#endif
