/* paths.h - rewrites paths of source files for reports: replaces prefixes, and cuts paths to
 * directories.
 *
 * Labels in any brackets ("[section .text]", "<artificial>", "(units without a name)") are not
 * paths and stay unchanged. After the rules are added, any number of threads may apply them. */
#pragma once

#include "base/err.h"
#include "base/text.h"
#include "base/vec.h"

#include <stdatomic.h>

struct path_rule {
	char *from, *to;  /* Owned. No separator at the end */
	bool strip;       /* True to remove also the separator after `from`. `to` is empty */
	atomic_bool used; /* True if the rule changed a path */
};

/* The rules for paths. All zero: no rules */
struct paths {
	VEC(struct path_rule) maps, strips;
};

/* Adds a rule that replaces the directory `old` at the start of a path. Only the first rule that
 * fits a path applies. HEFT_EARG if `old` is empty. */
bool paths_add_map(struct paths *p, struct str old, struct str new_text, struct heft_err *err);
/* Adds a prefix to remove after the rules of paths_add_map() were applied. At most one prefix is
 * removed from a path. HEFT_EARG if it is empty. */
bool paths_add_strip(struct paths *p, struct str prefix, struct heft_err *err);
void paths_copy(struct paths *p, const struct paths *from);
void paths_release(struct paths *p);
static inline bool paths_empty(const struct paths *p)
{
	return !p || (p->maps.count == 0 && p->strips.count == 0);
}

/* Sets *out to the rewritten path. False, with *out unchanged, if no rule changes the path. `path`
 * must not be in *out. */
bool paths_apply(const struct paths *p, struct str path, struct text *out);

/* True if a rule has changed a path so far. */
bool paths_used(const struct paths *p);
/* Adds a note about `file`: how many rules changed no path so far. */
void paths_note_unused(const struct paths *p, const char *file, struct notes *notes);

/* Level 0 returns the directory of `path` ("." if there is none). Level n > 0 returns the n-th
 * component of the directory, or the last one. The first component includes the root ("/usr"). */
struct str path_directory(struct str path, unsigned level);
