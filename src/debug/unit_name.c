#include "debug/unit_name.h"

#include "debug/line.h"
#include "debug/path.h"

/* The file that a line program is about: number 0 since version 5, 1 before. */
static bool primary_file(const struct unit *u, struct text *out)
{
	struct line_program p;
	if (u->line_off == DW_NO_OFFSET || !line_open(&p, u->dwarf, u->line_off, u->address_size,
						      u->comp_dir, u->str_offsets_base))
		return false;
	const bool ok = line_path(&p, p.version >= 5 ? 0 : 1, out) && out->len > 0;
	line_release(&p);
	return ok;
}

bool unit_name(const struct unit *u, struct text *out)
{
	const struct unit *skeleton = u->skeleton ? u->skeleton : u;
	const struct str dir = u->comp_dir.len > 0 ? u->comp_dir : skeleton->comp_dir;
	if (u->name.len > 0) {
		path_join(out, dir, STR(""), u->name);
		return true;
	}
	if (u->dwo_name.len == 0)
		return false;
	if (!primary_file(u, out))
		path_join(out, dir, STR(""), u->dwo_name);
	return true;
}
