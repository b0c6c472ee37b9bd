/* contents.h - hashes the contents of symbols, so that equal contents have equal numbers.
 *
 * For code, the hash covers what instructions do and refer to (code/alike.h). For data, it covers
 * the bytes. Relocations count for both. Writable data has no hash, because one copy could not
 * replace two. Code that heft cannot decode has none either. */
#pragma once

#include "code/alike.h"
#include "image/image.h"

struct patch {
	uint64_t addr;
	uint64_t what;
};

/* An image whose bytes contents_of() hashes, and its relocations. Borrows the image */
struct contents {
	const struct image *image;
	VEC(struct patch) patches; /* Sorted by address */
	bool read;                 /* True if `patches` has the relocations */
};

void contents_init(struct contents *ret, const struct image *im);
/* Reads the relocations, once. Needed for contents_of(). */
void contents_read(struct contents *c);
void contents_release(struct contents *c);

/* Returns the hash of the `size` bytes at `addr` in section `s`. All 0 if they cannot be hashed, or
 * if addr is 0, which means "no address"; then `s` is not used. O(bytes). Any number of threads. */
struct code_print contents_of(const struct contents *c, const struct section *s, uint64_t addr,
			      uint64_t size);
/* Like contents_of(), but for x86 code whose relative references are known. All bytes must be
 * instructions. */
struct code_print contents_of_x86(const struct contents *c, const struct section *s, uint64_t addr,
				  uint64_t size, const code_ref_vec *refs);
