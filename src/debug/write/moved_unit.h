/* moved_unit.h - writes units of objects as DWARF of the program that these were linked into: code
 * and variables stand where the linker put them, what it left out is left out.
 *
 * Written are the unit with its ranges, its functions with what was inlined into them, variables
 * that have an address, with the size of their type, and the line program; types themselves,
 * parameters and blocks are not.  DWARF 4 with a line program of version 5. */
#ifndef HEFT_DEBUG_WRITE_MOVED_UNIT_H
#define HEFT_DEBUG_WRITE_MOVED_UNIT_H

#include "debug/units.h"
#include "debug/write/dwarf_write.h"

/* Bytes of an object that the linker moved as one. */
struct moved_piece {
	uint64_t from, size, to; /* from: as the DWARF of the object has it */
};

struct moved_dwarf {
	struct dwarf_form form;
	struct text info, abbrev, line, ranges;
	/* Of the object at work, borrowed: by `from`, without overlap. */
	const struct moved_piece *pieces;
	size_t piece_count;
	uint64_t budget; /* of rows and ranges that are still to be looked at, for this object */
};

void moved_dwarf_init(struct moved_dwarf *m, const struct dwarf_form *form);
void moved_dwarf_release(struct moved_dwarf *m);
/* Appends a unit of `units`, opened with a cache of the caller's; nothing where all of its code and
 * data were left out. */
void moved_unit_write(struct moved_dwarf *m, struct units *units, const struct unit *u);

#endif
