/* local_label.h - makes labels on one of several threads.
 *
 * Only one thread at a time may use the label table. So each parallel job has local labels: numbers
 * with the bit LABEL_LOCAL. It may also use labels of the table. After the job, its labels and
 * claims are joined with the common ones. One thread at a time per job. */
#pragma once

#include "map/space.h"

#define LABEL_LOCAL   (UINT32_C(1) << 31)
#define LABEL_PENDING (UINT32_C(1) << 30) /* With LABEL_LOCAL: the text is not yet known */
#define LABEL_LINES   (UINT32_C(1) << 29) /* With LABEL_LOCAL: a line of a file */

struct local_labels {
	VEC(struct hashed_text) texts;
	struct map numbers; /* By text: its index in `texts` */
	struct arena arena;
	VEC(struct label_number)
	lines;                   /* `of`: local label of the file's path. After joining: its label
				  * in the table */
	struct map line_numbers; /* By line: its index in `lines` */
	VEC(label_id)
	joined; /* Per local label: its label in the table. First the texts, then the lines */
	VEC(label_id)
	pending; /* Per pending label: the label that it stands for. LABEL_NONE until known */
};

/* Returns the local label of a text, which it copies. */
label_id local_label(struct local_labels *l, struct str text);
/* Returns the local label of a line. `path` is the local label of the file's path. */
label_id local_label_line(struct local_labels *l, label_id path, uint32_t line);
/* Returns a new label that stands for nothing yet. Call local_label_settle() before
 * claims_join(). */
label_id local_label_pending(struct local_labels *l);
/* Sets the label that a label of local_label_pending() stands for: `meant`, which may be
 * LABEL_NONE. */
void local_label_settle(struct local_labels *l, label_id id, label_id meant);

void local_labels_join(struct local_labels *l, struct labels *to);
/* Returns the table's label for a local label, after joining. */
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

/* Moves claims to the end of `to`, with the table's labels. Drops claims without a label. */
void claims_join(struct claims *to, struct claims *from, const struct local_labels *l);
/* Removes all labels, but keeps the memory. */
void local_labels_clear(struct local_labels *l);
void local_labels_release(struct local_labels *l);
