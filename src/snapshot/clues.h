/* clues.h - what tells functions and tables without a name apart: what they refer to, in order, and
 * a sample of what their code does.  Matchers read them (match.h).
 *
 * Only for containers with names that heft made up: others have none.  Nothing of it goes to
 * files.  Cost: one more pass over code (about 4 ns an instruction) and 8 bytes a reference.
 * Read only once made: any number of threads. */
#ifndef HEFT_SNAPSHOT_CLUES_H
#define HEFT_SNAPSHOT_CLUES_H

#include "image/image.h"
#include "snapshot/snapshot.h"

/* So many of the instruction groups of a function are kept, those of the lowest hashes: two
 * functions that share code share that part of their samples. */
enum { CLUE_GRAMS = 32 };

/* A reference leads to an address of the program, counted from its lowest one, or to what an import
 * names: then the lower bits are the id of a text of the snapshot. */
#define CLUE_NAMED (UINT64_C(1) << 63)

/* Of the symbols at an address. */
struct clue {
	uint64_t addr;
	uint32_t first_ref, ref_count;   /* in refs: each target once, in the order of the code */
	uint32_t first_gram, gram_count; /* in grams: ascending, CLUE_GRAMS at most */
	/* Of data without a name but for pointers, of code that heft cannot decode; else 0. */
	uint64_t print;
};

struct clues {
	VEC(struct clue) list; /* by address */
	uint64_t lowest;       /* address of the program */
	VEC(uint64_t) refs;
	VEC(uint32_t) grams;
};

/* Adds the clues of a program's symbols, the snapshot's from `first` on, as its next container's.
 * Does nothing where every function has a name. */
void clues_add(struct snapshot *s, size_t first, uint32_t container, const struct image *im);
void clues_release(struct clues *c);
/* NULL: there are none. */
const struct clue *clues_find(const struct snapshot *s, const struct snap_symbol *y);
const struct clues *clues_of(const struct snapshot *s, uint32_t container);

#endif
