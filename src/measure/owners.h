/* owners.h - finds who owns an address: the labels that sizes and raw maps show. Private to
 * measure/ and api/.
 *
 * The first look-up measures each data source and keeps its layer. Later ones are O(log spans).
 * Skips debug sections, which have no addresses. One thread. */
#pragma once

#include "heft.h"
#include "names/namespace.h"
#include "source/source.h"

struct owner_level {
	const struct source *source;
	struct view view;
	bool viewed, measured;
	struct layer layer; /* Set only in the first level with this data source */
	struct origins origins;
};

/* Data sources, and the owners that they state. All zero: no data sources */
struct owners {
	enum heft_demangle style; /* Style of function names, for data sources whose style the
				   * option -C sets */
	VEC(struct owner_level) levels;
	VEC(const char *) names; /* Names of the data sources */
	bool ready;
	struct labels labels;
	struct namespaces spaces;
	struct measure measure;
	VEC(struct heft_owner) found;
	VEC(const struct heft_owner *) list; /* The list that owners_find() returns */
};

/* Adds a data source. HEFT_EARG if there is none with this name. */
bool owners_add(struct owners *o, const char *source, struct heft_err *err);
/* Returns what the data sources need: bits NEED_* (source_needs()). */
unsigned owners_need(const struct owners *o);
/* Sets the input to measure: a copy of `file` with other labels and threads. Borrows all arguments
 * until the handle is freed. */
void owners_begin(struct owners *o, const struct source_file *file,
		  const struct program_wish *wish);
/* Lists the owners of an address, one per data source that has one. *ret is valid until the next
 * call, its texts until the handle is freed. */
size_t owners_find(struct owners *o, uint64_t addr, const struct heft_owner *const **ret);
