/* Parses maps of Apple's ld64, and of lld for Mach-O. Both print the same format. Headings of
 * tables begin with "#". A symbol has address, size, object number and name. So each symbol makes a
 * piece, named like its section. */
#include "linkmap/linkmap_internal.h"

#include "base/sort.h"

enum table { TABLE_OTHER, TABLE_OBJECTS, TABLE_SECTIONS, TABLE_SYMBOLS, TABLE_DEAD };

struct linkmap_ld64_start {
	uint64_t addr;
	uint64_t index; /* Index in `sections`. */
};

struct ld64 {
	struct map_maker *m;
	enum table table;
	VEC(uint32_t) objects; /* Object ids, by the map's own numbers */
	VEC(struct linkmap_ld64_start) starts;
};

static void linkmap_ld64_read_heading(struct ld64 *l)
{
	static const struct {
		const char *words;
		enum table table;
	} headings[] = {
		{ "# Object files:", TABLE_OBJECTS },
		{ "# Sections:", TABLE_SECTIONS },
		{ "# Symbols:", TABLE_SYMBOLS },
		{ "# Dead Stripped Symbols:", TABLE_DEAD },
	};
	for (size_t i = 0; i < COUNT_OF(headings); i++)
		if (str_starts(l->m->line, str_of(headings[i].words)))
			l->table = headings[i].table;
	if (l->table == TABLE_SYMBOLS)
		vec_sort(&l->starts);
}

/* Takes the number from the start of "[ 12] rest". False for other text. */
static bool linkmap_ld64_take_number(struct str *s, uint64_t *ret)
{
	if (!map_take(s, STR("[")))
		return false;
	const size_t close = str_find(*s, STR("]"));
	struct str digits = { s->p, close };
	if (close == s->len || !map_take_decimal(&digits, ret) || digits.len > 0)
		return false;
	*s = map_cut(*s, close + 1);
	map_take(s, STR(" "));
	return true;
}

static bool linkmap_ld64_read_section(struct ld64 *l, struct str s)
{
	uint64_t addr, size;
	if (!map_take_0x(&s, &addr) || !map_take_0x(&s, &size))
		return false;
	map_skip_blanks(&s);
	const size_t tab = str_find(s, STR("\t"));
	if (tab == s.len)
		return false;
	const struct str segment = map_trim_end((struct str){ s.p, tab });
	struct linkmap_section *section = map_add_section(l->m, map_cut(s, tab + 1), addr, size);
	section->segment = map_text(l->m, segment);
	vec_push(&l->starts, (struct linkmap_ld64_start){ addr, l->m->section });
	return true;
}

static bool linkmap_ld64_read_symbol(struct ld64 *l, struct str s)
{
	struct map_maker *m = l->m;
	uint64_t addr, size, number;
	if (!map_take_0x(&s, &addr) || !map_take_0x(&s, &size))
		return false;
	map_skip_blanks(&s);
	if (!linkmap_ld64_take_number(&s, &number) || number >= l->objects.count)
		return false;
	const size_t at = vec_upper(&l->starts, addr);
	const uint64_t index = at > 0 ? l->starts.data[at - 1].index : 0;
	const struct linkmap_section *in = at > 0 ? &m->lm->sections.data[index] : NULL;
	if (!in || addr - in->addr > in->size) {
		map_add_loose(m, s, addr);
		return true;
	}
	m->section = (uint32_t)index;
	const struct str section = linkmap_text(m->lm, in->name);
	/* A literal is named by its contents. */
	const bool literal = str_starts(s, STR("literal string: "));
	const uint32_t object = l->objects.data[number];
	map_add_piece(m,
		      object == LINKMAP_NONE ? LINKMAP_INTERNAL
		      : literal              ? LINKMAP_MERGED
					     : LINKMAP_OBJECT,
		      section, addr, size, STR(""))
		->object = object;
	map_add_symbol(m, s, addr, size);
	return true;
}

static bool read_dead(struct ld64 *l, struct str s)
{
	uint64_t size, number;
	if (!map_take(&s, STR("<<dead>>")) || !map_take_0x(&s, &size))
		return false;
	map_skip_blanks(&s);
	if (!linkmap_ld64_take_number(&s, &number) || number >= l->objects.count)
		return false;
	map_add_discarded(l->m, s, size, linkmap_object(l->m->lm, l->objects.data[number]));
	return true;
}

static bool read_row(struct ld64 *l)
{
	const struct str line = l->m->line;
	switch (l->table) {
	case TABLE_OBJECTS: { /* Number 0 is the linker itself */
		struct str s = line;
		uint64_t number;
		if (!linkmap_ld64_take_number(&s, &number) || number != l->objects.count)
			return false;
		const bool own = number == 0 && str_eq(s, STR("linker synthesized"));
		vec_push(&l->objects, own ? LINKMAP_NONE : map_object(l->m, s));
		return true;
	}
	case TABLE_SECTIONS: return linkmap_ld64_read_section(l, line);
	case TABLE_SYMBOLS: return linkmap_ld64_read_symbol(l, line);
	case TABLE_DEAD: return read_dead(l, line);
	default: return true;
	}
}

void linkmap_ld64_parse(struct map_maker *m)
{
	struct ld64 l = { .m = m };
	while (map_next_line(m)) {
		if (str_starts(m->line, STR("#")))
			linkmap_ld64_read_heading(&l);
		else if (m->line.len > 0 && !read_row(&l))
			map_odd_line(m, "not a row of this table");
	}
	vec_release_all(&l.objects, &l.starts);
}
