/* series.h - finds the values of one size in all builds of a timeline.
 *
 * O(builds + changes of the size). One thread. */
#pragma once

#include "history/timeline.h"

struct series {
	const struct timeline *timeline; /* Borrowed */
	VEC(double)
	values;           /* Bytes for each build of the timeline. 0 if the build has none */
	const char *what; /* Name for users: "file", "section .text" */
	struct arena arena;
};

/* Makes the series of `what`: "file", "vm", or the name of a section, source, object, component or
 * symbol. If two kinds have this name, the first of this list is used, unless `what` states the
 * kind: "symbol:main". Names of measures begin with their source, and may state their kind:
 * "regions:FLASH", "regions.limit:FLASH". A source or object that ends in '/' means all files below
 * it. Parameters of a symbol may be missing. Sections include padding. Others are charged bytes (in
 * lists of SuperSize, own bytes). HEFT_ENOTFOUND if unknown. After false, series_release() is not
 * needed. */
bool series_make(struct series *ret, struct store *s, const struct timeline *t, const char *what,
		 struct heft_err *err);
void series_release(struct series *s);

/* The change of the series from the previous build to a build. */
struct step {
	const struct build *before, *build; /* `before` is NULL for the first build */
	double was, now;
	/* True if commits between the two builds may be missing: the parent is another commit. */
	bool apart;
};

struct steps {
	VEC(struct step) list;
};

/* Lists all steps whose change is not 0, latest first. */
void steps_make(struct steps *ret, const struct series *s);
/* Lists the steps from one build to another, by descending size of the change. False with HEFT_EARG
 * if `to` does not descend from `from`. */
bool steps_between(struct steps *ret, const struct series *s, const struct build *from,
		   const struct build *to, struct heft_err *err);
/* Returns the sum of the steps' changes. */
double steps_change(const struct steps *s);
void steps_release(struct steps *s);
