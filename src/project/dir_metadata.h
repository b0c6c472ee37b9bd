/* dir_metadata.h - who owns which sources, as Chromium's tree says: files DIR_METADATA in the
 * folders of sources ("DIR_METADATA Files" of its documentation).
 *
 * The component of a folder is the first line `component: "X"` of its file, else what one of the
 * files has that lines `mixins: "//path"` name, else that of the folder above.  Files are read when
 * they are asked for, each once.  One thread at a time. */
#ifndef HEFT_PROGRAM_DIR_METADATA_H
#define HEFT_PROGRAM_DIR_METADATA_H

#include "base/arena.h"
#include "base/intern.h"

struct dir_metadata {
	struct str root; /* without a slash at its end */
	struct intern folders;
	VEC(const char *) components; /* by folder; "": none */
	struct arena arena;
};

/* Whether a path is what dir_metadata_open takes: a folder, or a file of that name. */
bool dir_metadata_matches(const char *path);
/* The root of a tree of sources: a folder, or the one of a file DIR_METADATA. */
void dir_metadata_open(struct dir_metadata *d, const char *path);
void dir_metadata_close(struct dir_metadata *d);
/* "" where nobody owns the source; `path` is absolute or from the root. */
const char *dir_metadata_find(struct dir_metadata *d, struct str path);

#endif
