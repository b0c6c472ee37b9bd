#include "image/linkmap/linkmap_ld.h"

/* GNU ld.  Symbol lines hold 16 blanks, the address, 16 blanks and the name, demangled as a rule;
 * lines of the linker script look the same.  What a piece had before merging or relaxing is on a
 * line behind it: "0x20 (size before relaxing)". */

static bool linkmap_gnu_is_data(struct str text)
{
	static const char *const words[] = { "BYTE ", "SHORT ", "LONG ", "QUAD ", "SQUAD " };
	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (str_starts(text, str_of(words[i])))
			return true;
	return false;
}

/* Objects named "linker stubs" are made by the linker itself. */
static void gnu_piece(struct map_maker *m, const struct ld_entry *e)
{
	struct str object = e->rest;
	enum linkmap_kind kind = map_kind(e->name);
	if (str_eq(e->name, STR("*fill*"))) {
		kind = LINKMAP_FILL; /* what follows the size are the bytes it is filled with */
		object = STR("");
	} else if (object.len == 0 || str_eq(object, STR("linker stubs")) ||
		   linkmap_gnu_is_data(e->name)) {
		kind = LINKMAP_INTERNAL;
	}
	map_add_piece(m, kind, e->name, e->addr, e->size, object);
}

/* The sizes of these may grow too: alignment of the merged contents counts. */
static bool gnu_script(struct map_maker *m, const struct ld_entry *e)
{
	if (!str_eq(e->rest, STR("(size before relaxing)")))
		return map_script_text(m, e->rest, e->addr);
	if (m->piece != LINKMAP_NONE)
		m->lm->pieces.data[m->piece].input_size = e->addr;
	return true;
}

void linkmap_gnu_parse(struct map_maker *m)
{
	static const struct ld_dialect gnu = { "Linker script and memory map", gnu_piece,
					       gnu_script };
	linkmap_ld_parse(m, &gnu);
}
