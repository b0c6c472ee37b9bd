/* series.h - one size over the builds of a timeline.
 *
 * O(builds + changes of what is asked about).  One thread. */
#ifndef HEFT_HISTORY_SERIES_H
#define HEFT_HISTORY_SERIES_H

#include "history/timeline.h"

struct series {
	const struct timeline *timeline; /* borrowed */
	VEC(double) values;              /* bytes, by place in the timeline; 0: it is not there */
	const char *what;                /* "file", "section .text": in the words of a person */
	struct arena arena;
};

/* `what` is "file", "vm", or the name of a section, source, object, component or symbol; of two of
 * the same name the earlier kind counts, unless the kind stands in front: "symbol:main".  What was
 * added as a row has its source in front, and may have what it counts: "regions:FLASH",
 * "regions.limit:FLASH".  A source or object that ends in '/' is all below it; a symbol may lack
 * its parameters.  Sizes of sections are padded, all others own bytes.  HEFT_ENOTFOUND where
 * nothing is called so.  After false, series_release is not needed. */
bool series_make(struct series *ret, struct store *s, const struct timeline *t, const char *what,
		 struct heft_err *err);
void series_release(struct series *s);

/* A change of the series from a build to the one before it. */
struct step {
	const struct build *before, *build; /* before NULL: it is the first */
	double was, now;
	/* Commits between the two may be missing: the parent of the build is another commit. */
	bool apart;
};

struct steps {
	VEC(struct step) list;
};

/* All steps that are not 0, the latest first. */
void steps_make(struct steps *ret, const struct series *s);
/* Those that lead from one build to another, by falling size of the change.  False, HEFT_EARG,
 * where `to` does not come from `from`. */
bool steps_between(struct steps *ret, const struct series *s, const struct build *from,
		   const struct build *to, struct heft_err *err);
void steps_release(struct steps *s);

#endif
