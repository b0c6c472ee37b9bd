/* match_alike.h - scores how similar a nameless function or table is to one of the other snapshot.
 *
 * A known thing has the same number in both snapshots: a common name, a text, an import, a found
 * pair. References are compared by these numbers, in order. If all known references agree, unknown
 * references at the same place probably lead to the same thing: a vote for a pair.
 *
 * One thread. Private to match*.c. */
#ifndef HEFT_COMPARE_MATCH_ALIKE_H
#define HEFT_COMPARE_MATCH_ALIKE_H

#include "base/map.h"
#include "snapshot/clues.h"
#include "compare/match.h"

/* Score of two symbols that have equal sizes and no other evidence. */
enum { SIZES_ALONE = 70 };

/* Evidence that two symbols are a pair */
struct vote {
	uint64_t pair;  /* Indexes of the two symbols: in `before` << 32 | in `after` */
	uint32_t voter; /* Index in `after` of the pair that votes: its symbols refer to these two.
			 * DIFF_NONE: a vote of alike_vote_rare() */
	/* Set in the first vote of a pair. scored_at: alike.learned when alike_vote_score() made
	 * the score, 0 if it has not. `least`: that function's argument then. */
	uint32_t scored_at;
	uint8_t score, least;
};

/* A reference from a symbol */
struct alike_ref {
	uint64_t ident;  /* Number of the target, if both snapshots are known to have it (see the
			  * top of the file). Otherwise 0 */
	uint32_t target; /* Index of the symbol that it leads to, or DIFF_NONE */
	uint32_t off;    /* Lower bits of the offset in that symbol */
};

enum { ALIKE_FEW = 3 }; /* A feature is rare if at most so many symbols of each snapshot have it */

/* A target in both snapshots to which unpaired symbols refer, or a symbol that refers to them */
struct feature {
	uint64_t ident;
	/* Its symbols, in `before` and in `after`. A count of ALIKE_FEW + 1 means more. */
	uint32_t counts[2], symbols[2][ALIKE_FEW];
};

/* What scores need to know of a symbol */
struct alike_symbol {
	uint64_t ident; /* Number of the symbol in both snapshots. 0 if it is unpaired */
	uint64_t size;
	uint64_t print;               /* Hash of size and contents: match_print() */
	const struct clue *clue;      /* Clue of the symbol, or NULL */
	const struct alike_ref *refs; /* References that are compared */
	/* `known`: one bit (bit_of()) per target with an alike_ref.ident. `ahead`: per reference,
	 * such bits of its target and the next few. `known_count`: number of references to such
	 * targets. All were right when alike.learned was `read_at`. 0: never computed. */
	uint64_t known, *ahead;
	uint32_t known_count, read_at;
	uint32_t voted_at; /* In `after`: alike.learned when its pair voted. 0: never */
	uint32_t ref_count;
	const struct clue_sample *sample; /* Only of a nameless function. Otherwise NULL */
	uint32_t owner; /* Function of its snapshot that owns the data, or DIFF_NONE */
	bool code;
	bool settled; /* True if all its references lead to known things (alike_ref.ident) */
};

/* Facts of a symbol that exclude dissimilar symbols fast */
struct alike_column {
	uint64_t size, known;
	uint32_t known_count, ref_count;
	bool clue;
};

enum { ALIKE_CHUNK = 16 };

struct alike_side {
	struct match_side *side;
	struct alike_symbol *symbols; /* Per symbol of the snapshot */
	struct alike_ref *refs;       /* References of all symbols that are compared */
	size_t ref_count;
	uint64_t *ahead;   /* Memory for the lists alike_symbol.ahead of all symbols */
	uint32_t *changes; /* Per ALIKE_CHUNK references: alike.learned when one of their targets
			    * changed last, which makes scores outdated */
	/* `refs_to`: indexes in refs, sorted by target. `first_to`: per symbol, index in `refs_to`
	 * of the first reference to it. */
	uint32_t *first_to, *refs_to;
};

struct alike {
	struct matcher *m;
	struct alike_side before, after;
	uint32_t learned; /* Number of pairs found so far, plus 1 */
	VEC(struct vote)
	votes; /* Votes for symbols without a partner. A pair whose references changed votes
	        * again */
	/* Scratch: features, and their indexes by ident */
	VEC(struct feature) features;
	struct map feature_of;
	uint32_t voter; /* Value of vote.voter for the votes that are added next */
};

void alike_init(struct alike *a, struct matcher *m);
void alike_release(struct alike *a);
/* Records a pair: both symbols get the same number (ident), and so do references to them. */
void alike_learn(struct alike *a, uint32_t before, uint32_t after);
/* Returns what alike_keep_near() needs to know of a symbol of `after`. Outdated when a pair is
 * found. */
struct alike_column alike_column_read(struct alike *a, uint32_t after);
/* Keeps the columns in `near` (indexes, *count of them) whose references do not differ too much
 * from those of `before` for a score of `least`. */
void alike_keep_near(struct alike *a, uint32_t before, const struct alike_column *columns,
		     uint32_t *near, size_t *count, unsigned least);
/* Returns how similar two symbols are: 0 to 100. If that is below `least`, may return any number
 * below `least`. O(references). */
unsigned alike_score(struct alike *a, uint32_t before, uint32_t after, unsigned least);
/* Returns `hash` mixed with what affects a symbol's scores and may change as pairs are found. */
uint64_t alike_state(const struct alike *a, const struct alike_side *as, uint32_t symbol,
		     uint64_t hash);
/* What symbols of `after` have besides their size: evidence that scores can use. */
enum alike_has { ALIKE_HAS_REFS = 1, ALIKE_HAS_CLUE = 2, ALIKE_HAS_OWNER = 4 };
unsigned alike_has_of(const struct alike *a, const struct alike_symbol *after);
/* Returns how large the smaller symbol must be, in percent of the larger one, so that `before` and
 * a symbol of `after` can have the score `least`. 101: their sizes must be equal. `has`: all bits
 * of enum alike_has that symbols of `after` have. */
unsigned alike_sizes_least(const struct alike_symbol *before, unsigned has, unsigned least);
/* Brings the votes of pairs up to date: votes for the symbols that both symbols of a pair refer to.
 * Only pairs vote whose references have changed. `partner_*`: per symbol, its partner or DIFF_NONE.
 * O(pairs), and O(references) of those that vote. */
void alike_vote(struct alike *a, const uint32_t *partner_before, const uint32_t *partner_after);
/* Adds votes for two symbols without partners that share a rare feature (struct feature).
 * O(references). */
void alike_vote_rare(struct alike *a, const uint32_t *partner_before,
		     const uint32_t *partner_after);
/* Like alike_score(), for a pair that has votes. Scores only if something has changed. */
unsigned alike_vote_score(struct alike *a, struct vote *v, unsigned least);

#endif
