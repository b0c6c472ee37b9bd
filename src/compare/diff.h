/* diff.h - pairs the symbols of two snapshots and says what changed.
 *
 * Like SuperSize, four passes pair symbols within a container and section letter:
 * - by full name, path and size,
 * - by full name and path,
 * - by plain name and path,
 * - by full name alone, for names that tell symbols apart. With `supersize` (diff_init), counts
 *   equal SuperSize's for the same files. Without it, more passes pair the remaining symbols.
 *   "Moved" symbols have the same name in any path, apart from suffixes of clones and hashes.
 *   "Renamed" symbols have the same size in the same source, or a similar name. match.h describes
 *   how symbols without a real name are paired.
 *
 * Every symbol of either side is in exactly one pair, so sums over the pairs are the sums of the
 * snapshots.
 *
 * About 0.6 us per symbol of either side, 4 us per symbol without a name. The snapshots are
 * borrowed. One thread. */
#ifndef HEFT_COMPARE_DIFF_H
#define HEFT_COMPARE_DIFF_H

#include "compare/charge_pairs.h"

#define DIFF_NONE UINT32_MAX

/* SuperSize's name for symbols that a diff creates from padding. */
#define DIFF_PADDING_NAME "Overhead: aggregate padding of diff'ed symbols"

struct diff_pair {
	uint32_t before, after; /* Index of the symbol in each snapshot. DIFF_NONE if a side
				 * lacks it */
	enum heft_change change;
	uint8_t pass; /* Pass that found the pair (enum match_pass). 0 if there is only one side */
};

/* Change of the padding before paired symbols, in one section of the older side. Never 0. */
struct diff_padding {
	uint32_t section; /* Index in the sections of `before` */
	int64_t size;
};

struct snapshot_diff {
	const struct snapshot *before, *after;
	bool supersize;
	bool has_stacks;             /* True if both sides have stack sizes. Then a new stack
				      * size is a change */
	VEC(struct diff_pair) pairs; /* Pairs, in the order of `after`; removed symbols follow */
	/* Both sides have charges, and the counting is not SuperSize's. */
	bool charged;
	struct charge_pairs charges;
	VEC(struct diff_padding) paddings; /* Changes of padding. Empty if both sides are sparse */
};

void diff_init(struct snapshot_diff *d, const struct snapshot *before, const struct snapshot *after,
	       bool supersize);
void diff_release(struct snapshot_diff *d);

/* SuperSize's numbers for a pair. Added symbols count with their size and padding, removed ones
 * with negated values. Symbols on both sides count by the change of size and PSS without
 * padding. */
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

/* Makes the two halves of a .sizediff file: sparse snapshots of the changed symbols, with whole
 * alias lists. The second half gets the paddings as overhead symbols. The caller releases both, as
 * after snapshot_init(). `disassembly` has a text or NULL per symbol of `after`; it may be NULL. */
void diff_halves(const struct snapshot_diff *d, const char *const *disassembly,
		 struct snapshot *ret_before, struct snapshot *ret_after);
/* Lists the source paths whose changed symbols were all added (or all removed). NULL ends the list.
 * List and texts are in the arena. */
const char *const *diff_sources(const struct snapshot_diff *d, enum heft_change change,
				struct arena *arena);

#endif
