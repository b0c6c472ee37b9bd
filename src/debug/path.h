/* path.h - paths of source files made comparable.
 *
 * The rule: the name as it is where it is absolute; else the directory in front of it; where that
 * is not absolute either, the compilation directory in front of both.  Then, by the text
 * alone: "//" and "/./" become "/", "dir/.." vanishes, a leading "./" goes.  ".." at the front
 * stays, but goes behind a root, above which there is nothing; only a root ends in a
 * separator.  Windows' drive letters ("C:\", "C:/") and "\\" at the front are absolute too; their
 * backslashes separate and are kept.  Names in angle brackets ("<built-in>", "<artificial>")
 * are no files and stay as they are. */
#ifndef HEFT_DEBUG_PATH_H
#define HEFT_DEBUG_PATH_H

#include "base/text.h"

bool path_is_absolute(struct str path);
/* Replaces *out, in which no part may lie.  O(bytes); never longer than the parts and a separator
 * behind each of the first two. */
void path_join(struct text *out, struct str comp_dir, struct str dir, struct str name);

#endif
