/* reloc_parts.h - cuts relocation tables into parts that threads read in parallel.
 *
 * The parts depend only on the tables, so results in the order of parts are the same for any number
 * of threads. */
#pragma once

#include "base/vec.h"
#include "image/image.h"

struct reloc_parts {
	const struct image *im;
	VEC(struct reloc_iter) list; /* Relocations, in the order of the tables */
};

/* Adds the parts of a table that was opened and not read yet. */
void reloc_parts_add(struct reloc_parts *p, const struct reloc_iter *it);
/* Runs fn(ctx, i, worker) for every part. Uses one thread if reading may make notes, because the
 * order of notes must not depend on threads. */
void reloc_parts_run(const struct reloc_parts *p, unsigned threads,
		     void (*fn)(void *ctx, size_t i, unsigned worker), void *ctx);
