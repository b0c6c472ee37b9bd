/* pair_labels.h - renames labels of a base to what the same things are called on the other side.
 *
 * Rows of a profile are joined by labels. A function that has another name in the base, or a name
 * that heft made from its address, would be two rows. So a label of the base that the other side
 * lacks becomes the label of its partner. The matcher finds partners (match.h). If there are
 * several partners, the one with most code counts. A made-up label without a partner gets a label
 * that says so, if the other side has the same label for something else. Paths below one root
 * become paths below the other root.
 *
 * O(pairs log spans), O(spans). Adds labels: one thread. */
#ifndef HEFT_COMPARE_PAIR_LABELS_H
#define HEFT_COMPARE_PAIR_LABELS_H

#include "compare/diff.h"
#include "map/space.h"

struct pair_labels {
	struct labels *labels; /* Borrowed. */
	size_t count;          /* Number of labels at the beginning. Size of the arrays. */
	bool *of_input;        /* Per label: true if the other side has it. */
	bool *of_base;         /* Per label: true if the base has it. */
	label_id *becomes;     /* Per label of a function or variable: its new label. LABEL_NONE
			        * if it stays. */
	struct text roots[2];  /* Roots of paths: [0] of the other side, [1] of the base. Both roots
			        * may be empty. */
};

void pair_labels_init(struct pair_labels *n, struct labels *labels);
void pair_labels_release(struct pair_labels *n);
/* Marks the labels that spans of a side have. */
void pair_labels_mark(struct pair_labels *n, enum heft_role role, const struct spans *s);
/* True if spans of a side have a label that the other side lacks. Fallback labels do not count. */
bool pair_labels_lack(const struct pair_labels *n, enum heft_role role, const struct spans *s);

/* True if spans have a label that heft made from an address. */
bool pair_labels_made_up(const struct pair_labels *n, const struct spans *s);

/* One side: per container of its snapshot, the spans of its symbols. */
struct label_side {
	const struct spans *const *symbols;
	size_t count;
};

/* Learns the new labels from the pairs of a diff. */
void pair_labels_learn(struct pair_labels *n, const struct snapshot_diff *d,
		       const struct label_side *before, const struct label_side *after);
/* Writes the spans of the base with the labels of the other side. `of_paths` renames by roots,
 * otherwise by pairs. */
void pair_labels_rename(struct pair_labels *n, const struct spans *from, bool of_paths,
			struct spans *ret);

#endif
