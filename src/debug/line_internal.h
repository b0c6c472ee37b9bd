/* line_internal.h - what line.c and line_header.c share. */
#ifndef HEFT_DEBUG_LINE_INTERNAL_H
#define HEFT_DEBUG_LINE_INTERNAL_H

#include "debug/line.h"

/* An entry of the file table as versions before 5 have it, appended to p->files.  False for the
 * empty name that ends the table and where r is bad. */
bool line_read_file(struct line_program *p, struct reader *r);
/* Registers as they are before the opcode at p->reader. */
void line_start_sequence(struct line_program *p);

/* An unsigned number of 1 to 8 bytes. */
static inline uint64_t line_read_wide(struct reader *r, unsigned width)
{
	const uint8_t *p = read_take(r, width);
	uint64_t v = 0;
	for (unsigned i = 0; p && i < width; i++)
		v = v << 8 | p[r->big_endian ? i : width - 1 - i];
	return v;
}

#endif
