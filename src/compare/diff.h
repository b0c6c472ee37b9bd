/* diff.h - pairs the symbols of two snapshots and says what changed.
 *
 * Like SuperSize, four passes pair symbols within a container and section letter:
 * - by full name, path and size,
 * - by full name and path,
 * - by plain name and path,
 * - by full name alone, unless several symbols have the name.
 *
 * With `supersize` (diff_init), counts equal SuperSize's for the same files. Without it, more
 * passes pair the remaining symbols:
 * - "Moved" symbols have the same name in any path, apart from suffixes of clones and hashes.
 * - "Renamed" symbols have the same size in the same source, or a similar name.
 * - match.h describes how symbols without a real name are paired.
 *
 * Every symbol of both snapshots is in exactly one pair, so sums over the pairs are the sums of the
 * snapshots.
 *
 * About 0.6 us per symbol of both, 4 us per symbol without a name. The snapshots are borrowed. One
 * thread. */
#ifndef HEFT_COMPARE_DIFF_H
#define HEFT_COMPARE_DIFF_H

#include "compare/charge_pairs.h"

#define DIFF_NONE UINT32_MAX

/* Full name, as in SuperSize, of the symbols whose sizes are changes of padding. */
#define DIFF_PADDING_NAME "Overhead: aggregate padding of diff'ed symbols"

struct diff_pair {
	uint32_t before, after; /* Indexes of symbols. DIFF_NONE if a snapshot has none */
	enum heft_change change;
	uint8_t pass; /* Value of enum match_pass. 0 if only one snapshot has the symbol */
};

/* Change of the padding before the paired symbols of a section. Never 0 */
struct diff_padding {
	uint32_t section; /* Index of a section of `before` */
	int64_t size;
};

struct snapshot_diff {
	const struct snapshot *before, *after;
	bool supersize;
	bool has_stacks;             /* True if both snapshots have stack sizes: then another
				      * stack size is a change */
	VEC(struct diff_pair) pairs; /* In the order of `after`. Removed symbols follow */
	/* True if charges (struct snap_charge) are compared: both snapshots have them, and
	 * SuperSize's way of counting is not wanted. */
	bool charged;
	struct charge_pairs charges;
	VEC(struct diff_padding) paddings; /* Empty if both snapshots are sparse */
};

void diff_init(struct snapshot_diff *d, const struct snapshot *before, const struct snapshot *after,
	       bool supersize);
void diff_release(struct snapshot_diff *d);

/* SuperSize's numbers for a pair. An added symbol counts with its size and padding, a removed one
 * with negated values. A symbol of both snapshots counts with the change of its size and PSS,
 * without padding */
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

/* Makes the halves of a .sizediff file: sparse snapshots of the changed symbols, with whole alias
 * lists. The second half has the paddings as overhead symbols. `disassembly`: NULL, or per symbol
 * of `after` a text or NULL. The caller releases both, as after snapshot_init(). */
void diff_halves(const struct snapshot_diff *d, const char *const *disassembly,
		 struct snapshot *ret_before, struct snapshot *ret_after);
/* Lists the source paths whose changed symbols were all added (or all removed). NULL ends the list.
 * The list and the paths are in the arena. */
const char *const *diff_sources(const struct snapshot_diff *d, enum heft_change change,
				struct arena *arena);

#endif
