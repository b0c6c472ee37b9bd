/* companion.h - what stands beside an image for what it lacks: a separate debug file, or symbols
 * that the image itself holds in another form: packed in .gnu_debugdata, in the tables of Go's
 * runtime, or in those of a Linux kernel. */
#ifndef HEFT_PROGRAM_COMPANION_H
#define HEFT_PROGRAM_COMPANION_H

#include "program/go_table.h"
#include "program/wish.h"

struct companion {
	bool open, inside; /* inside: no file of its own */
	struct input input;
	void *owned; /* bytes of the image that are in no file, or NULL */
};

/* Looks for one where a linked image lacks a symbol table, or the DWARF, if `dwarf` is wanted; what
 * cannot be used is a note.  False where there is none.  Files are not looked for where that is the
 * wish.  `go` finds the table of Go's runtime and stays as long as the companion; NULL: that
 * is left out. */
bool companion_find(struct companion *c, const struct image *im, const struct program_wish *wish,
		    bool dwarf, struct go_slot *go, struct notes *notes);
/* Whether it was made without DWARF, which another one may have. */
bool companion_lacks_lines(const struct companion *c);
void companion_close(struct companion *c);

/* Its image, NULL where there is none. */
static inline const struct image *companion_image(const struct companion *c)
{
	return c->open ? &c->input.images[0] : NULL;
}

/* The path of the file; "" where there is none or the image holds it itself. */
static inline const char *companion_path(const struct companion *c)
{
	return c->open && !c->inside ? c->input.file.path : "";
}

#endif
