/* paths.h - paths of source files as reports show them: prefixes replaced, directories of them.
 *
 * Labels in brackets of any kind ("[section .text]", "<artificial>", "(units without a name)")
 * are no paths and stay as they are.  Once made, any number of threads may use it: all that changes
 * then is which rules were of use. */
#ifndef HEFT_MAP_PATHS_H
#define HEFT_MAP_PATHS_H

#include "base/err.h"
#include "base/text.h"
#include "base/vec.h"

#include <stdatomic.h>

struct path_rule {
	char *from, *to;  /* owned; without a separator at the end */
	bool strip;       /* `to` is nothing, and the separator goes too */
	atomic_bool used; /* a path began with `from` */
};

/* Zeroed = empty. */
struct paths {
	VEC(struct path_rule) maps, strips;
};

/* A path that is OLD or lies below it gets NEW in its place; of all maps the first that fits.
 * HEFT_EARG where OLD is empty. */
bool paths_add_map(struct paths *p, struct str old, struct str new_text, struct heft_err *err);
/* After the maps: the first of these prefixes that a path lies below is cut off.  HEFT_EARG where
 * it is empty. */
bool paths_add_strip(struct paths *p, struct str prefix, struct heft_err *err);
/* Adds the rules of `from`. */
void paths_copy(struct paths *p, const struct paths *from);
void paths_release(struct paths *p);
static inline bool paths_empty(const struct paths *p)
{
	return !p || (p->maps.count == 0 && p->strips.count == 0);
}

/* Replaces *out by the path as it is shown; false where that is the path itself (*out is then
 * as it was).  `path` must not lie in *out. */
bool paths_apply(const struct paths *p, struct str path, struct text *out);

/* Whether a rule changed a path so far. */
bool paths_used(const struct paths *p);
/* A note of `file`: how many rules no path needed so far. */
void paths_note_unused(const struct paths *p, const char *file, struct notes *notes);

/* A part of `path`: its directory ("." where it names none), or if level > 0 the level-th component
 * of that; the first one brings the root along ("/usr").  Directories with fewer show their
 * last. */
struct str path_directory(struct str path, unsigned level);

#endif
