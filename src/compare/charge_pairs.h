/* charge_pairs.h - the charges of two snapshots in pairs.
 *
 * All charges of one symbol are one pair, which follows the pair of the symbol.  Symbols without a
 * partner are one if they have the same name and path.  Charges without a symbol go by their name.
 * Each charge of either side is in exactly one pair, so the pairs add up to the files and to the VM
 * images.
 *
 * About 0.5 us a charge.  The snapshots are borrowed.  One thread. */
#ifndef HEFT_COMPARE_CHARGE_PAIRS_H
#define HEFT_COMPARE_CHARGE_PAIRS_H

#include "snapshot/symbol_label.h"

struct charge_pair {
	uint32_t before, after;  /* the first charge of each side; UINT32_MAX: there is none */
	uint64_t file[2], vm[2]; /* bytes: before, after */
	enum heft_change change;
	bool debug;
};

struct charge_pairs {
	VEC(struct charge_pair) list;
	uint32_t *of[2]; /* place in the list, by charge of each side */
};

struct snapshot_diff;
/* The symbols of the diff are in pairs. */
void charge_pairs_make(struct charge_pairs *ret, const struct snapshot_diff *d);
void charge_pairs_release(struct charge_pairs *p);

/* Whether a label stands for bytes that no symbol or unit owns: "[section .dynamic]". */
bool charge_is_fallback(const struct snapshot *s, uint32_t text);
/* The label of a charge's row. */
struct str charge_label(const struct snapshot *s, const struct snap_charge *c,
			enum heft_diff_by by);

#endif
