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

enum label_kind { LABEL_NAME, LABEL_FALLBACK, LABEL_BLOCK, LABEL_LINE };

/* What a numbered label is of: a block of a function, a line of a source file. */
struct label_number {
	label_id of;
	uint32_t number;
};

/* Labels that follow one another, of the blocks 0, 1, 2 ... of a function. */
struct block_run {
	label_id function, first;
	uint32_t count;
};

struct labels {
	struct intern names; /* the entry of a numbered label is none, see label_numbered */
	VEC(uint8_t) kinds;  /* by id */
	/* private */
	VEC(struct block_run) block_runs;
	struct map run_ids;              /* runs, by function */
	struct map number_ids;           /* numbered labels of no run */
	struct number_texts *made_texts; /* once there are numbered labels */
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
/* Those of many lines, "FILE:LINE", made as late.  The files have labels. */
void label_lines(struct labels *l, const struct label_number *list, size_t count,
		 label_id *ret_ids);
static inline bool label_is_numbered(const struct labels *l, label_id id)
{
	return l->kinds.data[id] >= LABEL_BLOCK;
}
/* Of a numbered label. */
static inline struct label_number label_numbered(const struct labels *l, label_id id)
{
	const struct str entry = l->names.entries.data[id];
	return (struct label_number){ (label_id)(uintptr_t)entry.p, (uint32_t)entry.len };
}
/* Its text; any number of threads. */
struct str label_number_text(const struct labels *l, label_id id);
label_id label_format(struct labels *l, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* "[name]", what label_is_fallback knows; a name that is one already, such as "[LOAD #0 [RX]]",
 * as it is. */
label_id label_bracketed(struct labels *l, struct str name);

static inline struct str label_text(const struct labels *l, label_id id)
{
	ASSERT(id < l->kinds.count);
	return label_is_numbered(l, id) ? label_number_text(l, id) : l->names.entries.data[id];
}

/* Fetches the text of a name, whose entry was fetched before, and the entry of another one. */
static inline void label_prefetch(const struct labels *l, label_id text, label_id entry)
{
	__builtin_prefetch(l->names.entries.data[text].p);
	__builtin_prefetch(&l->names.entries.data[entry]);
}

static inline bool label_is_fallback(const struct labels *l, label_id id)
{
	return l->kinds.data[id] == LABEL_FALLBACK;
}

void labels_release(struct labels *l);

#endif
