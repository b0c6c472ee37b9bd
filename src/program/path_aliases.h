/* path_aliases.h - which objects define the same function: a linker keeps one of the copies that
 * inline functions, template instances and vtables have in each object that uses them, and its map
 * names that object alone.
 *
 * Read from the symbol tables of the objects that a map names, as far as they are on disk: paths
 * are tried as the map has them, then from the map's folder.  Read once; several threads may look
 * up. */
#ifndef HEFT_PROGRAM_PATH_ALIASES_H
#define HEFT_PROGRAM_PATH_ALIASES_H

#include "image/linkmap/linkmap.h"

/* An object that defines a name, and the next one that does. */
struct path_alias {
	uint32_t object; /* in map->objects */
	uint32_t next;   /* in list; UINT32_MAX: none */
};

struct path_aliases {
	struct intern names;
	VEC(uint32_t) first, counts; /* by name */
	VEC(struct path_alias) list;
	const struct linkmap *map; /* borrowed */
};

/* Objects that cannot be read are left out; a note tells if none can. */
void path_aliases_read(struct path_aliases *p, const struct linkmap *map, struct notes *notes);
void path_aliases_release(struct path_aliases *p);
/* How many objects define a name (as the linker has it), and the first in *ret. */
uint32_t path_aliases_find(const struct path_aliases *p, struct str name, uint32_t *ret);

#endif
