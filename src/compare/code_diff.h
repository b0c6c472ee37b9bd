/* code_diff.h - compares the disassembly of a function before and after a change, as a unified
 * diff.
 *
 * A .sizediff file stores the text with the symbol. SuperSize's viewer shows it in two columns.
 *
 * One thread. */
#ifndef HEFT_COMPARE_CODE_DIFF_H
#define HEFT_COMPARE_CODE_DIFF_H

#include "image/image.h"
#include "compare/diff.h"

enum {
	CODE_DIFF_SYMBOLS = 10,
	CODE_DIFF_BYTES = 2048
}; /* Limits: number of symbols with a diff, and bytes of code per symbol. Both are SuperSize's. */

/* Picks the pairs whose code grew or shrank most, by at least 10 bytes. Stores their indexes in
 * d->pairs in `ret`, and returns their number. Each pair has code on the new side. */
size_t code_diff_pick(const struct snapshot_diff *d, size_t ret[CODE_DIFF_SYMBOLS]);

/* A function of a program. `im` is NULL if the side lacks the function. */
struct code_side {
	const struct image *im;
	uint64_t addr, size;
};

/* Empties *out, and writes the diff to it. False if neither side can be disassembled. */
bool code_diff(struct text *out, const struct code_side *before, const struct code_side *after);

#endif
