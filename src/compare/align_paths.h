/* align_paths.h - removes the build directories from the paths of two snapshots.
 *
 * If a project was built in two directories, its snapshots have paths that differ only at the
 * beginning. A source path is paired with the other snapshot's path that has the longest common
 * end, at least the file name. If most pairs of different paths begin with the same two directories
 * (roots), both are removed. Equal paths do not count, because they belong to libraries built
 * elsewhere. But if many equal paths are in the parent folder of a root, the project was not moved:
 * a folder in it was renamed. */
#ifndef HEFT_COMPARE_ALIGN_PATHS_H
#define HEFT_COMPARE_ALIGN_PATHS_H

#include "base/text.h"
#include "snapshot/snapshot.h"

/* Source paths, each once */
typedef VEC(struct str) align_paths;
/* Finds the two roots, without a slash at the end. False if there are none. Uses only the first
 * absolute paths of each list. */
bool align_find_paths(const align_paths *before, const align_paths *after,
		      struct text ret_roots[2]);
/* Like align_find_paths(), for the sources of two snapshots. */
bool align_find(const struct snapshot *before, const struct snapshot *after,
		struct text ret_roots[2]);
/* Removes the roots from the paths of both snapshots, if align_find() finds them. */
void align_snapshots(struct snapshot *before, struct snapshot *after);
/* Returns the package of the function `main`. "" if there is none. */
struct str align_main_package(const struct snapshot *s);
/* If the packages of the functions `main` are different absolute directories, renames the package
 * of `before` to that of `after`. */
void align_own_package(struct snapshot *before, const struct snapshot *after);
/* If a package of `before` has the name of the folder roots[0], renames it to that of roots[1].
 * Does nothing if `after` has a package of the first name too. */
void align_packages(struct snapshot *before, const struct snapshot *after,
		    const struct text roots[2]);
/* Removes the directory `root` from the paths of the sources and objects below it. */
void align_apply(struct snapshot *s, struct str root);

#endif
