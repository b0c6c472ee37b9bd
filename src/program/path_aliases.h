/* path_aliases.h - which objects have the same function or the same string: a linker keeps one of
 * the copies of inline functions, template instances and vtables, and one of equal string literals,
 * and its map names one object for each, or none.
 *
 * Read from the objects that a map names, as far as they are on disk: paths are tried as the map
 * has them, then from the map's folder.  Functions are weak and unique symbols; strings are those
 * of mergeable sections that the map does not say were left out.  Read once; several threads may
 * look up. */
#ifndef HEFT_PROGRAM_PATH_ALIASES_H
#define HEFT_PROGRAM_PATH_ALIASES_H

#include "image/linkmap/linkmap.h"

/* An object that has something, and the next one that does. */
struct path_alias {
	uint32_t object; /* in map->objects */
	uint32_t next;   /* in list; UINT32_MAX: none */
};

struct path_alias_keys {
	struct intern keys;
	VEC(uint32_t) first, counts; /* by key */
};

struct path_aliases {
	struct path_alias_keys functions; /* names as the linker has them */
	struct path_alias_keys strings;   /* all their bytes, with the zero at the end */
	VEC(struct path_alias) list;
	const struct linkmap *map; /* borrowed */
};

enum path_aliases_what { PATH_ALIASES_FUNCTIONS = 1, PATH_ALIASES_STRINGS = 2 };

/* `what` is bits of enum path_aliases_what.  Objects that cannot be read are left out; where
 * functions are wanted, a note tells if none can. */
void path_aliases_read(struct path_aliases *p, const struct linkmap *map, unsigned what,
		       struct notes *notes);
void path_aliases_release(struct path_aliases *p);
/* How many objects define a name, or have a string, and the first in *ret. */
uint32_t path_aliases_find(const struct path_aliases *p, struct str name, uint32_t *ret);
uint32_t path_aliases_find_string(const struct path_aliases *p, struct bytes text, uint32_t *ret);

#endif
