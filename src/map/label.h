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

struct labels {
	struct intern names;
	VEC(bool) fallback; /* by id */
};

/* An id as the name table gave it, noted down. */
static inline label_id label_known(struct labels *l, label_id id, struct str text)
{
	if (id == l->fallback.count)
		vec_push(&l->fallback, text.len > 0 && text.p[0] == '[');
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
/* The label of a block of a function, which has a label itself: short, for there are millions. */
label_id label_block(struct labels *l, label_id function, uint32_t number);
/* False where the text is not that of such a label.  *ret_name is the function's, *ret_number
 * "#NUMBER". */
bool label_of_block(const struct labels *l, struct str text, struct str *ret_name,
		    struct str *ret_number);
label_id label_format(struct labels *l, const char *fmt, ...) PRINTF_LIKE(2, 3);

static inline struct str label_text(const struct labels *l, label_id id)
{
	return intern_get(&l->names, id);
}

static inline bool label_is_fallback(const struct labels *l, label_id id)
{
	return l->fallback.data[id];
}

void labels_release(struct labels *l);

#endif
