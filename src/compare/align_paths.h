/* align_paths.h - the same sources in two places: the snapshots of one project, built in two
 * directories, have paths that differ in what stands in front.
 *
 * A source of one side is paired with that of the other whose path has the longest end in common,
 * at least the name of the file.  Where most pairs of different paths agree on what stands in front
 * of them on each side, both are taken off.  Equal paths are of libraries that were built
 * elsewhere.  Those that lie beside such a directory count against it: the project is in one
 * place, and a folder of it was renamed. */
#ifndef HEFT_COMPARE_ALIGN_PATHS_H
#define HEFT_COMPARE_ALIGN_PATHS_H

#include "base/text.h"
#include "snapshot/snapshot.h"

/* Paths of one side, each once. */
typedef VEC(struct str) align_paths;
/* The directories, without a slash at the end; false where there is none to take off.  The first
 * absolute paths of either list count. */
bool align_find_paths(const align_paths *before, const align_paths *after,
		      struct text ret_roots[2]);
/* The same of the sources of two snapshots. */
bool align_find(const struct snapshot *before, const struct snapshot *after,
		struct text ret_roots[2]);
/* Takes the directories off two snapshots, where there are any. */
void align_snapshots(struct snapshot *before, struct snapshot *after);
/* Takes a directory off sources and objects below it. */
void align_apply(struct snapshot *s, struct str root);

#endif
