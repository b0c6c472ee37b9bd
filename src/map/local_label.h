/* local_label.h - makes labels on one of several threads.
 *
 * The label table allows one thread at a time. So each parallel job has its own labels, which are
 * numbers with the bit LABEL_LOCAL. A job may also use labels of the table. After the job, its
 * labels join the table, and its claims join the common claims. One thread at a time per job. */
#ifndef HEFT_MAP_LOCAL_LABEL_H
#define HEFT_MAP_LOCAL_LABEL_H

#include "map/space.h"

#define LABEL_LOCAL   (UINT32_C(1) << 31)
#define LABEL_PENDING (UINT32_C(1) << 30) /* With LABEL_LOCAL: the text is not yet known */
#define LABEL_LINES   (UINT32_C(1) << 29) /* With LABEL_LOCAL: a line of a file */

struct local_labels {
	VEC(struct hashed_text) texts;
	struct map numbers; /* Number of each text */
	struct arena arena;
	VEC(struct label_number)
	lines;                   /* Lines. Before joining, they have local labels; afterwards,
				  * labels of the table */
	struct map line_numbers; /* Number of each line */
	VEC(label_id)
	joined; /* Label in the table per local label: first the texts, then the
			        * lines, both by number */
	VEC(label_id)
	pending; /* Final label of each pending label, by number. LABEL_NONE until
			        * known */
};

/* Returns the local label of a text. Copies the text. */
label_id local_label(struct local_labels *l, struct str text);
/* Returns the local label of a line of a file. `path` is the local label of the file's path. */
label_id local_label_line(struct local_labels *l, label_id path, uint32_t line);
/* Returns a new label without a meaning. local_label_settle() must set it before claims_join(). */
label_id local_label_pending(struct local_labels *l);
/* Sets the meaning of a label of local_label_pending(): any label or LABEL_NONE. */
void local_label_settle(struct local_labels *l, label_id id, label_id meant);

void local_labels_join(struct local_labels *l, struct labels *to);
/* Returns the table's label of a local label. Call it after joining and settling. */
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

/* Moves claims to the end of `to`, with labels of the table. Drops claims without a label. */
void claims_join(struct claims *to, struct claims *from, const struct local_labels *l);
/* Removes all labels, but keeps the memory. */
void local_labels_clear(struct local_labels *l);
void local_labels_release(struct local_labels *l);

#endif
