/* kernel_symbols.h - makes the symbols of a stripped Linux kernel from the table that the kernel
 * carries for its own messages (debug/runtime/kallsyms.h).
 *
 * The kernel is an ELF file, or for AArch64 the bootable file. The latter has only two sections, so
 * its bytes after the code and without a name are called "(data without symbols)". */
#ifndef HEFT_PROGRAM_KERNEL_SYMBOLS_H
#define HEFT_PROGRAM_KERNEL_SYMBOLS_H

#include "image/input.h"

/* True if the image is a kernel with a table of symbols. O(its bytes). */
bool kernel_has_symbols(const struct image *im);
/* Makes a companion image for `im`, like a separate debug file: the same sections without bytes,
 * and the symbols of the table. It borrows from `im`. False, with nothing made, if the image is no
 * kernel or has no table. */
bool kernel_symbols_open(const struct image *im, struct input *ret, struct notes *notes);

#endif
