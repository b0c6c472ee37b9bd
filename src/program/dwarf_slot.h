/* dwarf_slot.h - the DWARF that the sources of one input share, opened when first asked for.
 *
 * One image's at a time: an archive's members come one after the other.  One thread. */
#ifndef HEFT_PROGRAM_DWARF_SLOT_H
#define HEFT_PROGRAM_DWARF_SLOT_H

#include "program/debuginfo.h"
#include "program/wish.h"

struct dwarf_place {
	bool open;
	struct debuginfo info;
};

struct dwarf_slot {
	struct dwarf_place own, debug;   /* of the image itself; of its separate debug file */
	const struct program_wish *wish; /* borrowed */
};

/* The DWARF of the image, or of its separate debug file (which may be NULL); NULL if neither has
 * any.  Where both have, that of a debug file counts which the image names itself: a PDB.  Stays
 * until the next image is asked for. */
struct debuginfo *dwarf_slot_open(struct dwarf_slot *s, const struct image *im,
				  const struct image *debug, struct notes *notes);
/* Whether any was found so far. */
bool dwarf_slot_found(const struct dwarf_slot *s);
void dwarf_slot_release(struct dwarf_slot *s);

#endif
