/* dwarf_slot.h - the DWARF that the sources of one input share, opened when first asked for.
 *
 * One image's at a time: an archive's members come one after the other.  One thread. */
#ifndef HEFT_PROGRAM_DWARF_SLOT_H
#define HEFT_PROGRAM_DWARF_SLOT_H

#include "program/debuginfo.h"
#include "program/wish.h"

struct dwarf_slot {
	bool open;
	struct debuginfo info;
	const struct program_wish *wish; /* borrowed */
};

/* The DWARF of the image, or of its separate debug file (which may be NULL); NULL if neither has
 * any.  Stays until the next image is asked for. */
struct debuginfo *dwarf_slot_open(struct dwarf_slot *s, const struct image *im,
				  const struct image *debug, struct notes *notes);
void dwarf_slot_release(struct dwarf_slot *s);

#endif
