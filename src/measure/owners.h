/* owners.h - finds the owners of an address in the layers of the map: the labels that sizes and raw
 * maps show. Private to measure/ and api/.
 *
 * Measures a source at the first look-up, and keeps its layer. Later look-ups are O(log spans).
 * Skips debug sections, which have no addresses. One thread. */
#ifndef HEFT_MEASURE_OWNERS_H
#define HEFT_MEASURE_OWNERS_H

#include "heft.h"
#include "names/namespace.h"
#include "source/source.h"

struct owner_level {
	const struct source *source;
	struct view view;
	bool viewed, measured;
	struct layer layer; /* Set only in the first level with this source */
	struct origins origins;
};

/* Finds owners of addresses. A zeroed struct has no sources. */
struct owners {
	enum heft_demangle style; /* For sources whose names follow -C */
	VEC(struct owner_level) levels;
	VEC(const char *) names; /* Names of the sources */
	/* Private. */
	bool ready;
	struct labels labels;
	struct namespaces spaces;
	struct measure measure;
	VEC(struct heft_owner) found;
	VEC(const struct heft_owner *) list; /* One per element of the previous list */
};

/* Adds a source. HEFT_EARG if no source has this name. */
bool owners_add(struct owners *o, const char *source, struct heft_err *err);
/* Returns the inputs that the sources need, see source_needs(). */
unsigned owners_need(const struct owners *o);
/* Sets what to measure. Borrows all arguments until owners_release(). `file` gives the input, its
 * companions and the notes. The other fields are filled in. */
void owners_begin(struct owners *o, const struct source_file *file,
		  const struct program_wish *wish);
/* Lists one owner of the address per source that has one. *ret is valid until the next call, its
 * texts until owners_release(). */
size_t owners_find(struct owners *o, uint64_t addr, const struct heft_owner *const **ret);
void owners_release(struct owners *o);

#endif
