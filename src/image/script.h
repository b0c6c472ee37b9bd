/* script.h - what a linker script says of the memory of a machine.
 *
 * Read are MEMORY, REGION_ALIAS, assignments outside SECTIONS and INCLUDE, with the expressions
 * that they need: ORIGIN, LENGTH, DEFINED, MAX, MIN, LOG2CEIL, arithmetic as in C.  The rest is
 * passed over.  What is not understood is a note with its line; a region whose expressions need a
 * symbol that nobody defines is left out.
 *
 * Cost: O(text), twice, as symbols may be defined behind their use; files that are included at most
 * INCLUDES_MAX.  Format: the ld manual, "Linker Scripts". */
#ifndef HEFT_IMAGE_SCRIPT_H
#define HEFT_IMAGE_SCRIPT_H

#include "image/region.h"

/* Opens a file that a script includes; its bytes stay until script_regions returns.  False: there
 * is no such file. */
struct script_files {
	bool (*open)(void *ctx, struct str name, struct str *ret);
	void *ctx;
};

/* Adds the regions of a script.  `files` may be NULL.  Aliases are other names of a region: they
 * are no regions of their own. */
void script_regions(struct memory_regions *r, const char *path, struct str text,
		    const struct script_files *files, struct notes *notes);

#endif
