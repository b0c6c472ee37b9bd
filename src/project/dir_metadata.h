/* dir_metadata.h - finds the owner of a source in Chromium's way: files DIR_METADATA in the folders
 * of sources ("DIR_METADATA Files" of its documentation).
 *
 * The component of a folder is the first line `component: "X"` of its file, otherwise that of a
 * file named by a line `mixins: "//path"`, otherwise that of the parent folder. Files are read when
 * needed, each once. One thread at a time. */
#ifndef HEFT_PROGRAM_DIR_METADATA_H
#define HEFT_PROGRAM_DIR_METADATA_H

#include "base/arena.h"
#include "base/intern.h"

struct dir_metadata {
	struct str root; /* Without a slash at its end. */
	struct intern folders;
	VEC(const char *) components; /* Per folder. "" if there is none. */
	struct arena arena;
};

/* True if dir_metadata_open() accepts a path: a folder, or a file named DIR_METADATA. */
bool dir_metadata_matches(const char *path);
/* Opens a source tree by its root: a folder, or the folder of a file DIR_METADATA. */
void dir_metadata_open(struct dir_metadata *d, const char *path);
void dir_metadata_close(struct dir_metadata *d);
/* Returns the owner of a source, or "". `path` is absolute or relative to the root. */
const char *dir_metadata_find(struct dir_metadata *d, struct str path);

#endif
