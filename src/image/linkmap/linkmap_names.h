/* linkmap_names.h - the symbols that a linker map tells of, with their sizes.
 *
 * A map has names without sizes, and of local symbols only the input sections that they stand in:
 * ".text.f" is the function f.  Sections of code go first, since ".rodata.f" may hold the constants
 * of a function, which have no name. */
#ifndef HEFT_IMAGE_LINKMAP_LINKMAP_NAMES_H
#define HEFT_IMAGE_LINKMAP_LINKMAP_NAMES_H

#include "image/linkmap/linkmap.h"

struct linkmap_name {
	uint64_t addr; /* what it is sorted by */
	uint64_t size;
	uint64_t end; /* of its piece */
	struct str name;
	uint32_t piece;
};

/* Zeroed but for the map. */
struct linkmap_names {
	const struct linkmap *map;
	bool all;                      /* also pieces without a name: "** .rodata.str1.1" */
	VEC(struct linkmap_name) list; /* of the section read last, by address */
	/* private */
	size_t symbol;           /* in map->symbols: the first of the next piece */
	struct intern functions; /* whose names sections of code state */
	struct arena arena;      /* names of pieces */
};

/* Makes n->list that of a section of the map. */
void linkmap_names_read(struct linkmap_names *n, uint32_t section);
void linkmap_names_release(struct linkmap_names *n);

#endif
