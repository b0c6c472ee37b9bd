/* companion.h - finds what an image lacks: a separate debug file, or symbols that the image holds
 * in another form.
 *
 * Other forms are the packed symbols in .gnu_debugdata, the tables of Go's runtime, and the tables
 * of a Linux kernel. */
#ifndef HEFT_PROGRAM_COMPANION_H
#define HEFT_PROGRAM_COMPANION_H

#include "program/go_table.h"
#include "program/wish.h"

struct companion {
	bool open, inside; /* `inside`: the companion is no file of its own. */
	struct input input;
	void *owned; /* Bytes of the image that are in no file, or NULL. */
};

/* Looks for a companion if a linked image lacks a symbol table, or if `dwarf` is set and it lacks
 * DWARF. Unusable files become notes. False if there is none. The options may forbid looking for
 * files. `go` finds the table of Go's runtime and must live as long as the companion; NULL skips
 * Go's tables. */
bool companion_find(struct companion *c, const struct image *im, const struct program_wish *wish,
		    bool dwarf, struct go_slot *go, struct notes *notes);
/* True if the companion was made without DWARF, which another companion may have. */
bool companion_lacks_lines(const struct companion *c);
void companion_close(struct companion *c);

/* Returns the companion's image. NULL if there is none. */
static inline const struct image *companion_image(const struct companion *c)
{
	return c->open ? &c->input.images[0] : NULL;
}

/* Returns the path of the file. "" if there is no companion or the image holds it itself. */
static inline const char *companion_path(const struct companion *c)
{
	return c->open && !c->inside ? c->input.file.path : "";
}

#endif
