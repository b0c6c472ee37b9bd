/* reloc_parts.h - relocation tables cut into parts, which threads read side by side.
 *
 * The cuts depend on the tables alone, so that what is found in the order of the parts is the same
 * for any number of threads. */
#ifndef HEFT_SOURCE_ATTR_RELOC_PARTS_H
#define HEFT_SOURCE_ATTR_RELOC_PARTS_H

#include "base/vec.h"
#include "image/image.h"

struct reloc_parts {
	const struct image *im;
	VEC(struct reloc_iter) list; /* in the order of the tables */
};

/* Adds the parts of a table that was opened and not read yet. */
void reloc_parts_add(struct reloc_parts *p, const struct reloc_iter *it);
void reloc_parts_release(struct reloc_parts *p);
/* Runs fn(ctx, i, worker) for every part.  One thread alone where reading may make notes, whose
 * order must not depend on threads. */
void reloc_parts_run(const struct reloc_parts *p, unsigned threads,
		     void (*fn)(void *ctx, size_t i, unsigned worker), void *ctx);

#endif
