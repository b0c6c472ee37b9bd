/* contents.h - makes numbers of the contents of symbols: equal contents have equal numbers.
 *
 * For code, the number covers what instructions do and refer to (code/alike.h). For data, it covers
 * the bytes. Relocations count for both. Writable data have no number, because one copy could not
 * replace two. Neither has code that heft cannot decode. */
#ifndef HEFT_SNAPSHOT_CONTENTS_H
#define HEFT_SNAPSHOT_CONTENTS_H

#include "code/alike.h"
#include "image/image.h"

/* What a relocation puts at an address. */
struct patch {
	uint64_t addr;
	uint64_t what;
};

/* Contents of one image, which is borrowed. */
struct contents {
	const struct image *image;
	VEC(struct patch) patches; /* Sorted by address. */
	bool read;                 /* The relocations are in patches. */
};

void contents_init(struct contents *ret, const struct image *im);
/* Reads the relocations, once. Call before contents_of(). */
void contents_read(struct contents *c);
void contents_release(struct contents *c);

/* Returns the number of `size` bytes of a section; all 0 if unknown. An address of 0 means none;
 * then the section may be anything. O(bytes). Any number of threads. */
struct code_print contents_of(const struct contents *c, const struct section *s, uint64_t addr,
			      uint64_t size);
/* Does contents_of() for x86 code whose relative references are known. All bytes must be
 * instructions. */
struct code_print contents_of_x86(const struct contents *c, const struct section *s, uint64_t addr,
				  uint64_t size, const code_ref_vec *refs);

#endif
