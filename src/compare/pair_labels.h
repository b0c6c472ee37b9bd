/* pair_labels.h - labels of a base, as what they stand for is called on the other side.
 *
 * Rows of a profile are joined by labels.  A function with another name in the base, or with a name
 * that heft made of its address, would be two rows.  So a label of the base that the other side
 * lacks becomes the label of its partner, which the matcher found (match.h).  Of several partners
 * the one with most code counts.  A made-up label without a partner becomes one that says so, if
 * the other side has the same label for something else.  Paths below one folder become paths below
 * another.
 *
 * O(pairs log spans), O(spans).  Labels are added: one thread. */
#ifndef HEFT_COMPARE_PAIR_LABELS_H
#define HEFT_COMPARE_PAIR_LABELS_H

#include "compare/diff.h"
#include "map/space.h"

struct pair_labels {
	struct labels *labels; /* borrowed */
	size_t count;          /* labels when it began; of the arrays */
	bool *of_input;        /* by label: the other side has it */
	label_id *becomes;     /* by label of a function or variable; LABEL_NONE: it stays */
	struct text roots[2];  /* of paths: of the other side, of the base; or empty */
};

void pair_labels_init(struct pair_labels *n, struct labels *labels);
void pair_labels_release(struct pair_labels *n);
/* Spans of the other side. */
void pair_labels_mark(struct pair_labels *n, const struct spans *s);
/* Whether spans of the base have a label, of no fallback, that the other side lacks. */
bool pair_labels_lack(const struct pair_labels *n, const struct spans *s);

/* Whether spans have a label that heft made of an address. */
bool pair_labels_made_up(const struct pair_labels *n, const struct spans *s);

/* A side: whose symbols are where, by container of its snapshot. */
struct label_side {
	const struct spans *const *symbols;
	size_t count;
};

/* Learns from pairs what labels become. */
void pair_labels_learn(struct pair_labels *n, const struct snapshot_diff *d,
		       const struct label_side *before, const struct label_side *after);
/* Spans of the base under the labels of the other side: `of_paths` by the roots, else by pairs. */
void pair_labels_rename(struct pair_labels *n, const struct spans *from, bool of_paths,
			struct spans *ret);

#endif
