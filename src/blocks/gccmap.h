/* gccmap.h - a basic-block map in gcc's assembly, of the blocks that gcc itself names there.
 *
 * With -dA (GCC manual, "Developer Options") comments say where a block begins (`# BLOCK 3, ...`),
 * where control comes from (`# PRED: 2 ... (FALLTHRU)`) and where it goes (`# SUCC: EXIT ...
 * (ABNORMAL,SIBCALL)`). Labels are put around the instructions of each block, and behind each
 * function an entry of version 2 (blocks/bbmap.h) made of differences of labels.  It stands in
 * a section linked to the function's, and in its COMDAT group.  A part that gcc moved away
 * (FUNCTION.cold) is a further range.
 *
 * Blocks without instructions are left out, and functions that gcc writes without blocks (thunks).
 * Instructions, and so the code, stay as they are.  gas 2.35 or later reads the result.  O(n). */
#ifndef HEFT_CODE_GCCMAP_H
#define HEFT_CODE_GCCMAP_H

#include "base/text.h"

/* Appends the assembly with its map to `ret`; without -dA it is what it was.  Returns the functions
 * that have a map. */
uint64_t gccmap_filter(struct str assembly, struct text *ret);

#endif
