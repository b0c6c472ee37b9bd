/* companion.h - finds symbols or DWARF that an image lacks: in a separate debug file, or in another
 * form inside the image.
 *
 * Other forms are the packed symbols in .gnu_debugdata, the tables of Go's runtime, and the tables
 * of a Linux kernel. */
#pragma once

#include "program/go_table.h"
#include "program/session.h"

struct companion {
	bool open, inside; /* `inside`: the symbols are inside the image, not in a separate file */
	struct input input;
	void *owned; /* Bytes made for the companion, or NULL */
};

/* Finds a companion for a linked image that lacks a symbol table or, if `dwarf` is set, DWARF.
 * Unusable files become notes. The options may forbid the search for files. False without a
 * companion. `go` finds Go's tables, and must outlive the companion. NULL skips them. */
bool companion_find(struct companion *c, const struct image *im, const struct program_wish *wish,
		    bool dwarf, struct go_slot *go, struct notes *notes);
/* True if heft made the companion without DWARF, and another file for it may have DWARF. */
bool companion_lacks_lines(const struct companion *c);
void companion_close(struct companion *c);

static inline const struct image *companion_image(const struct companion *c)
{
	return c->open ? &c->input.images[0] : NULL;
}

/* Returns the path of the debug file. "" if there is no companion, or if it is inside the image. */
static inline const char *companion_path(const struct companion *c)
{
	return c->open && !c->inside ? c->input.file.path : "";
}
