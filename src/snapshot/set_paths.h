/* set_paths.h - sets the paths of a snapshot as users know them: replaces prefixes, makes paths of
 * archive members, and names components. The build system tells sources, if it lists them. */
#pragma once

#include "map/paths.h"
#include "project/build_paths.h"
#include "project/components.h"
#include "snapshot/snapshot.h"

/* Sets all paths. Call once, before or after snapshot_finish(). Pointers may be NULL. */
void snapshot_set_paths(struct snapshot *s, const struct build_paths *build,
			const struct paths *paths, struct components *components);

/* Replaces the components of a finished snapshot's symbols by those of their sources. */
void snapshot_name_components(struct snapshot *s, struct components *components);
