/* block_profile_names.h - lists the functions of a block map by their linkage names. */
#pragma once

#include "blocks/blockmap.h"

struct profile_name {
	const char *text; /* Linkage name, borrowed from the image */
	bool local;
	bool shared; /* True if functions at several addresses have this name, so that it
		      * identifies none */
};

/* The names of function f are list.data[first[f]] up to, without, list.data[first[f + 1]]: global
 * names first, each group in byte order */
struct profile_names {
	VEC(struct profile_name) list;
	size_t *first;
};

/* Reads the function symbols of the image, otherwise those of `debug` (may be NULL). */
void profile_names_read(struct profile_names *n, const struct blockmap *b,
			const struct image *debug);
void profile_names_release(struct profile_names *n);
