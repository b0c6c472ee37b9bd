/* path_aliases.h - finds which objects have the same function or string.
 *
 * A linker keeps one copy of an inline function, template instance or vtable, and of equal string
 * literals. Its map names at most one object for each copy. This module reads all objects that the
 * map names and that exist. It tries their paths as stated, then relative to the map's folder.
 * Functions are weak and unique symbols. Strings are those of mergeable sections, unless the map
 * lists the section as discarded. Read once. Then any number of threads may look up. */
#pragma once

#include "image/image.h"
#include "linkmap/linkmap.h"

/* An object that has a function or string, and a link to the next object that has the same one */
struct path_alias {
	uint32_t object; /* Index in map->objects */
	uint32_t next;   /* Index in path_aliases.list. UINT32_MAX at the end */
};

struct path_alias_keys {
	struct intern keys;
	VEC(uint32_t)
	first, counts; /* Per key: index of the first object in path_aliases.list,
				      * and number of objects */
};

struct path_aliases {
	struct path_alias_keys functions; /* Keys: linkage names */
	struct path_alias_keys strings;   /* Keys: all bytes of a string, with its final zero */
	struct path_alias_keys shared;    /* Keys: names in `sharing` */
	struct intern sharing;            /* Names of functions that share their code */
	VEC(struct path_alias) list;
	const struct linkmap *map; /* Borrowed */
};

enum path_aliases_what {
	PATH_ALIASES_FUNCTIONS = 1,
	PATH_ALIASES_STRINGS = 2,
	PATH_ALIASES_SHARED = 4,
};

/* Lists the functions of a program that share their code with functions of other names. A linker
 * that folds equal code maps all of them to the object of the code that it kept. False if there are
 * none, or if the linker of the map does not fold. Call before path_aliases_read(). */
bool path_aliases_list_shared(struct path_aliases *p, const struct linkmap *map,
			      const struct image *im);

/* Reads the objects. `what` has bits of enum path_aliases_what. Skips unreadable objects. Adds a
 * note if functions are wanted but no object can be read. */
void path_aliases_read(struct path_aliases *p, const struct linkmap *map, unsigned what,
		       struct notes *notes);
void path_aliases_release(struct path_aliases *p);
/* Returns the number of objects that have a function or string, and the first of them in *ret. */
uint32_t path_aliases_find(const struct path_aliases *p, struct str name, uint32_t *ret);
/* Like path_aliases_find(), for a function that shares its code with another one. */
uint32_t path_aliases_find_shared(const struct path_aliases *p, struct str name, uint32_t *ret);
uint32_t path_aliases_find_string(const struct path_aliases *p, struct bytes text, uint32_t *ret);
