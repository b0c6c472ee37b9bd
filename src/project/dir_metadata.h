/* dir_metadata.h - finds the owner of a source file as Chromium does: by DIR_METADATA files in the
 * sources' folders ("DIR_METADATA Files" of its documentation).
 *
 * A folder's component is the first line `component: "X"` of its file. Without one, it is the
 * component of a file named by `mixins: "//path"`, or else the parent folder's. Reads each file
 * once, on request. One thread at a time. */
#pragma once

#include "base/arena.h"
#include "base/intern.h"

struct dir_metadata {
	struct str root; /* Root directory, without a slash at its end */
	struct intern folders;
	VEC(const char *) components; /* Components, per folder. "" if it has none */
	struct arena arena;
};

/* True if dir_metadata_open() accepts a path: a folder, or a file named DIR_METADATA. */
bool dir_metadata_matches(const char *path);
/* Opens a source tree by its root: a folder, or the folder of a file DIR_METADATA. */
void dir_metadata_open(struct dir_metadata *d, const char *path);
void dir_metadata_close(struct dir_metadata *d);
/* Returns the owner of a source file, or "". `path` is absolute or relative to the root. */
const char *dir_metadata_find(struct dir_metadata *d, struct str path);
