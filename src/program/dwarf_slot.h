/* dwarf_slot.h - opens the DWARF that an input's sources share, at the first request.
 *
 * Holds the DWARF of only one image, because the members of an archive are read one by one. One
 * thread. */
#ifndef HEFT_PROGRAM_DWARF_SLOT_H
#define HEFT_PROGRAM_DWARF_SLOT_H

#include "program/debuginfo.h"
#include "program/session.h"

struct dwarf_place {
	bool open;
	struct debuginfo info;
};

struct dwarf_slot {
	struct dwarf_place own, debug;   /* `own`: of the image itself. `debug`: of its separate
					  * debug file. */
	const struct program_wish *wish; /* Borrowed. */
};

/* Returns the DWARF of the image or of its separate debug file (which may be NULL). NULL if neither
 * has DWARF. If both have DWARF, returns the image's own. If the image names the debug file, as for
 * a PDB, returns that file's. Valid until the next image is requested. */
struct debuginfo *dwarf_slot_open(struct dwarf_slot *s, const struct image *im,
				  const struct image *debug, struct notes *notes);
bool dwarf_slot_found(const struct dwarf_slot *s);
void dwarf_slot_release(struct dwarf_slot *s);

#endif
