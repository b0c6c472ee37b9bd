/* pair_labels.h - renames labels of a base to the labels of the same things on the other side.
 *
 * Rows of a profile are joined by label. A function whose name differs in the base, or is generated
 * from its address, would make two rows. So a base label that the other side lacks becomes its
 * partner's label. The matcher finds partners (match.h). If there are several partners, the one
 * with most code is used. A generated label without a partner is marked if the other side uses the
 * label for something else. Paths below one root move below the other root.
 *
 * O(pairs log spans), O(spans). Adds labels: one thread. */
#ifndef HEFT_COMPARE_PAIR_LABELS_H
#define HEFT_COMPARE_PAIR_LABELS_H

#include "compare/diff.h"
#include "map/space.h"

struct pair_labels {
	struct labels *labels; /* Borrowed */
	size_t count;          /* Number of labels at the beginning, size of the arrays */
	bool *of_input;        /* Per label: true if the other side has it */
	bool *of_base;         /* Per label: true if the base has it */
	label_id *becomes;     /* Per label of a function or variable: its new label. LABEL_NONE
			        * if it stays */
	struct text roots[2];  /* Roots of paths: [0] of the other side, [1] of the base. May be
			        * "" */
};

void pair_labels_init(struct pair_labels *n, struct labels *labels);
void pair_labels_release(struct pair_labels *n);
/* Marks the labels in a side's spans. */
void pair_labels_mark(struct pair_labels *n, enum heft_role role, const struct spans *s);
/* True if a side's spans have a label that the other side lacks. Ignores fallback labels. */
bool pair_labels_lack(const struct pair_labels *n, enum heft_role role, const struct spans *s);

/* True if spans have a label generated from an address. */
bool pair_labels_made_up(const struct pair_labels *n, const struct spans *s);

/* One side: the spans of its symbols, per container of its snapshot. */
struct label_side {
	const struct spans *const *symbols;
	size_t count;
};

/* Learns the new labels from the pairs of a diff. */
void pair_labels_learn(struct pair_labels *n, const struct snapshot_diff *d,
		       const struct label_side *before, const struct label_side *after);
/* Writes the base's spans with the other side's labels. `of_paths`: renames by roots, otherwise by
 * pairs. */
void pair_labels_rename(struct pair_labels *n, const struct spans *from, bool of_paths,
			struct spans *ret);

#endif
