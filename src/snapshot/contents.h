/* contents.h - what symbols hold, as numbers: equal things have equal ones.
 *
 * Code is what its instructions do and what they refer to (code/alike.h); data are their bytes;
 * relocations count for both.  What can be written to has no number, for one copy could not stand
 * for two; neither has code that heft cannot decode. */
#ifndef HEFT_SNAPSHOT_CONTENTS_H
#define HEFT_SNAPSHOT_CONTENTS_H

#include "code/alike.h"
#include "image/image.h"

/* What a relocation puts somewhere. */
struct patch {
	uint64_t addr;
	uint64_t what;
};

/* Of one image, which is borrowed. */
struct contents {
	const struct image *image;
	VEC(struct patch) patches; /* by address */
	bool read;                 /* the relocations are in patches */
};

void contents_init(struct contents *ret, const struct image *im);
/* Reads the relocations, unless they are there: before the first question. */
void contents_read(struct contents *c);
void contents_release(struct contents *c);

/* Of `size` bytes of a section; all 0: not known.  An address of 0 is none, and then the section
 * does not matter.  O(bytes).  Any number of threads. */
struct code_print contents_of(const struct contents *c, const struct section *s, uint64_t addr,
			      uint64_t size);

#endif
