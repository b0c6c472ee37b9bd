/* line_internal.h - what line.c and line_header.c share. */
#ifndef HEFT_DEBUG_LINE_INTERNAL_H
#define HEFT_DEBUG_LINE_INTERNAL_H

#include "debug/line.h"

/* An entry of the file table as versions before 5 have it, appended to p->files.  False for the
 * empty name that ends the table and where r is bad. */
bool line_read_file(struct line_program *p, struct reader *r);
/* Registers as they are before the opcode at p->reader. */
void line_start_sequence(struct line_program *p);

#endif
