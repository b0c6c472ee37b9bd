/* pair_labels.h - gives labels of a base the names that the inputs use for the same things.
 *
 * Rows of a profile are joined by label. A function that has another name in the base, or a made-up
 * one (from its address), would make two rows. So a base label that the inputs lack becomes the
 * label of its partner, which the matcher finds (match.h). Of several partners, the one with most
 * code counts. A made-up label without a partner is marked if the inputs use it for something else.
 * Paths below one root move below the other root.
 *
 * O(pairs log spans), O(spans). Adds labels: one thread. */
#ifndef HEFT_COMPARE_PAIR_LABELS_H
#define HEFT_COMPARE_PAIR_LABELS_H

#include "compare/diff.h"
#include "map/space.h"

struct pair_labels {
	struct labels *labels; /* Table of all labels. Borrowed */
	size_t count;          /* Number of labels at pair_labels_init(), and size of the arrays */
	bool *of_input;        /* Per label: true if the inputs have it */
	bool *of_base;         /* Per label: true if the base has it */
	label_id *becomes;     /* Per label of code or data: its new label, or LABEL_NONE */
	struct text roots[2];  /* Roots of paths: [0] of the inputs, [1] of the base. Or "" */
};

void pair_labels_init(struct pair_labels *n, struct labels *labels);
void pair_labels_release(struct pair_labels *n);
void pair_labels_mark(struct pair_labels *n, enum heft_role role, const struct spans *s);
/* True if spans of a role (inputs, base) have a label that the other role lacks. Fallback labels,
 * such as "[section .text]", do not count. */
bool pair_labels_lack(const struct pair_labels *n, enum heft_role role, const struct spans *s);

/* True if spans have a label that heft made up from an address. */
bool pair_labels_made_up(const struct pair_labels *n, const struct spans *s);

/* Spans of the symbols of the inputs, or of the base: one list per container of the snapshot */
struct label_side {
	const struct spans *const *symbols;
	size_t count;
};

/* Finds for each label of the base the label of the same symbol or path in the input, by the pairs
 * of a diff. */
void pair_labels_learn(struct pair_labels *n, const struct snapshot_diff *d,
		       const struct label_side *before, const struct label_side *after);
/* Sets *ret to the base's spans with their new labels. `of_paths`: renames paths by roots.
 * Otherwise renames symbols by pairs. */
void pair_labels_rename(struct pair_labels *n, const struct spans *from, bool of_paths,
			struct spans *ret);

#endif
