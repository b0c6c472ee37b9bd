/* block_profile_names.h - the names that functions of a block map have for linkers. */
#ifndef HEFT_BLOCKS_BLOCK_PROFILE_NAMES_H
#define HEFT_BLOCKS_BLOCK_PROFILE_NAMES_H

#include "blocks/blockmap.h"

struct profile_name {
	const char *text; /* the image's */
	bool local;
	bool shared; /* by functions at several addresses: it tells none of them */
};

/* Names of function f: list.data[first[f]] up to first[f + 1], globals first, then by their
 * bytes. */
struct profile_names {
	VEC(struct profile_name) list;
	size_t *first;
};

/* Reads the symbols of functions of the map's image, or of `debug` where that has none (may be
 * NULL). */
void profile_names_read(struct profile_names *n, const struct blockmap *b,
			const struct image *debug);
void profile_names_release(struct profile_names *n);

#endif
