/* Parses maps of mold: addresses in hex ("0" for zero), sizes in decimal. Sections that the
 * linker makes have no pieces in the map. They get one piece here, so that all bytes of sections
 * have a piece. */
#include "linkmap/linkmap_columns.h"

static bool linkmap_mold_read_columns(struct str s, struct columns_line *ret)
{
	map_skip_blanks(&s);
	ret->addr = 0;
	if (!map_take_0x(&s, &ret->addr) && (!map_take_decimal(&s, &ret->addr) || ret->addr != 0))
		return false;
	map_skip_blanks(&s);
	if (!map_take_decimal(&s, &ret->size))
		return false;
	map_skip_blanks(&s);
	return map_take_decimal(&s, &ret->align) && columns_take_text(s, ret);
}

/* Adds a piece for the current section, if it has none. */
static void fill_section(struct map_maker *m)
{
	if (m->section == LINKMAP_NONE)
		return;
	const struct linkmap *lm = m->lm;
	const struct linkmap_section *s = &lm->sections.data[m->section];
	const bool empty = lm->pieces.count == 0 ||
			   lm->pieces.data[lm->pieces.count - 1].section != m->section;
	if (!empty || s->size == 0)
		return;
	const struct str name = linkmap_text(lm, s->name);
	const bool merged = str_ends(name, STR(".str")) || str_ends(name, STR(".cst")) ||
			    map_kind(name) == LINKMAP_MERGED;
	const uint8_t align = s->align_log2;
	map_add_piece(m, merged ? LINKMAP_MERGED : LINKMAP_INTERNAL, name, s->addr, s->size,
		      STR(""))
		->align_log2 = align;
}

static void linkmap_mold_read_section(struct map_maker *m, const struct columns_line *c)
{
	fill_section(m);
	struct linkmap_section *s = map_add_section(m, c->text, c->addr, c->size);
	s->align_log2 = map_log2(c->align);
	s->header = str_eq(c->text, STR("EHDR")) || str_eq(c->text, STR("PHDR")) ||
		    str_eq(c->text, STR("SHDR"));
}

static void linkmap_mold_read_piece(struct map_maker *m, const struct columns_line *c)
{
	struct columns_place place;
	if (!columns_place(c->text, &place)) {
		map_odd_line(m, "not a piece of an object");
		return;
	}
	struct linkmap_piece *p = map_add_piece(m, map_kind(place.section), place.section, c->addr,
						c->size, place.object);
	if (p)
		p->align_log2 = map_log2(c->align);
}

void linkmap_mold_parse(struct map_maker *m)
{
	struct columns_line c;
	map_next_line(m);
	while (map_next_line(m)) {
		if (m->line.len == 0)
			continue;
		if (!linkmap_mold_read_columns(m->line, &c) || c.text.len == 0)
			map_odd_line(m, "not a line of columns");
		else if (c.level == COLUMNS_SECTION)
			linkmap_mold_read_section(m, &c);
		else if (c.level == COLUMNS_PIECE)
			linkmap_mold_read_piece(m, &c);
		else
			map_add_symbol(m, c.text, c.addr, c.size);
	}
	fill_section(m);
}
