/* block_profile_names.h - the names of the functions of a block map, as linkers see them. */
#ifndef HEFT_BLOCKS_BLOCK_PROFILE_NAMES_H
#define HEFT_BLOCKS_BLOCK_PROFILE_NAMES_H

#include "blocks/blockmap.h"

struct profile_name {
	const char *text; /* borrowed from the image */
	bool local;
	bool shared; /* Functions at several addresses have this name, which hence identifies
		      * none. */
};

/* Names of all functions. Those of function f are list.data[first[f]] up to, but not including,
 * first[f + 1]. Global names come first, then the order is by bytes. */
struct profile_names {
	VEC(struct profile_name) list;
	size_t *first;
};

/* Reads the function symbols of the map's image. If the image has none, reads those of `debug` (may
 * be NULL). */
void profile_names_read(struct profile_names *n, const struct blockmap *b,
			const struct image *debug);
void profile_names_release(struct profile_names *n);

#endif
