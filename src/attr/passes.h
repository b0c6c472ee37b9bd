/* passes.h - has the passes that give the bytes of an image to their owners, in the order in which
 * they run.
 *
 * The sources symbols, compileunits and sourcefiles run the same table and differ only in the
 * owners. A pass claims the bytes whose owner it knows. A pass may look up the owner of an address
 * in the claims of earlier passes. So the order of the table is the order of trust: the surest pass
 * comes first. */
#ifndef HEFT_ATTR_PASSES_H
#define HEFT_ATTR_PASSES_H

#include "attr/attr_scratch.h"

/* Kinds of owners that a pass runs for. */
enum pass_for {
	FOR_SYMBOL = 1 << BY_SYMBOL,
	FOR_UNIT = 1 << BY_UNIT,
	FOR_FILE = 1 << BY_FILE,
	FOR_SOURCES = FOR_UNIT | FOR_FILE,
	FOR_ALL = FOR_SYMBOL | FOR_SOURCES,
};

struct attr_pass {
	const char *name;
	const char *why;   /* Tells which bytes the pass gives to which owners */
	const char *needs; /* Names of passes that must run before it, joined by ", ". NULL if
			    * none. */
	unsigned owners;   /* Bits of enum pass_for */
	/* Tells whether the pass must run for this image. NULL: always. */
	bool (*applies)(const struct attr *a);
	/* Beginnings of names of sections. The pass runs only if the image has one of them. Empty:
	 * always. */
	const char *reads[14];
	void (*run)(struct attr *a);
	/* Runs at the same time in its own thread, on a partner with its own claims. The partner
	 * lives until a pass takes over its claims with `join`. */
	void (*beside)(struct attr *b);
	void (*join)(struct attr *a, struct attr *b);
	/* Its claims, and those of earlier passes that do not commit, are resolved before the next
	 * pass runs. This also happens if the pass is skipped. */
	bool commits;
};

/* Returns the passes in order. NULL after the last. */
const struct attr_pass *attr_pass_at(size_t i);
/* Runs the passes over image `number` of the `total` images of an input. */
void attr_passes_run(struct attr *a, size_t number, size_t total);

#endif
