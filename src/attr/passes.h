/* passes.h - lists the attribution passes, which give the bytes of an image to owners, in running
 * order.
 *
 * The data sources symbols, compileunits and sourcefiles run the same passes with different kinds
 * of owners. A pass claims the bytes whose owner it knows. A pass may look up the owner of an
 * address in the claims of earlier passes. So the most certain pass comes first. */
#pragma once

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
	const char *why;   /* Text that tells which bytes the pass gives to which owners */
	const char *needs; /* Passes that must run before it, joined by ", ". NULL for none */
	unsigned owners;   /* Bits of enum pass_for: runs for these kinds of owners */
	/* Returns true if the pass must run for this image. NULL: always runs. */
	bool (*applies)(const struct attr *a);
	/* Prefixes of section names. The pass runs only if the image has a section with one of
	 * them. If empty, the pass always runs. */
	const char *reads[17];
	void (*run)(struct attr *a);
	/* Runs in another thread, on a copy of the attr. A later pass with `join` takes over the
	 * claims of that copy and frees it. */
	void (*beside)(struct attr *b);
	void (*join)(struct attr *a, struct attr *b);
	/* True: after this pass, the claims are resolved to owners that the next pass can look up.
	 * Also done if the pass itself is skipped. */
	bool commits;
};

/* Returns pass i in running order. NULL after the last. */
const struct attr_pass *attr_pass_at(size_t i);
/* Runs the passes over image `number` of the `total` images of an input. */
void attr_passes_run(struct attr *a, size_t number, size_t total);
