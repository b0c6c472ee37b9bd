/* bolt.h - what llvm-bolt did to an image: which code of its input became which of the output.
 *
 * The tables of `llvm-bolt --enable-bat` (blocks/bat.h) lead from output addresses to offsets
 * in functions of the input, but do not say where these functions were.  That is found out: by
 * symbols where the input is at hand, else by the old code, which llvm-bolt keeps (.bolt.org.text):
 * jumps and calls have to be where the tables say, and the bytes the same.  Where several functions
 * fit, calls from others decide; where none do, the function stays without a place.  Functions that
 * were rewritten where they are need no search.
 *
 * 8 bytes a pair of the tables, 96 a part.  Borrows the images.  One thread. */
#ifndef HEFT_BLOCKS_BOLT_H
#define HEFT_BLOCKS_BOLT_H

#include "blocks/bat.h"
#include "code/flow.h"
#include "blocks/derive_map_internal.h"

#define BOLT_UNKNOWN UINT64_MAX

/* Not moved; gone, and nothing says where to; the same as another one, which alone is left. */
enum { BOLT_STAYED = UINT32_MAX, BOLT_LOST = UINT32_MAX - 1, BOLT_FOLDED = UINT32_MAX - 2 };

/* Code of the input that may have been moved. */
struct bolt_origin {
	uint64_t addr, size;
	uint32_t function; /* of the tables, or BOLT_*; filled by bolt_match */
};

struct bolt {
	struct bat_table bat;
	uint64_t
		*inputs; /* by function of the tables: where it was in the input, or BOLT_UNKNOWN */
	bool has_code;   /* the input's code is there */
	/* Until bolt_settle: */
	struct gathering out, in;     /* code, unwind tables; `in`: code alone */
	VEC(struct code_claim) known; /* by the output's symbols, then its unwind tables; by addr */
	VEC(uint64_t) symbols;        /* of its functions, sorted */
	VEC(uint64_t) pads;           /* its landing pads, sorted */
};

/* Sizes of parts are known, as far as symbols and unwind tables tell.  False: llvm-bolt left no
 * tables in the image.  `input` is what llvm-bolt read, `debug` the output's separate debug file;
 * both may be NULL. */
bool bolt_open(struct bolt *x, const struct image *im, const struct image *debug,
	       const struct image *input, struct notes *notes);
/* Gives back what only bolt_match and walks need. */
void bolt_settle(struct bolt *x);
void bolt_close(struct bolt *x);

/* The part that has the code at addr, or NULL. */
const struct bat_part *bolt_part_at(const struct bolt *x, uint64_t addr);
/* Where code of the output was in its function of the input, which is *ret_function of the tables.
 * False where no part is. */
bool bolt_translate(const struct bolt *x, uint64_t addr, bool branch, uint32_t *ret_function,
		    uint64_t *ret_from);

/* bolt_match.c: fills inputs and origins[].function; origins are sorted by addr. */
void bolt_match(struct bolt *x, struct bolt_origin *origins, size_t count);

/* ---- walks ----------------------------------------------------------------------------------- */

/* A walk through a part of the output, with an eye on the same instruction of the input. */
struct bolt_walk {
	const struct bolt *x;
	const struct bat_part *part;
	const uint8_t *code;
	uint64_t at, end, room; /* offsets in the part; bytes of code there */
	size_t place;           /* the next pair */
	uint64_t from;          /* offset in the input's function, or BOLT_UNKNOWN */
	uint64_t input, size;   /* the input's function; size 0: its code is not known */
	const uint32_t *starts; /* where blocks of the input start that have a place, sorted */
	size_t start_count;
};

struct bolt_step {
	uint64_t addr;    /* of the instruction in the output */
	struct flow flow; /* the instruction */
	uint64_t from;    /* the same of the input: offset in its function, or BOLT_UNKNOWN */
	struct flow in;   /* what is there; without code as `flow` */
	uint64_t to,
		/* what they refer to, where the bytes differ, and for calls and jumps; 0:
		 * nothing */
		in_to;
	bool paired; /* the tables name it ... */
	bool starts; /* ... as the start of a block */
	bool same;   /* the bytes are the same, or refer to the same */
	bool wrong;  /* what the tables name is something else in the input */
};

/* Starts of blocks that the tables name for a function, sorted; the caller's to release. */
struct bolt_starts {
	VEC(uint32_t) list;
};
void bolt_starts_read(const struct bolt *x, uint32_t function, struct bolt_starts *ret);

/* A walk through `part` as if its function had been at `input`, `size` bytes. */
void bolt_walk_start(struct bolt_walk *w, const struct bolt *x, const struct bat_part *part,
		     const struct bolt_starts *starts, uint64_t input, uint64_t size);
/* False at the end and where there is no instruction. */
bool bolt_walk_next(struct bolt_walk *w, struct bolt_step *ret);

#endif
