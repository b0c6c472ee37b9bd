/* code_diff.h - the disassembly of a function before and after a change, as a unified diff: what a
 * .sizediff file keeps with a symbol, and SuperSize's viewer shows side by side.
 *
 * One thread. */
#ifndef HEFT_COMPARE_CODE_DIFF_H
#define HEFT_COMPARE_CODE_DIFF_H

#include "image/image.h"
#include "compare/diff.h"

enum { CODE_DIFF_SYMBOLS = 10, CODE_DIFF_BYTES = 2048 }; /* SuperSize's own numbers */

/* The pairs whose code changed most, by growth or shrinkage, 10 bytes at least: places in d->pairs;
 * returns how many.  They have code on the new side. */
size_t code_diff_pick(const struct snapshot_diff *d, size_t ret[CODE_DIFF_SYMBOLS]);

/* A function of a program; im NULL: there is none on that side. */
struct code_side {
	const struct image *im;
	uint64_t addr, size;
};

/* Replaces *out; false where nothing of either side can be disassembled. */
bool code_diff(struct text *out, const struct code_side *before, const struct code_side *after);

#endif
