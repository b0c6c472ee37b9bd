/* owners.h - whose an address is, as the layers of the map have it: the labels that sizes and raw
 * maps show.  Private to measure/ and api/.
 *
 * A source is measured when the first address is asked for, and its layer kept; after that a
 * look-up is O(log spans).  The debug sections of the file are not measured: they have no
 * addresses.  One thread. */
#ifndef HEFT_MEASURE_OWNERS_H
#define HEFT_MEASURE_OWNERS_H

#include "heft.h"
#include "names/namespace.h"
#include "source/measure.h"

struct owner_level {
	const struct source *source;
	struct view view;
	bool viewed, measured;
	struct layer layer; /* in the first level of those with the same source */
	struct origins origins;
};

/* Zeroed = nothing asked for. */
struct owners {
	enum heft_demangle style; /* of sources whose names follow -C */
	VEC(struct owner_level) levels;
	VEC(const char *) names; /* of their sources */
	/* private */
	bool ready;
	struct labels labels;
	struct namespaces spaces;
	struct measure measure;
	VEC(struct heft_owner) found;
	VEC(const struct heft_owner *) list; /* of those */
};

/* HEFT_EARG for a source that does not exist. */
bool owners_add(struct owners *o, const char *source, struct heft_err *err);
/* Whether a level is of compile units, which linker maps help to tell. */
bool owners_of_units(const struct owners *o);
/* Whether one of them asks for memory regions. */
bool owners_of_regions(const struct owners *o);
/* What is measured, all borrowed until owners_release: `file` has the input, what belongs to it and
 * the notes; the rest of it is filled in. */
void owners_begin(struct owners *o, const struct source_file *file,
		  const struct program_wish *wish);
/* One for each source that has an owner of the address; *ret stays until the next call, its texts
 * as long as the owners. */
size_t owners_find(struct owners *o, uint64_t addr, const struct heft_owner *const **ret);
void owners_release(struct owners *o);

#endif
