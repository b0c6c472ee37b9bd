/* debug_map.h - the debug info of a Mach-O program that stayed in the objects it was linked from:
 * the debug map in its symbol table names these and says where each symbol went.
 *
 * The objects' DWARF becomes one (debug/write/moved_unit.h), which stands beside the program as a
 * dSYM would.  An object is looked for where the linker saw it, by the path maps of the wish, below
 * its sysroot, below its debug directories, at the whole path and by the name alone, and beside the
 * program.  One that was written at another time than the linker saw is not used. */
#ifndef HEFT_PROGRAM_DEBUG_MAP_H
#define HEFT_PROGRAM_DEBUG_MAP_H

#include "program/wish.h"

/* False where the image has no debug map, or none of its objects has DWARF; objects that are
 * missing or of no use are notes.  *ret keeps all that was made. */
bool debug_map_open(const struct image *im, const struct program_wish *wish, struct input *ret,
		    struct notes *notes);

#endif
