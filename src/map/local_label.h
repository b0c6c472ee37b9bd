/* local_label.h - labels that one of several threads makes.
 *
 * The label table serves one thread at a time.  A job of several has labels of its own: numbers
 * with the bit LABEL_LOCAL, next to which labels of the table may be used as they are.  When the
 * job's turn comes they join the table, and its claims those of all jobs.  One thread at a time
 * each. */
#ifndef HEFT_MAP_LOCAL_LABEL_H
#define HEFT_MAP_LOCAL_LABEL_H

#include "map/space.h"

#define LABEL_LOCAL   (UINT32_C(1) << 31)
#define LABEL_PENDING (UINT32_C(1) << 30) /* besides LABEL_LOCAL: nobody knows the text yet */
#define LABEL_LINES   (UINT32_C(1) << 29) /* besides LABEL_LOCAL: a line of a file */

struct local_labels {
	VEC(struct hashed_text) texts;
	struct map numbers; /* of the texts */
	struct arena arena;
	VEC(struct label_number) lines; /* of local labels; once joined, of those of the table */
	struct map line_numbers;        /* of the lines */
	VEC(label_id) joined;           /* by number of a text, then by number of a line */
	VEC(label_id) pending;          /* by number: LABEL_NONE until settled */
};

/* The local label of a text, which is copied. */
label_id local_label(struct local_labels *l, struct str text);
/* The local label of a line of a file, whose path is a local label. */
label_id local_label_line(struct local_labels *l, label_id path, uint32_t line);
/* A new one that local_label_settle says the meaning of, at the latest before claims_join. */
label_id local_label_pending(struct local_labels *l);
/* `id` is what local_label_pending returned, `meant` any label or LABEL_NONE. */
void local_label_settle(struct local_labels *l, label_id id, label_id meant);

/* Enters all texts and lines in the table. */
void local_labels_join(struct local_labels *l, struct labels *to);
/* The label of the table, once joined and settled. */
static inline label_id local_label_joined(const struct local_labels *l, label_id id)
{
	if (id == LABEL_NONE || !(id & LABEL_LOCAL))
		return id;
	if (id & LABEL_PENDING)
		return local_label_joined(l, l->pending.data[id & ~(LABEL_LOCAL | LABEL_PENDING)]);
	if (id & LABEL_LINES)
		return l->joined.data[l->texts.count + (id & ~(LABEL_LOCAL | LABEL_LINES))];
	return l->joined.data[id & ~LABEL_LOCAL];
}

/* Moves claims behind those of `to`, with their labels as joined; those without one are dropped. */
void claims_join(struct claims *to, struct claims *from, const struct local_labels *l);
/* Forgets all labels and keeps the memory for others. */
void local_labels_clear(struct local_labels *l);
void local_labels_release(struct local_labels *l);

#endif
