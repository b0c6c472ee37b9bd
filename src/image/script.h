/* script.h - what a linker script says of the memory of a machine.
 *
 * Read are MEMORY, REGION_ALIAS, assignments outside SECTIONS and INCLUDE, with the expressions
 * that they need: ORIGIN, LENGTH, DEFINED, MAX, MIN, LOG2CEIL, arithmetic as in C; of SECTIONS the
 * types of output sections.  The rest is passed over.  What is not understood is a note with its
 * line; a region whose expressions need a symbol that nobody defines is left out.
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

/* An output section that has no bytes in the file, whatever stands in it. */
struct script_section {
	const char *name;
	bool gone; /* COPY, DSECT, INFO, OVERLAY: neither in memory; false: NOLOAD */
};

struct script_sections {
	VEC(struct script_section) list;
	struct arena arena;
};

/* Adds the regions of a script; also to `sections`, unless that is NULL.  `files` may be NULL.
 * Aliases are other names of a region: they are no regions of their own. */
void script_regions(struct memory_regions *r, struct script_sections *sections, const char *path,
		    struct str text, const struct script_files *files, struct notes *notes);
/* NULL where the script says nothing of it. */
const struct script_section *script_section_find(const struct script_sections *s, struct str name);
void script_sections_release(struct script_sections *s);

#endif
