/* Parses maps of GNU ld. A symbol line has 16 blanks, the address, 16 blanks and the name,
 * usually demangled. Lines of the linker script look the same. The size of a piece before
 * merging or relaxing is on the next line: "0x20 (size before relaxing)". */
#include "linkmap/linkmap_ld.h"

static bool linkmap_gnu_is_data(struct str text)
{
	static const char *const words[] = { "BYTE ", "SHORT ", "LONG ", "QUAD ", "SQUAD " };
	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (str_starts(text, str_of(words[i])))
			return true;
	return false;
}

/* Adds a piece. The linker itself makes objects named "linker stubs". */
static void gnu_piece(struct map_maker *m, const struct ld_entry *e)
{
	struct str object = e->rest;
	enum linkmap_kind kind = map_kind(e->name);
	if (str_eq(e->name, STR("*fill*"))) {
		kind = LINKMAP_FILL; /* Text after the size: the bytes used as padding. */
		object = STR("");
	} else if (object.len == 0 || str_eq(object, STR("linker stubs")) ||
		   linkmap_gnu_is_data(e->name)) {
		kind = LINKMAP_INTERNAL;
	}
	map_add_piece(m, kind, e->name, e->addr, e->size, object);
}

/* Handles a symbol line. A size before relaxing may be less than the size: the merged contents may
 * need alignment. */
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
