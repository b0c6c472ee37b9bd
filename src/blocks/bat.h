/* bat.h - BOLT's address translation tables: where the code of a binary that llvm-bolt wrote was
 * before.
 *
 * The description of the note in section .note.bolt_bat (llvm-bolt --enable-bat; LLVM 19, "BOLT
 * Address Translation", bolt/docs/BAT.md): functions that were moved, then the parts that were
 * split from them, each with pairs of offsets.  Addresses of the input are not in it: who knows the
 * input knows them by the names of functions.
 *
 * Numbers count on from one function to the next, so damage ends the walk.  A cursor: O(bytes),
 * memory for one function, one thread.  A table holds all of it: 8 bytes a pair, 96 a part;
 * immutable once read. */
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

struct bat_place {
	uint32_t to;        /* offset in the part, in the output */
	uint32_t from : 31; /* offset in the function of the input */
	uint32_t branch : 1;
};

/* A function of the output, or what was split off it: code that lies in one piece. */
struct bat_part {
	uint64_t addr;     /* in the output */
	uint64_t size;     /* bytes there: the tables do not say, UINT64_MAX until somebody does */
	uint32_t function; /* whose part: which of those that are not cold */
	uint32_t place;    /* in bat_table.parts */
	uint32_t next;     /* the next part of the same function; 0: there is none */
	size_t first, count; /* in places */
	bool cold;
};

struct bat_table {
	VEC(struct bat_part) parts;   /* part i < function_count is where function i begins */
	VEC(struct bat_place) places; /* those of a part by `to` */
	struct bat_part *by_addr;     /* the parts again, by addr */
	uint32_t function_count;
	bool damaged; /* the end could not be read */
};

/* Bytes of the section.  False: no such note, or nothing in it; then there is nothing to
 * release. */
bool bat_read(struct bat_table *t, struct bytes section, bool big_endian);
void bat_release(struct bat_table *t);
/* The part that begins at addr or before, as the last of them; NULL if none does. */
const struct bat_part *bat_part_before(const struct bat_table *t, uint64_t addr);
/* Where the instruction at offset `to` of a part was in the function of the input.  Exact where the
 * table has a pair for it, for returns behind calls, and as far as instructions kept their sizes
 * since the pair before. `branch`: for one that llvm-bolt added, which the input has not, it is the
 * place of the pair before, in the block that it ends.  False in front of the first pair. */
bool bat_translate(const struct bat_table *t, const struct bat_part *p, uint64_t to, bool branch,
		   uint64_t *ret_from);

#endif
