/* Parses maps of lld. Columns are "Address Size Align" (until version 7) or "VMA LMA Size
 * Align", in hex except for the alignment. Lines of linker scripts are among the sections and
 * pieces. */
#include "linkmap/linkmap_columns.h"

struct lld {
	struct map_maker *m;
	bool lma;   /* The map has a column LMA. */
	bool thumb; /* The piece has a "$t" mark: bit 0 of symbol addresses is not part of the
		     * address. */
};

bool columns_take_text(struct str rest, struct columns_line *ret)
{
	if (!map_take(&rest, STR(" ")))
		return false;
	const size_t before = rest.len;
	map_skip_blanks(&rest);
	const size_t level = (before - rest.len) / 8;
	ret->level = (enum columns_level)min_u64(level, COLUMNS_SYMBOL);
	ret->text = map_trim_end(rest);
	return true;
}

bool columns_place(struct str text, struct columns_place *ret)
{
	const size_t at = map_find_last(text, STR(":("));
	if (at == text.len || !str_ends(text, STR(")")))
		return false;
	ret->object = (struct str){ text.p, at };
	ret->section = map_cut(text, at + 2);
	ret->section.len--;
	return true;
}

static bool linkmap_lld_read_columns(const struct lld *l, struct columns_line *ret)
{
	struct str s = l->m->line;
	map_skip_blanks(&s);
	if (!map_take_hex(&s, &ret->addr))
		return false;
	map_skip_blanks(&s);
	ret->load_addr = ret->addr;
	if (l->lma && !map_take_hex(&s, &ret->load_addr))
		return false;
	map_skip_blanks(&s);
	if (!map_take_hex(&s, &ret->size))
		return false;
	map_skip_blanks(&s);
	return map_take_decimal(&s, &ret->align) && columns_take_text(s, ret);
}

static void linkmap_lld_read_piece(struct lld *l, const struct columns_line *c)
{
	struct map_maker *m = l->m;
	struct columns_place place;
	struct linkmap_piece *p = NULL;
	l->thumb = false;
	if (!columns_place(c->text, &place)) {
		/* ". = ALIGN ( 64 )" makes padding; "LONG ( 1 )" makes data. */
		const bool assigned = map_script_text(m, c->text, c->addr);
		if (c->size > 0)
			p = map_add_piece(m, assigned ? LINKMAP_FILL : LINKMAP_INTERNAL, c->text,
					  c->addr, c->size, STR(""));
	} else if (str_eq(place.object, STR("<internal>"))) {
		const bool merged = str_starts(place.section, STR(".rodata")) ||
				    str_starts(place.section, STR(".lrodata")) ||
				    map_kind(place.section) == LINKMAP_MERGED;
		p = map_add_piece(m, merged ? LINKMAP_MERGED : LINKMAP_INTERNAL, place.section,
				  c->addr, c->size, STR(""));
	} else {
		/* Removes the offset from a piece of .eh_frame. lld lists each entry:
		 * ".eh_frame+0x2c". */
		struct str section = place.section;
		if (str_starts(section, STR(".eh_frame")))
			section.len = map_find_last(section, STR("+0x"));
		p = map_add_piece(m, map_kind(section), section, c->addr, c->size, place.object);
	}
	if (p)
		p->align_log2 = map_log2(c->align);
}

static void linkmap_lld_read_section(struct lld *l, const struct columns_line *c)
{
	struct map_maker *m = l->m;
	m->section = LINKMAP_NONE;
	m->piece = LINKMAP_NONE;
	if (map_script_text(m, c->text, c->addr))
		return;
	struct linkmap_section *s = map_add_section(m, c->text, c->addr, c->size);
	s->align_log2 = map_log2(c->align);
	s->load_addr = c->load_addr;
}

static void linkmap_lld_read_symbol(struct lld *l, const struct columns_line *c)
{
	/* True for "$x", "$d.12": marks of Arm and RISC-V that tell what kind of bytes follows. */
	const struct str s = c->text;
	if (s.len < 2 || s.p[0] != '$' || (s.len > 2 && s.p[2] != '.'))
		map_add_symbol(l->m, c->text, l->thumb ? c->addr & ~UINT64_C(1) : c->addr, c->size);
	else if (c->text.p[1] == 't')
		l->thumb = true;
}

void linkmap_lld_parse(struct map_maker *m)
{
	struct lld l = { .m = m };
	struct columns_line c;
	l.lma = map_next_line(m) && map_find(m->line, STR("LMA")) < m->line.len;
	while (map_next_line(m)) {
		if (m->line.len == 0)
			continue;
		if (!linkmap_lld_read_columns(&l, &c))
			map_odd_line(m, "not a line of columns");
		else if (c.text.len == 0)
			continue; /* Skips a PROVIDE() that no object uses. */
		else if (c.level == COLUMNS_SECTION)
			linkmap_lld_read_section(&l, &c);
		else if (c.level == COLUMNS_PIECE)
			linkmap_lld_read_piece(&l, &c);
		else
			linkmap_lld_read_symbol(&l, &c);
	}
}
