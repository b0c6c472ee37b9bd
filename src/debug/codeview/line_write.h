/* line_write.h - writes DWARF, for debug info that is none: PDBs, source maps. */
#ifndef HEFT_DEBUG_CODEVIEW_LINE_WRITE_H
#define HEFT_DEBUG_CODEVIEW_LINE_WRITE_H

#include "base/text.h"
#include "debug/flat.h"

/* Little-endian, so many bytes. */
static inline void put_uint(struct text *t, uint64_t v, unsigned width)
{
	for (unsigned i = 0; i < width; i++)
		text_add_char(t, (char)(v >> (8 * i)));
}

/* With a NUL. */
static inline void put_cstr(struct text *t, struct str s)
{
	text_add(t, s);
	text_add_char(t, 0);
}

/* Overwrites 4 bytes with the size of what stands behind them up to the end. */
static inline void put_length(struct text *t, size_t at)
{
	const uint64_t size = t->len - at - 4;
	for (unsigned i = 0; i < 4; i++)
		t->p[at + i] = (char)(size >> (8 * i));
}

/* Where code comes from. */
struct line_origin {
	uint32_t file; /* index in files + 1; 0: not known */
	uint32_t line;
};

struct line_rows {
	const struct str *files;
	size_t file_count;
	struct flat_range *rows; /* `who` is an index in origins; sorted by line_write */
	size_t row_count;
	const struct line_origin *origins;
};

/* Appends a line program of version 4; of rows that overlap, the one with the highest `who` owns an
 * address.  Addresses of rows count from `base`. */
void line_write(struct text *out, const struct line_rows *l, uint64_t base);

#endif
