/* match.h - the keys by which diffs find a symbol again.  Private to diff*.c. */
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
	uint32_t *function; /* by id of a made-up name: symbol + 1 of the function, 0 = none */
	VEC(uint32_t) left; /* symbols without a partner, in order */
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
	MATCH_CONTENTS = 1, /* without a name of its own: equal code or data, wherever it is */
	MATCH_OWNED,        /* data of a function without a name of its own that has a partner */
	MATCH_OWNED_SIZED,
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

/* A text without what differs from build to build: a part of it, or in `work`. */
struct str match_stable(struct str s, struct text *work);

#endif
