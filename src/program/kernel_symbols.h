/* kernel_symbols.h - the symbols of a Linux kernel that was stripped, from the table that it
 * carries for its own messages (debug/runtime/kallsyms.h): an ELF file, or for AArch64 what is
 * booted.  That has no sections but two, so what its code ends with and what no name reaches is
 * called "(data without symbols)". */
#ifndef HEFT_PROGRAM_KERNEL_SYMBOLS_H
#define HEFT_PROGRAM_KERNEL_SYMBOLS_H

#include "image/input.h"

/* Whether the image is a kernel with such a table.  O(its bytes). */
bool kernel_has_symbols(const struct image *im);
/* Makes an image that stands beside `im` as its separate debug file would: the same sections
 * without bytes, and the symbols of the table.  It borrows from `im`.  False, with nothing made,
 * where the image is no kernel or has no table. */
bool kernel_symbols_open(const struct image *im, struct input *ret, struct notes *notes);

#endif
