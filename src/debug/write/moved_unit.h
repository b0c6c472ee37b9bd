/* moved_unit.h - writes units of objects as DWARF of the program linked from them. Code and data
 * get their final addresses. Omits parts that the linker removed.
 *
 * A unit has its ranges, its functions with the functions inlined into them, variables with an
 * address and the size of their type, and the line program. Omits types, parameters and blocks.
 * DWARF 4 with a line program of version 5. */
#ifndef HEFT_DEBUG_WRITE_MOVED_UNIT_H
#define HEFT_DEBUG_WRITE_MOVED_UNIT_H

#include "debug/units.h"
#include "debug/write/dwarf_write.h"

/* Bytes of an object that the linker moved together. */
struct moved_piece {
	uint64_t from, size, to; /* `from`: address in the DWARF of the object */
};

struct moved_dwarf {
	struct dwarf_made made;
	/* Pieces of the current object, borrowed, by `from`, without overlap. */
	const struct moved_piece *pieces;
	size_t piece_count;
	uint64_t budget; /* Number of rows and ranges that may still be read for this object */
};

/* Appends a unit of `units`, opened with a cache of the caller. Appends nothing if the linker
 * dropped all of its code and data. */
void moved_unit_write(struct moved_dwarf *m, struct units *units, const struct unit *u);

#endif
