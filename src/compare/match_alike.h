/* match_alike.h - scores how similar a function or table without a name is to one on the other
 * side.
 *
 * Both sides use the same number for a known thing: a common name, a text, an import, a found pair.
 * References are compared by these numbers, in order. If all known references agree, unknown
 * references at the same place probably lead to the same thing: a vote for a pair.
 *
 * One thread. Private to match*.c. */
#ifndef HEFT_COMPARE_MATCH_ALIKE_H
#define HEFT_COMPARE_MATCH_ALIKE_H

#include "snapshot/clues.h"
#include "compare/match.h"

/* Score of two symbols of equal size without other evidence. */
enum { SIZES_ALONE = 70 };

/* A vote: evidence that two symbols are a pair. */
struct vote {
	uint64_t pair; /* Index of `before` << 32 | index of `after` */
};

/* A reference of a symbol to another symbol or to a known thing. */
struct alike_ref {
	uint64_t ident;  /* Number of the known thing to which it leads. 0 if unknown */
	uint32_t target; /* Index of the symbol to which it leads, or DIFF_NONE */
	uint32_t off;    /* Lower bits of the offset in the target symbol */
};

/* A known thing that a symbol refers to, or that refers to the symbol. */
struct feature {
	uint64_t ident;
	uint32_t symbol, side; /* `side`: 0 is before, 1 is after */
};

typedef VEC(struct feature) feature_vec;

/* Data of a symbol that scores need. */
struct alike_symbol {
	uint64_t ident; /* Symbols with the same number are the same thing. 0 if unknown */
	uint64_t size;
	uint64_t print;               /* Hash of its contents (match_print()) */
	const struct clue *clue;      /* NULL if it has none. */
	const struct alike_ref *refs; /* References that are compared */
	/* Bits of the hashes of known things: `known` of all references, `ahead` per reference of
	 * it and the next few. `known_count`: number of references to known things. Up to date if
	 * `read_at` equals alike.learned. */
	uint64_t known, *ahead;
	uint32_t known_count, read_at;
	uint32_t ref_count;
	uint32_t sample; /* Index plus 1 in `samples`. 0 if no score needed it. */
	uint32_t owner;  /* Function of its side that owns the data, or DIFF_NONE. */
	bool code;
	bool settled; /* True if all its references have known targets */
};

/* A function's sample of instruction groups, see clues_sample(). */
struct alike_sample {
	uint32_t grams[CLUE_GRAMS];
};

enum { ALIKE_CHUNK = 16 };

struct alike_side {
	struct match_side *side;
	struct alike_symbol *symbols; /* Data of each symbol of the snapshot */
	struct alike_ref *refs;       /* References of all containers, in the order of clues */
	uint64_t *ahead;              /* Per reference: see alike_symbol. */
	uint32_t *changes;            /* Per ALIKE_CHUNK references: how many got another target */
	/* `first_to`: per symbol, the start of its incoming references in refs_to. `refs_to`:
	 * indexes into refs. */
	uint32_t *first_to, *refs_to;
	VEC(struct alike_sample) samples;
};

struct alike {
	struct matcher *m;
	struct alike_side before, after;
	uint32_t learned; /* Number of pairs that were recorded, plus 1. */
	VEC(struct vote) votes;
	feature_vec features; /* Scratch for alike_vote_rare() */
};

void alike_init(struct alike *a, struct matcher *m);
void alike_release(struct alike *a);
/* Records that two symbols are a pair: both get the same number. */
void alike_learn(struct alike *a, uint32_t before, uint32_t after);
/* False if the references of two symbols differ too much for a score of `least`. */
bool alike_may_reach(struct alike *a, uint32_t before, uint32_t after, unsigned least);
/* Returns how similar two symbols are, 0 to 100. If the score does not reach `least`, returns any
 * number below `least`. O(references). */
unsigned alike_score(struct alike *a, uint32_t before, uint32_t after, unsigned least);
/* Adds to a hash everything that affects a symbol's scores and may change. */
uint64_t alike_state(const struct alike *a, const struct alike_side *as, uint32_t symbol,
		     uint64_t hash);
/* Bits of all evidence beside sizes that some symbols of `after` have: alike_has_of() of each,
 * joined. */
enum alike_has { ALIKE_HAS_REFS = 1, ALIKE_HAS_CLUE = 2, ALIKE_HAS_OWNER = 4 };
unsigned alike_has_of(const struct alike *a, const struct alike_symbol *after);
/* Returns the lowest percentage of the larger size that the smaller size must be for a score that
 * can reach `least`. 101 if only equal sizes can reach it. `has`: what symbols of `after` have. */
unsigned alike_sizes_least(const struct alike_symbol *before, unsigned has, unsigned least);
/* Adds votes for the symbols that the two symbols of a pair refer to. */
void alike_vote(struct alike *a, uint32_t before, uint32_t after);
/* Adds votes for two symbols without partners that share a rare known thing: they both refer to it,
 * or it refers to both. `open_before` and `open_after`: per symbol, true if it has no partner. */
void alike_vote_rare(struct alike *a, const uint32_t *open_before, const uint32_t *open_after);

#endif
