/* debug_map.h - collects the debug info of a Mach-O program that stayed in its objects. The debug
 * map in the symbol table names the objects and says where each symbol went.
 *
 * The DWARF of all objects becomes one (debug/write/moved_unit.h), a companion like a dSYM. An
 * object is searched for where the linker saw it, after the options' path maps. Further places are
 * the sysroot, the debug directories (by whole path and by name alone), and the folder of the
 * program. An object with another time than the linker saw is not used. */
#ifndef HEFT_PROGRAM_DEBUG_MAP_H
#define HEFT_PROGRAM_DEBUG_MAP_H

#include "program/wish.h"

/* False if the image has no debug map, or if none of its objects has DWARF. Missing or unusable
 * objects become notes. *ret owns everything that was made. */
bool debug_map_open(const struct image *im, const struct program_wish *wish, struct input *ret,
		    struct notes *notes);

#endif
