/* match.h - finds for each symbol of a snapshot its partner in another snapshot.
 *
 * Pairs symbols with names by keys, the surest pass first (enum match_pass). A name that heft
 * generated from an address identifies nothing. A symbol with only such a name is paired by its
 * contents, its neighbours, and its references in both directions (clues.h). Sure pairs come first
 * and make other pairs sure. Without clues, as in `.size` files, only size and neighbours are
 * known.
 *
 * A symbol has at most one partner, in the same container and section letter. The same snapshots
 * give the same pairs. The lists `left` receive symbols without a partner.
 *
 * Cost: O(symbols) for names. For symbols without a name: O(references) a few times, and alignments
 * whose total cost is limited. One thread. */
#ifndef HEFT_COMPARE_MATCH_H
#define HEFT_COMPARE_MATCH_H

#include "compare/diff.h"

/* Key of a symbol in a pass. Two symbols with equal keys are paired. All bytes are compared: the
 * struct has no padding, and unused fields are 0. */
struct match_key {
	uint64_t size;
	uint32_t place; /* Container and section letter */
	uint32_t name, path;
	uint32_t flags; /* Bits of enum snap_flag. */
};

struct match_side {
	const struct snapshot *s;
	uint32_t *texts;    /* Per text id: common id plus 1. 0 if not yet looked up */
	uint32_t *stable;   /* Like `texts`, for the text without unstable numbers */
	uint32_t *bare;     /* Like `texts`, for the text without unstable numbers, clone
			     * suffixes and hashes */
	uint32_t *places;   /* Per section: container and section letter */
	uint32_t *function; /* Per text id of a name: index plus 1 of the function with that
			     * name, or 0 */
	bool *nameless;     /* Per symbol: result of match_is_nameless() */
	VEC(uint32_t) left; /* Symbols without a partner, in order */
	bool has_clues;     /* True if both sides have clues. Then generated names do not pair
			     * symbols */
};

struct matcher {
	bool supersize;
	struct intern common; /* Texts of both sides */
	struct text work;
	struct match_side before, after;
	uint32_t *partner; /* Per symbol of `after`: its partner in `before`, or DIFF_NONE */
	uint8_t *pass;     /* Per symbol of `after`: pass that found its partner, or 0 */
};

enum match_pass {
	/* Passes for symbols without a real name. */
	MATCH_CONTENTS = 1, /* Equal code or data that is unique on each side */
	MATCH_NEIGHBOURS,   /* Similar symbols between the same neighbours */
	MATCH_REFERENCES,   /* The same symbols refer to both, from the same places */
	MATCH_REPEATED,     /* Equal code or data that occurs several times, paired in order */
	MATCH_OWNED,        /* Data of a function that has a partner */
	MATCH_OWNED_SIZED,
	MATCH_ADDRESS, /* Equal address and size; no other evidence */
	/* Passes for symbols with a name. */
	MATCH_SAME,
	MATCH_SIZED, /* Size differs */
	MATCH_PLAIN, /* Names with different parameters or template arguments */
	MATCH_FILE,  /* Same file name in different directories */
	MATCH_FILE_SIZED,
	MATCH_UNIQUE, /* Path differs */
	MATCH_MOVED,  /* Path or suffix of the name differs */
	MATCH_MOVED_SIZED,
	MATCH_RENAMED,
	MATCH_ALIKE, /* Renamed and moved symbols */
};

/* Returns a word that tells users how a pass pairs symbols. "" for passes by name. */
const char *match_pass_word(unsigned pass);

void matcher_init(struct matcher *m, const struct snapshot *before, const struct snapshot *after,
		  bool supersize);
void matcher_release(struct matcher *m);
/* Pairs symbols by SuperSize's four passes. Without `supersize`, further passes run before, between
 * and after them. */
void matcher_run(struct matcher *m);

/* match_rename.c: pairs symbols by size and by similar names. */
void match_renamed(struct matcher *m);
void match_pair(struct matcher *m, uint32_t before, uint32_t after, enum match_pass pass);
/* Removes symbols that have a partner from the lists `left`. */
void match_drop(struct matcher *m);

/* match_order.c: pairs symbols without a name, using the pairs found so far. */
void match_nameless(struct matcher *m);
/* Returns the common id of a text. */
uint32_t match_text(struct matcher *m, struct match_side *side, uint32_t id);
/* Returns the function that owns data without a name, on the same side. DIFF_NONE without one. */
uint32_t match_owner(const struct match_side *side, const struct snap_symbol *y);

struct clue;
/* Returns a number that is equal for symbols of the same size and contents, apart from references.
 * 0 if unknown. `c` is the symbol's clue, or NULL. */
uint64_t match_print(const struct match_side *side, const struct snap_symbol *y,
		     const struct clue *c);

/* True if a symbol has no name of its own: its name is generated, or is the name of the function
 * that refers to it. */
static inline bool match_is_nameless(const struct match_side *side, const struct snap_symbol *y)
{
	return side->nameless[y - side->s->symbols.data];
}

/* Returns a text without the parts that change with every build: a part of the text, or a text in
 * `work`. */
struct str match_stable(struct str s, struct text *work);

#endif
