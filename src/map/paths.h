/* paths.h - rewrites paths of source files for reports: replaces prefixes, and cuts paths to
 * directories.
 *
 * Labels in brackets of any kind ("[section .text]", "<artificial>", "(units without a name)") are
 * no paths and do not change. Once made, any number of threads may use it. Then only the marks of
 * used rules change. */
#ifndef HEFT_MAP_PATHS_H
#define HEFT_MAP_PATHS_H

#include "base/err.h"
#include "base/text.h"
#include "base/vec.h"

#include <stdatomic.h>

struct path_rule {
	char *from, *to;  /* Owned. Without a separator at the end. */
	bool strip;       /* `to` is empty, and the separator is removed too */
	atomic_bool used; /* A path began with `from`. */
};

/* A zeroed struct is empty. */
struct paths {
	VEC(struct path_rule) maps, strips;
};

/* Adds a rule: in a path that is `old` or below it, `new_text` replaces `old`. The first rule that
 * fits is used. HEFT_EARG if `old` is empty. */
bool paths_add_map(struct paths *p, struct str old, struct str new_text, struct heft_err *err);
/* Adds a prefix. After the maps, a path's first prefix is cut off. HEFT_EARG if it is empty. */
bool paths_add_strip(struct paths *p, struct str prefix, struct heft_err *err);
void paths_copy(struct paths *p, const struct paths *from);
void paths_release(struct paths *p);
static inline bool paths_empty(const struct paths *p)
{
	return !p || (p->maps.count == 0 && p->strips.count == 0);
}

/* Replaces *out by the path as shown. False, with *out unchanged, if the path is shown as it is.
 * `path` must not be in *out. */
bool paths_apply(const struct paths *p, struct str path, struct text *out);

/* True if a rule has changed a path so far. */
bool paths_used(const struct paths *p);
/* Notes, for `file`, how many rules no path has needed so far. */
void paths_note_unused(const struct paths *p, const char *file, struct notes *notes);

/* Returns a part of `path`. Level 0 is its directory ("." if it has none). Level n > 0 is the n-th
 * component of the directory, or the last one. The first component includes the root ("/usr"). */
struct str path_directory(struct str path, unsigned level);

#endif
