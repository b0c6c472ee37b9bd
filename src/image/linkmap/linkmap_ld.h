/* linkmap_ld.h - what the maps of GNU ld and gold have in common: tables in front, then lines of a
 * name, an address and a size, where a long name stands on a line of its own. */
#ifndef HEFT_IMAGE_LINKMAP_LINKMAP_LD_H
#define HEFT_IMAGE_LINKMAP_LINKMAP_LD_H

#include "image/linkmap/linkmap_internal.h"

struct ld_entry {
	struct str name; /* blanks around it cut off */
	bool indented;   /* a blank stands in front */
	unsigned count;  /* of numbers: 0, addr alone (1), addr and size (2) */
	uint64_t addr, size;
	struct str rest; /* behind the numbers */
};

/* Reads the whole file.  The memory map begins behind the heading `map_heading`; in there `piece`
 * is called for each piece, `script` for the text of each symbol line, which says whether it has
 * dealt with that. */
struct ld_dialect {
	const char *map_heading;
	void (*piece)(struct map_maker *m, const struct ld_entry *e);
	bool (*script)(struct map_maker *m, const struct ld_entry *e);
};

void linkmap_ld_parse(struct map_maker *m, const struct ld_dialect *d);

#endif
