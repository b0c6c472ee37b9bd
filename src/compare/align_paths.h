/* align_paths.h - removes the build directories from the paths of two snapshots.
 *
 * If a project was built in two directories, its snapshots have paths that differ only at the
 * beginning. A source path is paired with the other snapshot's path that has the longest common
 * end, at least the file name. If most pairs of different paths begin with the same two directories
 * (roots), both are removed. Equal paths do not count, because they belong to libraries built
 * elsewhere. But if many equal paths are beside a root, the project was not moved: a folder in it
 * was renamed. */
#ifndef HEFT_COMPARE_ALIGN_PATHS_H
#define HEFT_COMPARE_ALIGN_PATHS_H

#include "base/text.h"
#include "snapshot/snapshot.h"

/* Each path once */
typedef VEC(struct str) align_paths;
/* Finds the two build directories (roots), without a slash at the end. False if there are none.
 * Uses only the first absolute paths of each list. */
bool align_find_paths(const align_paths *before, const align_paths *after,
		      struct text ret_roots[2]);
/* Like align_find_paths(), for the paths of the source files of two snapshots. */
bool align_find(const struct snapshot *before, const struct snapshot *after,
		struct text ret_roots[2]);
/* Removes the roots from the paths of both snapshots, if align_find() finds them. */
void align_snapshots(struct snapshot *before, struct snapshot *after);
/* Returns the package of the function `main`, "" without one. */
struct str align_main_package(const struct snapshot *s);
/* Returns the absolute directory, without a slash at the end, that has 95 % of the code of the
 * program's own package and of the folders beside it. "" without one. Sources of the system and of
 * package managers do not count. Folders such as "src" are part of a project, so they do not end
 * it. */
struct str align_project_root(const struct snapshot *s);
/* True for the name of a folder that all projects have, such as "src". It names no project. */
bool align_is_plain_folder(struct str folder);
/* If the programs' own packages are absolute directories, and different ones, renames that of
 * `before`. */
void align_own_package(struct snapshot *before, const struct snapshot *after);
/* Renames a package of `before` that is called like its root: to the name of the other root. Does
 * nothing if `after` has a package of the first name. */
void align_packages(struct snapshot *before, const struct snapshot *after,
		    const struct text roots[2]);
/* Removes the directory `root` from the paths of the sources and objects below it. */
void align_apply(struct snapshot *s, struct str root);

#endif
