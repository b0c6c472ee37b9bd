/* go_symbols.h - the symbols of a Go program that was stripped, from the tables of its runtime
 * (debug/pclntab.h). */
#ifndef HEFT_PROGRAM_GO_SYMBOLS_H
#define HEFT_PROGRAM_GO_SYMBOLS_H

#include "image/input.h"

/* Makes an image that stands beside `im` as its separate debug file would: the same sections
 * without bytes, a symbol for each function, before those of a package its name as their file.  It
 * borrows from `im`.  False where there is no such table; one of a version not known or a damaged
 * one is a note. */
bool go_symbols_open(const struct image *im, struct input *ret, struct notes *notes);

/* The package of a function, "" where its name tells none: what comes before the first dot behind
 * the last slash, of types in brackets aside.  Borrowed. */
struct str go_package(struct str function);

#endif
