/* go_symbols.h - the symbols of a Go program that was stripped, from the tables of its runtime
 * (debug/pclntab.h). */
#ifndef HEFT_PROGRAM_GO_SYMBOLS_H
#define HEFT_PROGRAM_GO_SYMBOLS_H

#include "image/input.h"
#include "program/go_table.h"

/* Makes an image that stands beside `im` as its separate debug file would: the same sections
 * without bytes, a symbol for each function, before those of a package its name as their file.  It
 * borrows from `im` and its table. */
void go_symbols_open(const struct image *im, const struct go_table *table, struct input *ret,
		     struct notes *notes);

#endif
