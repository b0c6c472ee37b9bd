/* Opens the DWARF of an image and its debug file when first asked for. */
#include "program/dwarf_slot.h"

static void program_dwarf_slot_release(struct dwarf_place *p)
{
	if (p->open)
		debuginfo_close(&p->info);
	p->open = false;
}

struct debuginfo *dwarf_slot_open(struct dwarf_slot *s, const struct image *im,
				  const struct image *debug, struct notes *notes)
{
	const bool prefer = debug && im->debug_name.len > 0 && debuginfo_present(debug);
	const struct image *holder = debuginfo_present(im) && !prefer ? im : debug;
	struct dwarf_place *p = holder == im ? &s->own : &s->debug;
	if (!holder || !debuginfo_present(holder))
		return NULL;
	if (p->open && p->info.image == holder)
		return &p->info;
	ASSERT(s->wish && holder);
	program_dwarf_slot_release(p);
	const struct debug_search how = wish_search(s->wish);
	debuginfo_open(&p->info, holder, &how, notes);
	p->open = true;
	return &p->info;
}

bool dwarf_slot_found(const struct dwarf_slot *s)
{
	return s->own.open || s->debug.open;
}

void dwarf_slot_release(struct dwarf_slot *s)
{
	program_dwarf_slot_release(&s->own);
	program_dwarf_slot_release(&s->debug);
}
