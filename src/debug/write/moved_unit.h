/* moved_unit.h - writes units of objects as DWARF of the program linked from them. Code and data
 * get their final addresses. Omits parts that the linker removed.
 *
 * Writes a unit's address ranges, functions with the functions inlined into them, and line program.
 * Also writes variables with an address and the size of their type. Omits other types, parameters
 * and blocks. DWARF 4 with a line program of version 5. */
#pragma once

#include "debug/units.h"
#include "debug/write/dwarf_write.h"

/* Bytes of an object that have one new address */
struct moved_piece {
	uint64_t from, size, to; /* `from`: address in the object's DWARF. `to`: address in the
				  * program */
};

struct moved_dwarf {
	struct dwarf_made made;
	/* Pieces of the current object, by `from`, without overlap. Borrowed. */
	const struct moved_piece *pieces;
	size_t piece_count;
	uint64_t budget; /* Number of rows and ranges that may still be read for this object */
};

/* Appends the unit `u`, which the caller took from `units` and opened (unit_open()). Appends
 * nothing if the linker dropped all code and data of the unit. */
void moved_unit_write(struct moved_dwarf *m, struct units *units, const struct unit *u);
