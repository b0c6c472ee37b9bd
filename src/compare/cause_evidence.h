/* cause_evidence.h - the evidence that the rules of causes.h weigh. */
#ifndef HEFT_COMPARE_CAUSE_EVIDENCE_H
#define HEFT_COMPARE_CAUSE_EVIDENCE_H

#include "compare/causes.h"

/* A changed part of the program: a pair of charges (struct charge_pair) not in debug info. */
struct cause_part {
	enum heft_change change;
	bool code, fallback;
	bool clone;   /* True for a part or copy of a function that the compiler made */
	double delta; /* Change of the bytes in the file, or in memory if that is more */
	struct str label, name, path, package, section; /* `name` is the full name */
	struct str section_was;     /* Section in the base if it is another one. Otherwise "" */
	struct str plain, instance; /* The name without and with arguments of templates */
	int package_sign; /* 1: only the later snapshot has its package. -1: only the base. 0: both,
			   * or it has no package */
	bool old_path;    /* True if the base has a symbol with this path */
	double before;    /* Bytes in the base: in the file or in memory, as for `delta` */
	double own;       /* Change of the symbol's own size */
	double vm;        /* Change of the bytes in memory */
	unsigned runtime; /* Bit i: the part belongs to runtime_parts[i] (cause_names.c) */
	uint32_t pair;    /* Index of the pair of charges */
	bool used;        /* True if a cause already explains the part */
};

/* A rule's guess at a cause. `claims` tells which parts the cause explains. If it is NULL,
 * cause.bytes has the bytes already, from sizes of sections. */
struct cause_guess {
	struct cause cause;
	bool (*claims)(const struct cause_guess *g, const struct cause_part *p);
	struct str text; /* Text that `claims` looks for */
	bool first;      /* True for a cause that the files prove. It precedes all others */
	bool listed;     /* True if `parts` has all parts that `claims` claims */
	VEC(uint32_t) parts;
};

/* The facts of a diff that show causes of the change, and the guesses that all rules made */
struct cause_evidence {
	const struct snapshot_diff *d;
	const struct diff_sections *sections;
	VEC(struct cause_part) parts;
	VEC(struct cause_guess) guesses;
	double all; /* Sum of absolute changes of `parts`, which exclude padding between segments */
	/* Numbers of functions in both snapshots: all, larger now, smaller now. */
	size_t kept, larger, smaller;
	size_t cold_gone;      /* Number of cold parts of functions that are gone */
	double renamed, moved; /* Bytes of renamed symbols, and of symbols with another path */
	size_t renamed_count, moved_count;
	/* Bytes of code of the base: with a known source file, and without one. */
	double described, undescribed;
	double padding;     /* Change of the padding between segments, not in `all` */
	double added, gone; /* Numbers of functions that only the later snapshot has, and that only
			     * the base has. Without clones */
	bool same_options;  /* True if both snapshots state their options, and they are the same */
	bool loaded;        /* True if only the bytes in memory count */
	uint8_t *of_pair;   /* Of struct causes */
	struct arena *arena;
};

static inline double cause_size(const struct cause_part *p)
{
	return p->delta < 0 ? -p->delta : p->delta;
}

/* Returns 1 for a part that is new, -1 for one that is gone, otherwise 0. */
static inline int cause_sign(const struct cause_part *p)
{
	return p->change == HEFT_ADDED ? 1 : p->change == HEFT_REMOVED ? -1 : 0;
}

/* True if a text contains another. */
bool cause_has(struct str text, struct str part);
/* True for the part of a function that the compiler split off as rare. */
bool cause_is_cold(const struct cause_part *p);
/* True for parts of the C++ run time that exceptions need. */
bool cause_is_exceptions(const struct cause_part *p);
/* True if at least `least`, and at least a third, of the functions in both snapshots have another
 * size. */
static inline bool cause_code_differs(const struct cause_evidence *e, size_t least)
{
	const size_t changed = e->larger + e->smaller;
	return changed >= least && 3 * changed >= e->kept;
}
/* Functions for cause_guess.claims: true if the cause explains the part. The first always is. */
bool cause_claims_all(const struct cause_guess *g, const struct cause_part *p);
/* True for parts of the package whose name is g->text, in any version, and of packages below it. */
bool cause_claims_version(const struct cause_guess *g, const struct cause_part *p);
/* Adds guesses from what compilers and programs state about themselves, such as options. Also
 * stores in `ret` whether debug info has options, and how the build ids compare. */
void causes_guess_tools(struct cause_evidence *e, struct causes *ret);
/* Adds guesses from the names of symbols that only one snapshot has. */
void causes_guess_names(struct cause_evidence *e);
/* Adds a guess if all sizes are equal but contents differ. Also stores in `ret` the number of
 * symbols that were compared. */
void causes_guess_contents(struct cause_evidence *e, struct causes *ret);
/* Adds guesses from the changes of sections. */
void causes_guess_sections(struct cause_evidence *e);

#endif
