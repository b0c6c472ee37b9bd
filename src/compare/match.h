/* match.h - finds for each symbol of a snapshot its partner in another snapshot.
 *
 * Symbols with names are paired by keys, the surest pass first (enum match_pass). A made-up name
 * (which heft made from an address) identifies nothing. A symbol with only such a name (nameless)
 * is paired by its contents, its neighbours, and references from it and to it (clues.h). Sure pairs
 * come first and make other pairs sure. Without clues, as in `.size` files, only size and
 * neighbours are known.
 *
 * A symbol has at most one partner, in the same container and section letter. The same snapshots
 * always give the same pairs. The lists `left` have the symbols without a partner.
 *
 * Cost: O(symbols) for names. For symbols without a name: O(references) a few times, and alignments
 * whose total cost is limited. One thread. */
#ifndef HEFT_COMPARE_MATCH_H
#define HEFT_COMPARE_MATCH_H

#include "compare/diff.h"

/* Key of a symbol in a pass. Symbols with equal keys are paired. Unused fields are 0, because all
 * bytes are compared */
struct match_key {
	uint64_t size;
	uint32_t place; /* Number of the container << 8 | snap_section.letter */
	uint32_t name, path;
	uint32_t flags; /* Bits of enum snap_flag */
};

struct match_side {
	const struct snapshot *s;
	uint32_t *texts;    /* Per text id: id in the texts of both snapshots, plus 1. 0 until
			     * needed */
	uint32_t *stable;   /* Like `texts`, for the text that match_stable() returns */
	uint32_t *bare;     /* Like `stable`, also without clone suffixes and hashes */
	uint32_t *places;   /* Per section: its match_key.place */
	uint32_t *function; /* Per text id: 1 + index of the function with that name, or 0 */
	bool *nameless;     /* Per symbol: true if it has no own name */
	VEC(uint32_t) left; /* Symbols without a partner, in order */
	bool has_clues;     /* True if both builds have clues, so made-up names pair none */
};

struct matcher {
	bool supersize;
	struct intern common;
	struct text work;
	struct match_side before, after;
	uint32_t *partner; /* Per symbol of `after`: its partner in `before`, or DIFF_NONE */
	uint8_t *pass;     /* Per symbol of `after`: value of enum match_pass, or 0 */
};

enum match_pass {
	/* Passes for nameless symbols. */
	MATCH_CONTENTS = 1, /* Equal code or data that each snapshot has once */
	MATCH_NEIGHBOURS,   /* Similar, and between the same neighbours */
	MATCH_REFERENCES,   /* The same symbols refer to both, from the same places */
	MATCH_REPEATED,     /* Equal code or data that occurs several times, paired in order */
	MATCH_OWNED,        /* Data of a function that has a partner */
	MATCH_OWNED_SIZED,
	MATCH_ADDRESS, /* Equal address and size, without other evidence */
	/* Symbols with a name. Comments say what may differ between the two symbols of a pair. In
	 * passes whose name ends in SIZED, the sizes may differ too. */
	MATCH_SAME,
	MATCH_SIZED,
	MATCH_PLAIN, /* Parameters and template arguments */
	MATCH_FILE,  /* Directory of the file */
	MATCH_FILE_SIZED,
	MATCH_UNIQUE, /* Path, if the name means only one thing in each snapshot */
	MATCH_MOVED,  /* May differ: path, and a suffix that the compiler added to the name */
	MATCH_MOVED_SIZED,
	MATCH_RENAMED,
	MATCH_ALIKE, /* Name and path */
};

/* Returns a word for users that tells how a pass pairs symbols. "" for passes by name. */
const char *match_pass_word(unsigned pass);

void matcher_init(struct matcher *m, const struct snapshot *before, const struct snapshot *after,
		  bool supersize);
void matcher_release(struct matcher *m);
/* Runs SuperSize's four passes. Without `supersize`, runs heft's own passes before, between and
 * after them. */
void matcher_run(struct matcher *m);

/* match_rename.c: pairs renamed symbols, by size and similar names. */
void match_renamed(struct matcher *m);
void match_pair(struct matcher *m, uint32_t before, uint32_t after, enum match_pass pass);
/* Removes symbols that have a partner from the lists `left`. */
void match_drop(struct matcher *m);

/* match_order.c: pairs nameless symbols, with the help of the pairs found so far. */
void match_nameless(struct matcher *m);
/* Returns the id of a text in the texts of both snapshots. */
uint32_t match_text(struct matcher *m, struct match_side *side, uint32_t id);
/* Returns the function of the same snapshot that owns nameless data, or DIFF_NONE. */
uint32_t match_owner(const struct match_side *side, const struct snap_symbol *y);

struct clue;
/* Returns a number that is equal for symbols of the same size and contents, apart from references.
 * 0 if unknown. `c`: the symbol's clue (clues.h), or NULL. */
uint64_t match_print(const struct match_side *side, const struct snap_symbol *y,
		     const struct clue *c);

/* True if a symbol has no own name: its name is made up, or that of a function that refers to
 * it. */
static inline bool match_is_nameless(const struct match_side *side, const struct snap_symbol *y)
{
	return side->nameless[y - side->s->symbols.data];
}

/* Returns `s` without numbers that change with every build: a part of `s`, or in `work`. */
struct str match_stable(struct str s, struct text *work);

#endif
