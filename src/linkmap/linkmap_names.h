/* linkmap_names.h - lists the symbols of a linker map, with their sizes.
 *
 * A map may have names without sizes. Local symbols appear only as input sections: ".text.f" is the
 * function f. Sections of code are read first, because ".rodata.f" may hold the nameless constants
 * of a function f. */
#ifndef HEFT_LINKMAP_LINKMAP_NAMES_H
#define HEFT_LINKMAP_LINKMAP_NAMES_H

#include "linkmap/linkmap.h"

struct linkmap_name {
	uint64_t addr; /* Sort key. */
	uint64_t size;
	uint64_t end; /* End of the symbol's piece. */
	struct str name;
	uint32_t piece;
};

/* Set `map` and zero the rest before use. */
struct linkmap_names {
	const struct linkmap *map;
	bool all;                      /* True to list pieces without a name, too: "**
				        * .rodata.str1.1". */
	VEC(struct linkmap_name) list; /* Symbols of the section that was read last, by address. */
	/* private */
	size_t symbol;           /* Index in map->symbols of the first symbol of the next piece. */
	struct intern functions; /* Functions that are named by sections of code. */
	struct arena arena;      /* Memory for names of pieces. */
};

/* Fills n->list with the symbols of a section of the map. */
void linkmap_names_read(struct linkmap_names *n, uint32_t section);
void linkmap_names_release(struct linkmap_names *n);

#endif
