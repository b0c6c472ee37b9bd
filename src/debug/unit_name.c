/* Finds the name of a compile unit. */
#include "debug/unit_name.h"

#include "debug/dwarf_const.h"
#include "debug/line.h"
#include "debug/path.h"

/* Adds the path of file 0 of the line program, which is the unit's source since version 5. Earlier
 * versions do not tell the source: file 1 may be a header. */
static bool primary_file(const struct unit *u, struct text *out)
{
	struct line_program p;
	if (u->line_off == DW_NO_OFFSET || !line_open(&p, u->dwarf, u->line_off, u->address_size,
						      u->comp_dir, u->str_offsets_base))
		return false;
	const bool ok = p.version >= 5 && line_path(&p, 0, out) && out->len > 0;
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
	if ((u->tag == DW_TAG_compile_unit || u->tag == DW_TAG_skeleton_unit) &&
	    primary_file(u, out))
		return true;
	if (u->dwo_name.len > 0)
		path_join(out, dir, STR(""), u->dwo_name);
	return u->dwo_name.len > 0;
}
