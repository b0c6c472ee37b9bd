/* match_alike.h - scores how similar a nameless function or table is to one of the other snapshot.
 *
 * A known thing has the same number in both snapshots: a common name, a text, an import, a found
 * pair. References are compared by these numbers, in order. If all known references agree, unknown
 * references at the same place probably lead to the same thing: a vote for a pair.
 *
 * One thread. Private to match*.c. */
#ifndef HEFT_COMPARE_MATCH_ALIKE_H
#define HEFT_COMPARE_MATCH_ALIKE_H

#include "snapshot/clues.h"
#include "compare/match.h"

/* Score of two symbols that have equal sizes and no other evidence. */
enum { SIZES_ALONE = 70 };

/* Evidence that two symbols are a pair */
struct vote {
	uint64_t pair; /* Index in `before` << 32 | index in `after` */
};

/* A reference from a symbol */
struct alike_ref {
	uint64_t ident;  /* Number of the thing that it leads to, if both snapshots are known to
			  * have that thing (see above). Otherwise 0 */
	uint32_t target; /* Index of the symbol that it leads to, or DIFF_NONE */
	uint32_t off;    /* Lower bits of the offset in that symbol */
};

/* A known thing that a symbol refers to, or that refers to it */
struct feature {
	uint64_t ident;
	uint32_t symbol, side; /* `side`: 0 for a symbol of `before`, 1 for one of `after` */
};

typedef VEC(struct feature) feature_vec;

/* What scores need to know of a symbol */
struct alike_symbol {
	uint64_t ident; /* Number of the known thing that it is. 0 if unknown */
	uint64_t size;
	uint64_t print;               /* match_print() */
	const struct clue *clue;      /* Or NULL */
	const struct alike_ref *refs; /* Those that are compared */
	/* `known`: bits for the known things that it refers to. `ahead`: per reference, the bits of
	 * it and the next few. `known_count`: number of references to known things. All are up to
	 * date if `read_at` is alike.learned. */
	uint64_t known, *ahead;
	uint32_t known_count, read_at;
	uint32_t ref_count;
	uint32_t sample; /* 1 + index in `samples`. 0 until needed */
	uint32_t owner;  /* Function of its snapshot that owns the data, or DIFF_NONE */
	bool code;
	bool settled; /* True if it refers only to known things */
};

/* Sample of a function's code, see clues_sample() */
struct alike_sample {
	uint32_t grams[CLUE_GRAMS];
};

enum { ALIKE_CHUNK = 16 };

struct alike_side {
	struct match_side *side;
	struct alike_symbol *symbols; /* Per symbol of the snapshot */
	struct alike_ref *refs;       /* References of all containers, as in the clues */
	uint64_t *ahead;              /* See alike_symbol */
	uint32_t *changes;            /* Per ALIKE_CHUNK references: counts changes of their
				       * targets, which make scores outdated */
	/* `refs_to`: indexes in refs, by target. `first_to`: per symbol, where its own begin. */
	uint32_t *first_to, *refs_to;
	VEC(struct alike_sample) samples;
};

struct alike {
	struct matcher *m;
	struct alike_side before, after;
	uint32_t learned; /* Number of pairs found so far, plus 1 */
	VEC(struct vote) votes;
	feature_vec features; /* Scratch */
};

void alike_init(struct alike *a, struct matcher *m);
void alike_release(struct alike *a);
/* Records a pair: both symbols become the same known thing. */
void alike_learn(struct alike *a, uint32_t before, uint32_t after);
/* False if references differ too much for a score of `least`. */
bool alike_may_reach(struct alike *a, uint32_t before, uint32_t after, unsigned least);
/* Returns how similar two symbols are: 0 to 100, or any number below `least` if it is below.
 * O(references). */
unsigned alike_score(struct alike *a, uint32_t before, uint32_t after, unsigned least);
/* Adds everything that affects a symbol's scores and may change to a hash. */
uint64_t alike_state(const struct alike *a, const struct alike_side *as, uint32_t symbol,
		     uint64_t hash);
/* What symbols of `after` have beside a size: evidence that scores can use. */
enum alike_has { ALIKE_HAS_REFS = 1, ALIKE_HAS_CLUE = 2, ALIKE_HAS_OWNER = 4 };
unsigned alike_has_of(const struct alike *a, const struct alike_symbol *after);
/* Returns how large the smaller size must be, in percent of the larger one, for a score of
 * `least`. 101: only equal sizes can reach it. `has`: bits of enum alike_has that any symbol of
 * `after` has. */
unsigned alike_sizes_least(const struct alike_symbol *before, unsigned has, unsigned least);
/* Adds votes for the symbols that both symbols of a pair refer to. */
void alike_vote(struct alike *a, uint32_t before, uint32_t after);
/* Adds votes for two symbols without partners that share a rare known thing: both refer to it, or
 * it refers to both. `open_*`: per symbol, nonzero if it has no partner. */
void alike_vote_rare(struct alike *a, const uint32_t *open_before, const uint32_t *open_after);

#endif
