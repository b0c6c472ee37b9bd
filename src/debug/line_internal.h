/* line_internal.h - declares what line.c and line_header.c share. */
#pragma once

#include "debug/line.h"

/* Reads a file in the form of versions before 5, and appends it to p->files. False for the empty
 * name that ends the table, and if r is bad. */
bool line_read_file(struct line_program *p, struct reader *r);
/* Sets the registers to their values at the start of a sequence. The opcodes of the next row begin
 * at p->reader. */
void line_start_sequence(struct line_program *p);
