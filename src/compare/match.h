/* match.h - the one matcher: which symbol of one snapshot is which of another.
 *
 * Symbols with names are paired by keys, the surest first (enum match_pass).  A name that heft made
 * of an address says nothing.  A symbol with only this name is paired by what it holds, by the
 * neighbours between which it stands, by what refers to it and by what it refers to (clues.h).
 * Sure pairs come first, and make others sure.  Without clues, as in `.size` files, there remain
 * the size and the neighbours.
 *
 * A symbol has one partner at most, in the same container and section letter.  The same snapshots
 * give the same pairs.  Symbols that stay without a partner are in the lists `left`.
 *
 * Cost: O(symbols) for names; for symbols without a name O(references), a few times over, and
 * alignments with a bound on their sum.  One thread. */
#ifndef HEFT_COMPARE_MATCH_H
#define HEFT_COMPARE_MATCH_H

#include "compare/diff.h"

/* Two symbols with equal keys are one.  All bytes count: no gaps, and what a pass leaves out is
 * 0. */
struct match_key {
	uint64_t size;
	uint32_t place; /* container and section letter */
	uint32_t name, path;
	uint32_t zero;
};

struct match_side {
	const struct snapshot *s;
	uint32_t *texts;    /* by id of the snapshot: common id + 1, 0 = not looked up */
	uint32_t *stable;   /* the same of the text without unstable numbers */
	uint32_t *bare;     /* the same without suffixes of clones and hashes, too */
	uint32_t *places;   /* by section */
	uint32_t *function; /* by id of a name: symbol + 1 of the function, 0 = none */
	VEC(uint32_t) left; /* symbols without a partner, in order */
	bool has_clues;     /* both sides have: names that heft made up say nothing then */
};

struct matcher {
	bool supersize;
	struct intern common; /* texts of both sides */
	struct text work;
	struct match_side before, after;
	uint32_t *partner; /* by symbol of `after`: of `before`, or DIFF_NONE */
	uint8_t *pass;     /* by symbol of `after`: which pass found its partner, from 1 */
};

enum match_pass {
	/* Without a name of its own: */
	MATCH_CONTENTS = 1, /* code or data that nothing else on its side equals */
	MATCH_NEIGHBOURS,   /* between the same neighbours, and alike */
	MATCH_REFERENCES,   /* the same symbols refer to it at the same places */
	MATCH_REPEATED,     /* equal code or data that stands several times, in order */
	MATCH_OWNED,        /* data of a function that has a partner */
	MATCH_OWNED_SIZED,
	/* By its name: */
	MATCH_SAME,
	MATCH_SIZED, /* another size */
	MATCH_PLAIN, /* other parameters or template arguments */
	MATCH_FILE,  /* in a file of the same name in another directory */
	MATCH_FILE_SIZED,
	MATCH_UNIQUE, /* another path */
	MATCH_MOVED,  /* another path, or suffix of the name */
	MATCH_MOVED_SIZED,
	MATCH_RENAMED,
	MATCH_ALIKE, /* renamed, and moved */
};

/* What a pass pairs by, in a word for people; "" for names. */
const char *match_pass_word(unsigned pass);

void matcher_init(struct matcher *m, const struct snapshot *before, const struct snapshot *after,
		  bool supersize);
void matcher_release(struct matcher *m);
/* Pairs symbols by the four passes of SuperSize, around these by the other ones if they are
 * wanted. */
void matcher_run(struct matcher *m);

/* match_rename.c: pairs by size and how alike names are. */
void match_renamed(struct matcher *m);
void match_pair(struct matcher *m, uint32_t before, uint32_t after, enum match_pass pass);
/* Takes symbols that have a partner out of the lists. */
void match_drop(struct matcher *m);

/* match_order.c: pairs what has no name, by the pairs that there are. */
void match_nameless(struct matcher *m);
/* The id of a text in both sides' common table. */
uint32_t match_text(struct matcher *m, struct match_side *side, uint32_t id);
/* The symbol of `before` that is, or is the partner of, the function that data without a
 * name belong to; DIFF_NONE where there is none. */
uint32_t match_owner(const struct matcher *m, const struct match_side *side,
		     const struct snap_symbol *y);

struct clue;
/* A number of what a symbol holds but for what it refers to; equal things of one size have equal
 * ones.  0: not known.  `c`: its clue, or NULL. */
uint64_t match_print(const struct match_side *side, const struct snap_symbol *y,
		     const struct clue *c);

/* Whether a symbol has no name of its own: a made-up one, or that of the function which refers to
 * it, as many data do. */
bool match_is_nameless(const struct match_side *side, const struct snap_symbol *y);

/* A text without what differs from build to build: a part of it, or in `work`. */
struct str match_stable(struct str s, struct text *work);

#endif
