/* Parses maps of lld and mold: numbers in columns, then text. The indentation of the text shows
 * whether the line is a section, a piece, or a symbol.
 *
 * lld: columns are "Address Size Align" (until version 7) or "VMA LMA Size Align", in hex except
 * for the alignment. Lines of linker scripts are among the sections and pieces. mold: addresses in
 * hex ("0" for zero), sizes in decimal. Sections that mold makes have no pieces in the map. Such a
 * section gets one piece here, so that all bytes of sections have a piece. */
#include "linkmap/linkmap_internal.h"

enum columns_level { COLUMNS_SECTION, COLUMNS_PIECE, COLUMNS_SYMBOL };

struct columns_line {
	uint64_t addr, size, align;
	uint64_t load_addr; /* Load address (lld only). Equal to addr without such a column */
	enum columns_level level;
	struct str text;
};

/* Parts of "path:(section)". */
struct columns_place {
	struct str object, section;
};

/* Parses the rest of a line: alignment, blank, 8 blanks per level, text. False if damaged. */
static bool columns_take_text(struct str rest, struct columns_line *ret)
{
	if (!map_take_decimal(&rest, &ret->align) || !map_take(&rest, STR(" ")))
		return false;
	const size_t before = rest.len;
	map_skip_blanks(&rest);
	const size_t level = (before - rest.len) / 8;
	ret->level = (enum columns_level)min_u64(level, COLUMNS_SYMBOL);
	ret->text = map_trim_end(rest);
	return true;
}

/* Splits "path:(section)". False if the text has another form. */
static bool columns_place(struct str text, struct columns_place *ret)
{
	const size_t at = map_find_last(text, STR(":("));
	if (at == text.len || !str_ends(text, STR(")")))
		return false;
	ret->object = (struct str){ text.p, at };
	ret->section = map_cut(text, at + 2);
	ret->section.len--;
	return true;
}

struct lld {
	struct map_maker *m;
	bool lma;   /* True if the map has a column LMA */
	bool thumb; /* True after a "$t" mark: bit 0 of symbols' values is no address bit */
};

static bool lld_read_columns(const struct lld *l, struct columns_line *ret)
{
	struct str s = l->m->line;
	if (!map_take_hex(&s, &ret->addr))
		return false;
	ret->load_addr = ret->addr;
	return (!l->lma || map_take_hex(&s, &ret->load_addr)) && map_take_hex(&s, &ret->size) &&
	       columns_take_text(s, ret);
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

void linkmap_lld_parse(struct map_maker *m)
{
	struct lld l = { .m = m };
	struct columns_line c;
	l.lma = map_next_line(m) && str_find(m->line, STR("LMA")) < m->line.len;
	while (map_next_line(m)) {
		if (m->line.len == 0)
			continue;
		if (!lld_read_columns(&l, &c))
			map_odd_line(m, "not a line of columns");
		else if (c.text.len == 0)
			continue; /* Skips a PROVIDE() that no object uses. */
		else if (c.level == COLUMNS_SECTION)
			linkmap_lld_read_section(&l, &c);
		else if (c.level == COLUMNS_PIECE)
			linkmap_lld_read_piece(&l, &c);
		/* Skips mapping symbols: "$x", "$d.12". They tell only the kind of the next
		 * bytes. */
		else if (c.text.len < 2 || c.text.p[0] != '$' ||
			 (c.text.len > 2 && c.text.p[2] != '.'))
			map_add_symbol(m, c.text, l.thumb ? c.addr & ~UINT64_C(1) : c.addr, c.size);
		else if (c.text.p[1] == 't')
			l.thumb = true;
	}
}

static bool mold_read_columns(struct str s, struct columns_line *ret)
{
	const bool placed = map_take_0x(&s, &ret->addr) ||
			    (map_take_decimal(&s, &ret->addr) && ret->addr == 0);
	return placed && map_take_decimal(&s, &ret->size) && columns_take_text(s, ret);
}

/* Adds a piece for the current section if it has none. */
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
		if (!mold_read_columns(m->line, &c) || c.text.len == 0)
			map_odd_line(m, "not a line of columns");
		else if (c.level == COLUMNS_SECTION) {
			fill_section(m);
			struct linkmap_section *s = map_add_section(m, c.text, c.addr, c.size);
			s->align_log2 = map_log2(c.align);
			s->header = str_eq(c.text, STR("EHDR")) || str_eq(c.text, STR("PHDR")) ||
				    str_eq(c.text, STR("SHDR"));
		} else if (c.level == COLUMNS_PIECE)
			linkmap_mold_read_piece(m, &c);
		else
			map_add_symbol(m, c.text, c.addr, c.size);
	}
	fill_section(m);
}
