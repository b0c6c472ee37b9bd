/* go_symbols.h - the symbols of a Go program that was stripped, from the tables of its runtime
 * (debug/pclntab.h). */
#ifndef HEFT_PROGRAM_GO_SYMBOLS_H
#define HEFT_PROGRAM_GO_SYMBOLS_H

#include "image/input.h"
#include "program/go_table.h"

/* What such an image has. */
enum { GO_SYMBOLS = 1, GO_LINES = 2 };

/* Makes an image that stands beside `im` as its separate debug file would: the same sections
 * without bytes.  With GO_SYMBOLS it has a symbol for each table of the whole program and for each
 * function, before those of a package its name as their file; with GO_LINES the DWARF of
 * go_dwarf.h.  It borrows from `im` and its table, and has *ret_owned, or NULL, as its bytes, which
 * the caller frees after it. */
void go_symbols_open(const struct image *im, const struct go_table *table, unsigned what,
		     struct input *ret, void **ret_owned, struct notes *notes);

#endif
