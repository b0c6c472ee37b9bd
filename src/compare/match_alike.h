/* match_alike.h - how much a function or table without a name is like one of the other side.
 *
 * What a symbol is known as is the same number on both sides: of a name that both have, of a text,
 * of an import, of a pair that was found.  References are compared by these numbers, in their
 * order.  Where all that is known agrees, what is not known yet stands at the same place in both:
 * that is a vote for a pair.
 *
 * One thread.  Private to match*.c. */
#ifndef HEFT_COMPARE_MATCH_ALIKE_H
#define HEFT_COMPARE_MATCH_ALIKE_H

#include "snapshot/clues.h"
#include "compare/match.h"

/* One opinion that two symbols are one. */
struct vote {
	uint64_t pair; /* of `before` << 32 | of `after` */
};

/* A reference of a symbol. */
struct alike_ref {
	uint64_t ident;  /* what it is known to lead to; 0: not known */
	uint32_t target; /* symbol, or DIFF_NONE */
	uint32_t off;    /* in the symbol: the lower bits */
};

struct alike_side {
	struct match_side *side;
	uint64_t *idents;          /* by symbol: what it is known as, 0: not known */
	const struct clue **clues; /* by symbol, or NULL */
	struct alike_ref *refs;    /* those of all containers, as their clues have them */
	size_t *first_ref;         /* by container */
	/* By symbol: where the references that lead to it begin in refs_to, which has places in
	 * refs. */
	uint32_t *first_to, *refs_to;
};

struct alike {
	struct matcher *m;
	struct alike_side before, after;
	VEC(struct vote) votes;
};

void alike_init(struct alike *a, struct matcher *m);
void alike_release(struct alike *a);
/* From now on both are known as one. */
void alike_learn(struct alike *a, uint32_t before, uint32_t after);
/* 0 to 100; any number below `least` for what does not reach it.  O(references). */
unsigned alike_score(const struct alike *a, uint32_t before, uint32_t after, unsigned least);
/* Adds the votes of two symbols that are a pair for what they refer to. */
void alike_vote(struct alike *a, uint32_t before, uint32_t after);
/* Adds votes for symbols without partners (`open_before` and `open_after`, by symbol) that have
 * something known in common which few others have: they refer to it, or it to them. */
void alike_vote_rare(struct alike *a, const uint32_t *open_before, const uint32_t *open_after);

#endif
