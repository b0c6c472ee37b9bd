#include "api/debug_files.h"

void debug_files_release(struct debug_files *d)
{
	vec_release(&d->named);
	vec_release(&d->dirs);
}

bool debug_files_open(const struct debug_files *d, struct companion *c, const struct image *im,
		      bool dwarf, struct notes *notes, struct heft_err *err)
{
	const struct companion_wish wish = { d->dirs.data, d->dirs.count, dwarf };
	for (size_t i = 0; i < d->named.count; i++)
		if (!companion_open(c, im, d->named.data[i], notes, err))
			return false;
	if (!c->open && !d->no_search)
		companion_find(c, im, &wish, notes);
	return true;
}
