/* go_symbols.h - makes the symbols of a stripped Go program from the tables of its runtime
 * (debug/pclntab.h). */
#ifndef HEFT_PROGRAM_GO_SYMBOLS_H
#define HEFT_PROGRAM_GO_SYMBOLS_H

#include "image/input.h"
#include "program/go_table.h"

/* Parts that the image may have. */
enum { GO_SYMBOLS = 1, GO_LINES = 2 };

/* Makes a companion image for `im`, like a separate debug file: the same sections without bytes.
 * With GO_SYMBOLS it has a symbol per table of the whole program and per function; the package name
 * is the file before the functions. With GO_LINES it has the DWARF of go_dwarf.h. It borrows from
 * `im`, its table and *ret_owned (or NULL), which the caller frees after the image. */
void go_symbols_open(const struct image *im, const struct go_table *table, unsigned what,
		     struct input *ret, void **ret_owned, struct notes *notes);

#endif
