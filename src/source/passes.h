/* passes.h - the passes that give the bytes of an image to their owners, in the order in which they
 * run.
 *
 * The sources symbols, compileunits and sourcefiles run the same table; only the owners differ.  A
 * pass claims what it knows, and may ask for the owner of an address in what earlier passes
 * claimed.  So the order of the table is the order of trust: the surest first. */
#ifndef HEFT_SOURCE_PASSES_H
#define HEFT_SOURCE_PASSES_H

#include "source/attr/attr_scratch.h"

/* For which owners a pass runs. */
enum pass_for {
	FOR_SYMBOL = 1 << BY_SYMBOL,
	FOR_UNIT = 1 << BY_UNIT,
	FOR_FILE = 1 << BY_FILE,
	FOR_SOURCES = FOR_UNIT | FOR_FILE,
	FOR_ALL = FOR_SYMBOL | FOR_SOURCES,
};

struct attr_pass {
	const char *name;
	const char *why;   /* which bytes it gives to whom */
	const char *needs; /* names of passes that run before it, by ", "; NULL: none */
	unsigned owners;   /* bits of enum pass_for */
	/* Whether it has to run for this image; NULL: always. */
	bool (*applies)(const struct attr *a);
	void (*run)(struct attr *a);
	/* Runs at the same time in a thread of its own, on a partner with claims of its own.  A
	 * partner stays until the pass whose `join` takes its claims over. */
	void (*beside)(struct attr *b);
	void (*join)(struct attr *a, struct attr *b);
	/* Its claims, and those of passes before it that do not commit, have owners before the next
	 * pass runs: also if it is passed over. */
	bool commits;
};

/* The passes in order; NULL past the last. */
const struct attr_pass *attr_pass_at(size_t i);
/* Runs them over image `number` of the `total` images of an input. */
void attr_passes_run(struct attr *a, size_t number, size_t total);

#endif
