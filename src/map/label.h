/* label.h - interns labels, so that claims, spans and rows contain small numbers instead of
 * texts.
 *
 * One table serves a whole profile, so that ids compare across files and sources. Texts in the
 * input file are borrowed if inputs stay mapped as long as the table. All texts end in NUL. The
 * length does not count the NUL. A label whose text begins with '[' is a fallback: it stands for
 * bytes without an owner. One thread at a time. Many threads may read by id while no thread
 * adds. */
#pragma once

#include "base/intern.h"

#define LABEL_NONE UINT32_MAX
/* "(after X)" is data without an owner that follows X's data. */
#define LABEL_AFTER "(after "

typedef uint32_t label_id;

static inline bool label_is_after(struct str text)
{
	return str_starts(text, STR(LABEL_AFTER)) && str_ends(text, STR(")"));
}

/* Returns X of "(after X)". */
static inline struct str label_after_whom(struct str text)
{
	ASSERT(label_is_after(text));
	return (struct str){ text.p + sizeof LABEL_AFTER - 1, text.len - sizeof LABEL_AFTER };
}

enum label_kind { LABEL_NAME, LABEL_FALLBACK, LABEL_BLOCK, LABEL_LINE, LABEL_CHAIN };

/* A numbered label: block `number` of function `of`, or a line of a source file. Or a chain: label
 * `number` is its last part, `of` the rest */
struct label_number {
	label_id of;
	uint32_t number;
};

/* Consecutive labels for the blocks 0, 1, 2 ... of a function */
struct block_run {
	label_id function, first;
	uint32_t count;
};

struct labels {
	struct intern names; /* A numbered label has an entry without text */
	VEC(uint8_t) kinds;  /* Per label: its kind */
	bool keeps;          /* True to copy texts, because inputs close before the table */
	VEC(struct block_run) block_runs;
	struct map run_ids;              /* By function: index of its run */
	struct map number_ids;           /* Numbered labels that are in no run */
	struct number_texts *made_texts; /* NULL until needed */
};

/* Records the kind of a label, if the label is new. Returns `id`. */
static inline label_id label_known(struct labels *l, label_id id, struct str text)
{
	if (id == l->kinds.count)
		vec_push(&l->kinds, text.len > 0 && text.p[0] == '[' ? LABEL_FALLBACK : LABEL_NAME);
	return id;
}

static inline label_id label_borrow(struct labels *l, struct str text)
{
	return label_known(l, (l->keeps ? intern_add : intern_borrow)(&l->names, text), text);
}

static inline label_id label_copy(struct labels *l, struct str text)
{
	return label_known(l, intern_add(&l->names, text), text);
}

/* Gives labels to many texts, which it borrows. The texts' hashes may come from other threads. An
 * entry without a text (p NULL) gets LABEL_NONE. */
void label_borrow_all(struct labels *l, const struct hashed_text *list, size_t count,
		      label_id *ret_ids);
/* Like label_borrow_all(), but copies new texts. */
void label_copy_all(struct labels *l, const struct hashed_text *list, size_t count,
		    label_id *ret_ids);
/* Returns the label "FUNCTION#NUMBER" of a block. The function must have a label. Its text is made
 * when needed, because there may be millions. */
label_id label_block(struct labels *l, label_id function, uint32_t number);
/* Makes labels "FILE:LINE", whose texts are made when needed. The files must have labels. */
void label_lines(struct labels *l, const struct label_number *list, size_t count,
		 label_id *ret_ids);
/* Returns the label "ABOVE;LAST" of a chain, whose text is made when needed. `last` is no numbered
 * label, and `above` none but a chain. */
label_id label_chain(struct labels *l, label_id above, label_id last);
static inline bool label_is_chain(const struct labels *l, label_id id)
{
	return l->kinds.data[id] == LABEL_CHAIN;
}
static inline bool label_is_numbered(const struct labels *l, label_id id)
{
	return l->kinds.data[id] >= LABEL_BLOCK;
}
/* Returns function and block, file and line, or the parts of a chain, of a numbered label. */
static inline struct label_number label_numbered(const struct labels *l, label_id id)
{
	const struct str entry = l->names.entries.data[id];
	return (struct label_number){ (label_id)(uintptr_t)entry.p, (uint32_t)entry.len };
}
/* Returns the text of a numbered label. Any number of threads. */
struct str label_number_text(const struct labels *l, label_id id);
label_id label_format(struct labels *l, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Returns the fallback label "[name]". A name in brackets, such as "[LOAD #0 [RX]]", stays. */
label_id label_bracketed(struct labels *l, struct str name);

static inline struct str label_text(const struct labels *l, label_id id)
{
	ASSERT(id < l->kinds.count);
	return label_is_numbered(l, id) ? label_number_text(l, id) : l->names.entries.data[id];
}

/* Prefetches the text of label `text`, whose table entry must be in the cache, and the table entry
 * of label `entry`. */
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
