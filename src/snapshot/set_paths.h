/* set_paths.h - the paths of a snapshot as people know them: sources by the build system's word,
 * prefixes replaced, members of archives as paths, components. */
#ifndef HEFT_SNAPSHOT_SET_PATHS_H
#define HEFT_SNAPSHOT_SET_PATHS_H

#include "map/paths.h"
#include "project/build_paths.h"
#include "project/components.h"
#include "snapshot/snapshot.h"

/* Each may be NULL.  Once a snapshot, before or after snapshot_finish. */
void snapshot_set_paths(struct snapshot *s, const struct build_paths *build,
			const struct paths *paths, struct components *components);

/* Gives all symbols of a snapshot that is finished the components of their sources, and takes away
 * those that they had. */
void snapshot_name_components(struct snapshot *s, struct components *components);

#endif
