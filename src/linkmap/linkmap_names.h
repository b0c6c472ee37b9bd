/* linkmap_names.h - lists the symbols of a linker map, with their sizes.
 *
 * A map may have names without sizes. Local symbols appear only as input sections: ".text.f" is the
 * function f. Read sections of code first, because ".rodata.f" may be unnamed constants of a
 * function f. */
#pragma once

#include "linkmap/linkmap.h"

struct linkmap_name {
	uint64_t addr;
	uint64_t size;
	uint64_t end; /* End of the map's piece that contains the symbol */
	struct str name;
	uint32_t piece;
};

/* Set `map`, and all other fields to 0, before use. */
struct linkmap_names {
	const struct linkmap *map;
	bool all;                      /* True to also list pieces without a name, such as those
				        * of "** .rodata.str1.1" */
	VEC(struct linkmap_name) list; /* Symbols of the section read last, by address */
	/* Private. `symbol`: index in map->symbols of the first symbol of the next piece. */
	size_t symbol;
	struct intern functions; /* Functions named by sections of code */
	struct arena arena;      /* Memory for names of pieces. */
};

/* Fills n->list with the symbols of a section of the map. */
void linkmap_names_read(struct linkmap_names *n, uint32_t section);
void linkmap_names_release(struct linkmap_names *n);
