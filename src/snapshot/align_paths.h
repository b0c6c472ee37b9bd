/* align_paths.h - the same sources in two places: the snapshots of one project, built in two
 * directories, have paths that differ in what stands in front.
 *
 * A source of one side is paired with that of the other whose path has the longest end in common,
 * at least the name of the file.  Where most pairs agree on what stands in front of it on each
 * side, and these are two different directories, both are taken off. */
#ifndef HEFT_SNAPSHOT_ALIGN_PATHS_H
#define HEFT_SNAPSHOT_ALIGN_PATHS_H

#include "base/text.h"
#include "snapshot/snapshot.h"

/* The directories, without a slash at the end; false where there is none to take off. */
bool align_find(const struct snapshot *before, const struct snapshot *after,
		struct text ret_roots[2]);
/* Takes a directory off sources and objects below it. */
void align_apply(struct snapshot *s, struct str root);

#endif
