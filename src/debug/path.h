/* path.h - makes paths of source files comparable.
 *
 * An absolute name stays as it is. A relative name is prefixed by its directory, and a relative
 * directory by the compilation directory. Then the path is simplified: "//" and "/./" become "/",
 * "dir/.." disappears, a leading "./" is removed. A leading ".." stays. Directly after a root it is
 * removed, because a root has no parent. Only a root ends in a separator. Paths that begin with a
 * Windows drive ("C:\", "C:/") or with "\\" are absolute too. Their backslashes are separators and
 * stay. Names in angle brackets ("<built-in>", "<artificial>") are not files and stay unchanged. */
#ifndef HEFT_DEBUG_PATH_H
#define HEFT_DEBUG_PATH_H

#include "base/text.h"

bool path_is_absolute(struct str path);
/* Replaces *out by the joined path. No part may be in *out. O(bytes). The result is at most as long
 * as the parts and two separators. */
void path_join(struct text *out, struct str comp_dir, struct str dir, struct str name);

#endif
