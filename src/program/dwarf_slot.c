#include "program/dwarf_slot.h"

struct debuginfo *dwarf_slot_open(struct dwarf_slot *s, const struct image *im,
				  const struct image *debug, struct notes *notes)
{
	const bool prefer = debug && im->debug_name.len > 0 && debuginfo_present(debug);
	const struct image *holder = debuginfo_present(im) && !prefer ? im : debug;
	if (!holder || !debuginfo_present(holder))
		return NULL;
	if (s->open && s->info.image == holder)
		return &s->info;
	dwarf_slot_release(s);
	const struct debug_search how = wish_search(s->wish);
	debuginfo_open(&s->info, holder, &how, notes);
	s->open = true;
	return &s->info;
}

void dwarf_slot_release(struct dwarf_slot *s)
{
	if (s->open)
		debuginfo_close(&s->info);
	s->open = false;
}
