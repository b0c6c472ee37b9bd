/* bat.h - BOLT's address translation tables: where the code of a binary that llvm-bolt wrote was before.
 *
 * The description of the note in section .note.bolt_bat (llvm-bolt --enable-bat; LLVM 19, "BOLT Address
 * Translation", bolt/docs/BAT.md): functions that were moved, then the parts that were split from
 * them, each with pairs of offsets.  Addresses of the input are not in it: who knows the input knows them by
 * the names of functions.
 *
 * Numbers count on from one function to the next, so damage ends the walk.  O(bytes), memory for one function.
 * One thread a cursor. */
#ifndef HEFT_CODE_BAT_H
#define HEFT_CODE_BAT_H

#include "base/reader.h"
#include "base/vec.h"

struct bat_pair {
	uint64_t addr;  /* in the output */
	uint64_t from;  /* offset in the function of the input */
	bool branch;    /* a jump or call ends here; else a block starts */
	uint64_t hash;  /* blocks: of its code in the input */
	uint64_t block; /* blocks: its number in the input */
};

struct bat_function {
	uint64_t addr;              /* in the output */
	bool cold;                  /* split off function `hot` */
	uint64_t hot;               /* which of those that are not cold, counted from 0 */
	uint64_t hash;              /* not cold: of the function in the input */
	uint64_t blocks;            /* not cold: how many it had in the input */
	VEC(struct bat_pair) pairs; /* by addr */
	VEC(uint64_t) entries;      /* not cold: offsets of further entry points in the output */
};

struct bat_cursor {
	struct reader reader;
	struct bat_function function; /* what bat_next found; its arrays hold until it moves */
	/* private */
	uint64_t addr, hot, left, hot_count;
	bool cold;
};

/* The bytes of the section.  False: no such note. */
bool bat_open(struct bat_cursor *c, struct bytes section, bool big_endian);
/* False at the end and where the table is damaged: then !reader_ok(&c->reader). */
bool bat_next(struct bat_cursor *c);
void bat_close(struct bat_cursor *c);

#endif
