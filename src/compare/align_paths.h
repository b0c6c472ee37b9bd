/* align_paths.h - removes the build directories from the paths of two snapshots.
 *
 * If a project was built in two directories, its snapshots have paths that differ only at the
 * beginning. A source path is paired with the path of the other side that shares the longest end,
 * at least the name of the file. If most pairs of different paths agree on the two beginnings, both
 * beginnings are removed. Equal paths are ignored: they belong to libraries that were built
 * elsewhere. But equal paths beside such a directory count against the pair: then the project is in
 * one place, and a folder in the project was renamed. */
#ifndef HEFT_COMPARE_ALIGN_PATHS_H
#define HEFT_COMPARE_ALIGN_PATHS_H

#include "base/text.h"
#include "snapshot/snapshot.h"

/* Paths of one side, each once. */
typedef VEC(struct str) align_paths;
/* Finds the two build directories, without a slash at the end. False if there are none to remove.
 * Only the first absolute paths of either list count. */
bool align_find_paths(const align_paths *before, const align_paths *after,
		      struct text ret_roots[2]);
/* Does the same as align_find_paths() for the sources of two snapshots. */
bool align_find(const struct snapshot *before, const struct snapshot *after,
		struct text ret_roots[2]);
/* Removes the build directories from the paths of both snapshots, if align_find() finds a pair. */
void align_snapshots(struct snapshot *before, struct snapshot *after);
/* Gives the package of `before` that is named like its root the name of the other root, unless
 * `after` has a package with the first name. */
void align_packages(struct snapshot *before, const struct snapshot *after,
		    const struct text roots[2]);
/* Removes the directory `root` from the paths of the sources and objects below it. */
void align_apply(struct snapshot *s, struct str root);

#endif
