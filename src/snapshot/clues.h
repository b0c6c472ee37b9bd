/* clues.h - collects facts that distinguish functions and tables without a name: their references,
 * in order, and a sample of their code. The matcher reads clues (match.h).
 *
 * Only containers (programs) with generated names have clues. Files never contain clues. Cost: one
 * more pass over the code (about 1 ns per instruction), 8 bytes per reference, and for each
 * nameless function a sample of its first CLUE_CODE_MOST bytes (about 6 ns per instruction).
 * Read-only once made: any number of threads. */
#pragma once

#include "image/image.h"
#include "snapshot/snapshot.h"

/* Number of hashes in a sample. Groups of instructions are divided into so many classes, and the
 * lowest hash of each class is kept. So functions that share code have similar samples. */
enum { CLUE_GRAMS = 32, CLUE_CODE_MOST = 4096 };
#define CLUE_NO_GRAM UINT16_MAX

/* Sample of a function's code. Per class: lower bits of its lowest hash, or CLUE_NO_GRAM */
struct clue_sample {
	uint16_t grams[CLUE_GRAMS];
};

/* A reference is an address minus the program's lowest address. With this bit, it is an import, and
 * the other bits are the text id of its name. */
#define CLUE_NAMED (UINT64_C(1) << 63)

/* What the code or data at one address is recognized by if it has no name */
struct clue {
	uint64_t addr;
	uint32_t first_ref, ref_count; /* Range in clues.refs: each target once, in code order */
	uint32_t sample; /* 1 + index in clues.samples. 0 for data and named functions */
	/* Hash of the contents without pointers. For nameless data, and for code that heft cannot
	 * decode. Otherwise 0. */
	uint64_t print;
};

struct clues {
	VEC(struct clue) list; /* Sorted by address */
	uint64_t lowest;       /* Lowest address of the program */
	VEC(uint64_t) refs;
	VEC(struct clue_sample) samples;
};

/* Adds a struct clue per address of the next container, whose symbols begin at `first`. Hashes the
 * contents of nameless functions. Does nothing if every function has a name. */
void clues_add(struct snapshot *s, size_t first, uint32_t container, const struct image *im);
void clues_release(struct clues *c);
/* Returns the struct clue of a symbol's address. NULL if there is none. */
const struct clue *clues_find(const struct snapshot *s, const struct snap_symbol *y);
const struct clues *clues_of(const struct snapshot *s, uint32_t container);
