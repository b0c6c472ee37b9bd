/* debug_files.h - what the user says of separate debug files, and the one that an image gets.  Private to api/. */
#ifndef HEFT_API_DEBUG_FILES_H
#define HEFT_API_DEBUG_FILES_H

#include "base/vec.h"
#include "program/companion.h"

struct debug_files {
	VEC(const char *) named, dirs; /* borrowed */
	bool no_search;
};

void debug_files_release(struct debug_files *d);

/* Those named, else one that is found; `dwarf`: debug info is wanted, not symbols alone.  False where one that is
 * named cannot be used; that none is found is no failure. */
bool debug_files_open(const struct debug_files *d, struct companion *c, const struct image *im,
		      bool dwarf, struct notes *notes, struct heft_err *err);

#endif
