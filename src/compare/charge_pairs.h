/* charge_pairs.h - pairs the charges of two snapshots. A charge is the bytes that exist because of
 * a symbol (snapshot/snapshot.h).
 *
 * All charges of a symbol form one pair, which follows the pair of the symbol. Symbols without a
 * partner are paired if their names and paths are equal. Charges without a symbol are paired by
 * name. Each charge of both snapshots is in exactly one pair, so the pairs add up to the files and
 * to the VM images.
 *
 * About 0.5 us per charge. The snapshots are borrowed. One thread. */
#ifndef HEFT_COMPARE_CHARGE_PAIRS_H
#define HEFT_COMPARE_CHARGE_PAIRS_H

#include "snapshot/symbol_label.h"

struct charge_pair {
	uint32_t before, after;  /* Index of the first charge in each snapshot, or UINT32_MAX */
	uint64_t file[2], vm[2]; /* Bytes. [0] before, [1] after */
	enum heft_change change;
	bool debug;
};

struct charge_pairs {
	VEC(struct charge_pair) list;
	uint32_t *of[2]; /* Per charge: its pair. of[0] before, of[1] after */
};

struct snapshot_diff;
/* Pairs the charges of two snapshots. Call it after the symbols of the diff were paired. */
void charge_pairs_make(struct charge_pairs *ret, const struct snapshot_diff *d);
void charge_pairs_release(struct charge_pairs *p);

/* True if a text stands for bytes of no symbol or unit, such as "[section .dynamic]". */
bool charge_is_fallback(const struct snapshot *s, uint32_t text);
/* Returns the label of a charge's row in a diff whose rows are grouped by `by`. */
struct str charge_label(const struct snapshot *s, const struct snap_charge *c,
			enum heft_diff_by by);

#endif
