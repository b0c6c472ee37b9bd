/* label.h - labels are interned: a claim, span or row carries a small number.
 *
 * One table serves a whole profile, so ids compare across files and sources.  Texts are
 * borrowed where the input file holds them (inputs stay mapped as long as the profile) and
 * always end in NUL, which is not counted in the length.
 * A label whose text begins with '[' is a fallback: bytes no source could give to anyone.
 * One thread at a time; reading by id is fine from many threads while nobody adds. */
#ifndef HEFT_MAP_LABEL_H
#define HEFT_MAP_LABEL_H

#include "base/intern.h"

#define LABEL_NONE UINT32_MAX

typedef uint32_t label_id;

enum label_kind { LABEL_NAME, LABEL_FALLBACK, LABEL_BLOCK };

/* A block of a function. */
struct block_label {
	label_id function;
	uint32_t number;
	const char *text; /* NULL: nobody has asked for it */
};

/* Labels that follow one another, of the blocks 0, 1, 2 ... of a function. */
struct block_run {
	label_id function, first;
	uint32_t count;
};

struct labels {
	struct intern
		names; /* the entry of a LABEL_BLOCK is none: its length is an index in blocks */
	VEC(uint8_t) kinds; /* by id */
	/* private */
	VEC(struct block_label) blocks;
	VEC(struct block_run) block_runs;
	struct map run_ids;              /* runs, by function */
	struct map block_ids;            /* labels of no run, by function and number */
	struct block_texts *block_texts; /* once there are blocks */
};

/* An id as the name table gave it, noted down. */
static inline label_id label_known(struct labels *l, label_id id, struct str text)
{
	if (id == l->kinds.count)
		vec_push(&l->kinds, text.len > 0 && text.p[0] == '[' ? LABEL_FALLBACK : LABEL_NAME);
	return id;
}

static inline label_id label_borrow(struct labels *l, struct str text)
{
	return label_known(l, intern_borrow(&l->names, text), text);
}

static inline label_id label_copy(struct labels *l, struct str text)
{
	return label_known(l, intern_add(&l->names, text), text);
}

/* Many at once: the hashes are given, so that other threads can share the work.  The id of an
 * entry without a text (p NULL) is LABEL_NONE. */
void label_borrow_all(struct labels *l, const struct hashed_text *list, size_t count,
		      label_id *ret_ids);
/* The same for texts that will not stay: new ones are copied. */
void label_copy_all(struct labels *l, const struct hashed_text *list, size_t count,
		    label_id *ret_ids);
/* The label of a block of a function, which has a label itself: "FUNCTION#NUMBER", a text that is
 * made when it is first asked for, since there are millions. */
label_id label_block(struct labels *l, label_id function, uint32_t number);
/* NULL where the label is of no block. */
static inline const struct block_label *label_of_block(const struct labels *l, label_id id)
{
	return l->kinds.data[id] == LABEL_BLOCK ? &l->blocks.data[l->names.entries.data[id].len]
						: NULL;
}
/* That of such a label; any number of threads. */
struct str label_block_text(const struct labels *l, label_id id);
label_id label_format(struct labels *l, const char *fmt, ...) PRINTF_LIKE(2, 3);

static inline struct str label_text(const struct labels *l, label_id id)
{
	ASSERT(id < l->kinds.count);
	return l->kinds.data[id] == LABEL_BLOCK ? label_block_text(l, id)
						: l->names.entries.data[id];
}

static inline bool label_is_fallback(const struct labels *l, label_id id)
{
	return l->kinds.data[id] == LABEL_FALLBACK;
}

void labels_release(struct labels *l);

#endif
