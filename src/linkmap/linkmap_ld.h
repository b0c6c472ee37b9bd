/* linkmap_ld.h - parses what maps of GNU ld and gold have in common: tables at the beginning, then
 * lines with a name, an address and a size. A long name has a line of its own. */
#ifndef HEFT_LINKMAP_LINKMAP_LD_H
#define HEFT_LINKMAP_LINKMAP_LD_H

#include "linkmap/linkmap_internal.h"

struct ld_entry {
	struct str name; /* Name without blanks around it. */
	bool indented;   /* The line begins with a blank. */
	unsigned count;  /* Numbers on the line: 0, addr only (1), addr and size (2). */
	uint64_t addr, size;
	struct str rest; /* Text after the numbers. */
};

/* Reads the whole file. The memory map begins after the heading `map_heading`. Calls `piece` for
 * each piece of the memory map. Calls `script` for each symbol line; `script` returns true if it
 * handled the line. */
struct ld_dialect {
	const char *map_heading;
	void (*piece)(struct map_maker *m, const struct ld_entry *e);
	bool (*script)(struct map_maker *m, const struct ld_entry *e);
};

void linkmap_ld_parse(struct map_maker *m, const struct ld_dialect *d);

#endif
