/* companion.h - what stands beside an image for what it lacks: a separate debug file, or the packed
 * symbols in .gnu_debugdata. */
#ifndef HEFT_PROGRAM_COMPANION_H
#define HEFT_PROGRAM_COMPANION_H

#include "image/debugfile.h"

struct companion {
	bool open;
	struct input input;
	void *owned; /* unpacked .gnu_debugdata, or NULL */
};

/* Where to look, and for what. */
struct companion_wish {
	const char *const *dirs; /* as debugfile.h has them */
	size_t dir_count;
	bool dwarf; /* debug info is wanted, not symbols alone */
};

/* Opens the file given by hand.  HEFT_EARG where it is the second, or of another build. */
bool companion_open(struct companion *c, const struct image *im, const char *path,
		    struct notes *notes, struct heft_err *err);
/* Looks for one where a linked image lacks a symbol table, or the DWARF that is wanted; what cannot
 * be used is a note.  False where there is none. */
bool companion_find(struct companion *c, const struct image *im, const struct companion_wish *wish,
		    struct notes *notes);
void companion_close(struct companion *c);

/* Its image, NULL where there is none. */
static inline const struct image *companion_image(const struct companion *c)
{
	return c->open ? &c->input.images[0] : NULL;
}

/* The path of the file; "" where there is none or the image holds it itself. */
static inline const char *companion_path(const struct companion *c)
{
	return c->open && !c->owned ? c->input.file.path : "";
}

#endif
