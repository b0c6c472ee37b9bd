/* dwarf_slot.h - opens the DWARF of an image at the first request, for all sources of the input.
 *
 * Keeps the DWARF of one image, because the members of an archive are read one by one. One
 * thread. */
#pragma once

#include "program/debuginfo.h"
#include "program/session.h"

struct dwarf_place {
	bool open;
	struct debuginfo info;
};

struct dwarf_slot {
	struct dwarf_place own, debug;   /* DWARF of the image, and of its separate debug file */
	const struct program_wish *wish; /* Borrowed. */
};

/* Returns the DWARF of the image or of its separate debug file `debug`, which may be NULL. If both
 * have DWARF, returns the image's own. If the image names the debug file, as for a PDB, returns
 * that file's. NULL if there is none. Valid until another image is requested. */
struct debuginfo *dwarf_slot_open(struct dwarf_slot *s, const struct image *im,
				  const struct image *debug, struct notes *notes);
void dwarf_slot_release(struct dwarf_slot *s);

static inline bool dwarf_slot_found(const struct dwarf_slot *s)
{
	return s->own.open || s->debug.open;
}
