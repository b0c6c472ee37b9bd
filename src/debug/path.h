/* path.h - makes paths of source files comparable.
 *
 * An absolute name stays as it is. A relative name is prefixed by its directory, and a relative
 * directory by the compilation directory. Then the path is simplified: "//" and "/./" become "/",
 * "dir/.." disappears, a leading "./" is removed. A leading ".." stays, but is removed after a
 * root, which has no parent. Only a root ends in a separator. Paths that begin with a Windows drive
 * ("C:\", "C:/") or with "\\" are absolute too. Their backslashes are separators and stay. Names in
 * angle brackets ("<built-in>", "<artificial>") are not files and stay unchanged. */
#pragma once

#include "base/text.h"

bool path_is_absolute(struct str path);
/* Sets *out to the joined path. Parts must not be in *out. O(bytes). The result has at most two
 * bytes more than the parts. */
void path_join(struct text *out, struct str comp_dir, struct str dir, struct str name);
