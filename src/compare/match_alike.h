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

struct alike_side {
	struct match_side *side;
	uint64_t *idents;          /* by symbol: what it is known as, 0: not known */
	const struct clue **clues; /* by symbol, or NULL */
	uint32_t **targets;        /* by container: by place in its refs, symbol or DIFF_NONE */
};

struct alike {
	struct matcher *m;
	struct alike_side before, after;
	VEC(struct vote) votes;
	VEC(struct vote) segment; /* of the references at work */
};

void alike_init(struct alike *a, struct matcher *m);
void alike_release(struct alike *a);
/* From now on both are known as one. */
void alike_learn(struct alike *a, uint32_t before, uint32_t after);
/* 0 to 100.  O(references). */
unsigned alike_score(struct alike *a, uint32_t before, uint32_t after);
/* Adds the votes of two symbols that are a pair for what they refer to. */
void alike_vote(struct alike *a, uint32_t before, uint32_t after);
/* Adds votes for symbols without partners (`open_before` and `open_after`, by symbol) that have
 * something known in common which few others have: they refer to it, or it to them. */
void alike_vote_rare(struct alike *a, const uint32_t *open_before, const uint32_t *open_after);

#endif
