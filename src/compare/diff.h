/* diff.h - what changed between two snapshots: their symbols in pairs.
 *
 * Four passes pair symbols of a container and section letter as SuperSize does: by full name, path
 * and size; without the size; by plain name and path; by full name alone where names tell symbols
 * apart.  The counts are those of SuperSize for the same two files (diff_init with `supersize`).
 * Otherwise more passes pair what was left: the same name but for suffixes of clones and hashes, in
 * any path (moved); the same size in the same source, or a name alike (renamed).  match.h says how
 * symbols without a name of their own are paired.
 *
 * Every symbol of either side is in exactly one pair, so sums over the pairs are those of the
 * snapshots.
 *
 * About 0.6 us a symbol of either side, 4 us one without a name.  The snapshots are borrowed.  One
 * thread. */
#ifndef HEFT_COMPARE_DIFF_H
#define HEFT_COMPARE_DIFF_H

#include "compare/charge_pairs.h"

#define DIFF_NONE UINT32_MAX

struct diff_pair {
	uint32_t before, after; /* places in the symbols; DIFF_NONE: not there */
	enum heft_change change;
	uint8_t pass; /* enum match_pass: what found the pair; 0: it has one side */
};

/* The change of padding in front of pairs, of a section of the older side; not 0. */
struct diff_padding {
	uint32_t section; /* place in the sections of `before` */
	int64_t size;
};

struct snapshot_diff {
	const struct snapshot *before, *after;
	bool supersize;
	bool has_stacks;             /* both sides: what takes more or less stack has changed */
	VEC(struct diff_pair) pairs; /* in the order of `after`, then what was removed */
	/* Both sides have charges, and nobody asked for SuperSize's counting. */
	bool charged;
	struct charge_pairs charges;
	VEC(struct diff_padding) paddings; /* none where both sides are sparse */
};

void diff_init(struct snapshot_diff *d, const struct snapshot *before, const struct snapshot *after,
	       bool supersize);
void diff_release(struct snapshot_diff *d);

/* What SuperSize says of a pair: sizes and padding of what was added are its own, of what was
 * removed negated; of a pair size and PSS are without padding. */
struct diff_value {
	int64_t size, padding;
	double pss;
};
struct diff_value diff_value(const struct snapshot_diff *d, const struct diff_pair *p);

static inline const struct snap_symbol *diff_before(const struct snapshot_diff *d,
						    const struct diff_pair *p)
{
	return p->before == DIFF_NONE ? NULL : &d->before->symbols.data[p->before];
}

static inline const struct snap_symbol *diff_after(const struct snapshot_diff *d,
						   const struct diff_pair *p)
{
	return p->after == DIFF_NONE ? NULL : &d->after->symbols.data[p->after];
}

/* The two halves of a .sizediff file: sparse snapshots of what is not unchanged, with whole alias
 * lists; the paddings are overhead of the second.  Both are the caller's, as if from
 * snapshot_init.  `disassembly`: texts by symbol of `after`, or NULL, as all of it may be. */
void diff_halves(const struct snapshot_diff *d, const char *const *disassembly,
		 struct snapshot *ret_before, struct snapshot *ret_after);
/* Source paths all of whose changed symbols were added (or removed): ends with NULL, both the list
 * and its texts in the arena. */
const char *const *diff_sources(const struct snapshot_diff *d, enum heft_change change,
				struct arena *arena);

#endif
