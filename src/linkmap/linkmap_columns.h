/* linkmap_columns.h - parses the map lines of lld and mold: numbers in columns, then text. The
 * indentation of the text tells whether the line is a section, a piece of it, or a symbol in the
 * piece. */
#ifndef HEFT_LINKMAP_LINKMAP_COLUMNS_H
#define HEFT_LINKMAP_LINKMAP_COLUMNS_H

#include "linkmap/linkmap_internal.h"

enum columns_level { COLUMNS_SECTION, COLUMNS_PIECE, COLUMNS_SYMBOL };

struct columns_line {
	uint64_t addr, size, align;
	uint64_t load_addr; /* Load address (lld only). Equal to addr if there is no such column. */
	enum columns_level level;
	struct str text;
};

/* Parts of "path:(section)". */
struct columns_place {
	struct str object, section;
};

/* Parses the rest of a line after the alignment: one blank, 8 blanks per level, then text, which
 * may be empty. */
bool columns_take_text(struct str rest, struct columns_line *ret);
/* Splits "path:(section)". False if the text has another form. */
bool columns_place(struct str text, struct columns_place *ret);

#endif
