/* code_diff.h - compares the disassembly of a function before and after a change, as a unified
 * diff. A .sizediff file stores it with the symbol, and SuperSize's viewer shows it. One thread. */
#ifndef HEFT_COMPARE_CODE_DIFF_H
#define HEFT_COMPARE_CODE_DIFF_H

#include "image/image.h"
#include "compare/diff.h"

enum {
	CODE_DIFF_SYMBOLS = 10,
	CODE_DIFF_BYTES = 2048
}; /* SuperSize's limits: number of symbols with a diff, and bytes of code per symbol */

/* Picks the pairs whose code grew or shrank most, by at least 10 bytes, and that have code in the
 * new program. Sets `ret` to their indexes in d->pairs. Returns their number. */
size_t code_diff_pick(const struct snapshot_diff *d, size_t ret[CODE_DIFF_SYMBOLS]);

/* A function of a program. `im` is NULL if this side lacks it */
struct code_side {
	const struct image *im;
	uint64_t addr, size;
};

/* Sets *out to the diff. False if neither function can be disassembled. */
bool code_diff(struct text *out, const struct code_side *before, const struct code_side *after);

#endif
