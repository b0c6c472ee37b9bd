/* code_diff.h - compares the disassembly of a function before and after a change, as a unified
 * diff.
 *
 * A .sizediff file keeps the text with the symbol, and SuperSize's viewer shows both sides of it.
 *
 * One thread. */
#ifndef HEFT_COMPARE_CODE_DIFF_H
#define HEFT_COMPARE_CODE_DIFF_H

#include "image/image.h"
#include "compare/diff.h"

enum {
	CODE_DIFF_SYMBOLS = 10,
	CODE_DIFF_BYTES = 2048
}; /* Number of symbols, and bytes of code
							  * per symbol, that get a diff. Both
							  * limits are SuperSize's. */

/* Picks the pairs whose code grew or shrank most, by at least 10 bytes. Stores the pairs' indexes
 * in d->pairs in `ret`, and returns how many there are. Each of the pairs has code on the new
 * side. */
size_t code_diff_pick(const struct snapshot_diff *d, size_t ret[CODE_DIFF_SYMBOLS]);

/* A function of a program. `im` is NULL if that side has none. */
struct code_side {
	const struct image *im;
	uint64_t addr, size;
};

/* Empties *out, and writes the diff to it. False if neither side can be disassembled. */
bool code_diff(struct text *out, const struct code_side *before, const struct code_side *after);

#endif
