/* Finds the source file and line of the declaration of an entry. */
#include "debug/decl.h"

/* Greatest number of references from a definition to its declaration. */
enum { ORIGINS_MAX = 4 };

/* Reads those facts of the declaration that are still unknown. Sets *ret_origin to the reference to
 * an entry that may have more facts. False if no entry is at die_off. */
static bool decl_take(const struct unit *u, uint64_t die_off, struct decl *d,
		      struct value *ret_origin)
{
	struct reader r = unit_reader(u, die_off);
	const struct decl before = *d;
	struct die e;
	*ret_origin = (struct value){ 0 };
	if (!die_next(u, &r, &e) || !e.abbrev)
		return false;
	for (unsigned i = 0; i < e.abbrev->count; i++) {
		const struct abbrev_attr *at = die_attr(u, &e, i);
		struct value v;
		die_value(u, &r, at, &v);
		if (at->name == DW_AT_decl_file && !before.has_file) {
			d->has_file = true;
			d->file = value_number(&v);
		} else if (at->name == DW_AT_decl_line && before.line == 0) {
			d->line = value_number(&v);
		} else if (at->name == DW_AT_decl_column && before.line == 0) {
			d->column = value_number(&v);
		} else if (at->name == DW_AT_specification || at->name == DW_AT_abstract_origin) {
			*ret_origin = v;
		}
	}
	return true;
}

bool decl_read(const struct unit *u, uint64_t die_off, struct decl *ret)
{
	ASSERT(die_off >= u->die_off);
	struct value origin;
	*ret = (struct decl){ .has_file = false };
	for (unsigned i = 0; i < ORIGINS_MAX && decl_take(u, die_off, ret, &origin); i++) {
		if ((ret->has_file && ret->line > 0) || origin.kind != VALUE_REF ||
		    origin.u < u->die_off || origin.u >= unit_end(u))
			break;
		die_off = origin.u;
	}
	return ret->has_file || ret->line > 0;
}
