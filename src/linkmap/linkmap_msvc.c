/* Parses maps of MSVC link and lld-link. A table of groups (".text$mn") by section number and
 * offset comes first. Public and static symbols follow: "0001:00000010 name 0000000140001010 f
 * lib:object". All groups with one number form an output section. Its name is the first group's up
 * to the "$". Its address follows from its first symbol. Each symbol is a piece that ends at the
 * next one. */
#include "linkmap/linkmap_internal.h"

#include "base/sort.h"

enum part { PART_OTHER, PART_GROUPS, PART_SYMBOLS };

struct linkmap_msvc_group {
	uint64_t place; /* Section number << 32 | offset in the section. */
	uint64_t size;
	struct str name;
	uint64_t section; /* Index in `sections`. */
};

struct msvc {
	struct map_maker *m;
	enum part part;
	VEC(struct linkmap_msvc_group) groups;
	VEC(bool) placed; /* Per section: true if its address is known */
};

/* Takes "0001:00000010" from *s: number of a section, offset in it. False if it is not there. */
static bool take_place(struct str *s, uint64_t *ret)
{
	uint64_t number, off;
	const size_t colon = str_find(*s, STR(":"));
	struct str digits = { s->p, colon };
	if (colon == s->len || !map_take_hex(&digits, &number) || digits.len > 0)
		return false;
	*s = map_cut(*s, colon + 1);
	if (!map_take_hex(s, &off) || number > UINT16_MAX || off > UINT32_MAX)
		return false;
	*ret = number << 32 | off;
	return true;
}

static struct str linkmap_msvc_take_word(struct str *s)
{
	map_skip_blanks(s);
	size_t n = 0;
	while (n < s->len && s->p[n] != ' ')
		n++;
	const struct str word = { s->p, n };
	*s = map_cut(*s, n);
	return word;
}

/* Adds a group. Groups with the same number are consecutive. A section's address is 0 until a
 * symbol gives it. */
static void linkmap_msvc_add_group(struct msvc *v, struct linkmap_msvc_group g)
{
	struct map_maker *m = v->m;
	const size_t dollar = str_find(g.name, STR("$"));
	const struct str name = { g.name.p, dollar };
	const uint64_t end = (g.place & UINT32_MAX) + g.size;
	const struct linkmap_msvc_group *last = v->groups.count
							? &v->groups.data[v->groups.count - 1]
							: NULL;
	if (!last || last->place >> 32 != g.place >> 32) {
		map_add_section(m, name, 0, 0);
		vec_push(&v->placed, false);
	}
	struct linkmap_section *s = &m->lm->sections.data[m->section];
	s->size = max_u64(s->size, end);
	g.section = m->section;
	vec_push(&v->groups, g);
}

/* Adds the group in a line "0001:00000000 0000a1b0H .text$mn CODE". False for other lines. */
static bool read_group(struct msvc *v, struct str s)
{
	struct linkmap_msvc_group g = { 0 };
	if (!take_place(&s, &g.place))
		return false;
	struct str size = linkmap_msvc_take_word(&s);
	if (!str_ends(size, STR("H")))
		return false;
	size.len--;
	if (!map_take_hex(&size, &g.size) || g.size > UINT32_MAX)
		return false;
	g.name = linkmap_msvc_take_word(&s);
	if (g.name.len == 0)
		return false;
	linkmap_msvc_add_group(v, g);
	return true;
}

/* Sets a section's address at its first symbol. False if the symbol's address is not the section's
 * address plus the offset. */
static bool linkmap_msvc_place_section(struct msvc *v, const struct linkmap_msvc_group *g,
				       uint64_t off, uint64_t addr)
{
	struct linkmap_section *s = &v->m->lm->sections.data[g->section];
	if (!v->placed.data[g->section] && addr >= off && s->size <= UINT64_MAX - (addr - off)) {
		v->placed.data[g->section] = true;
		s->addr = addr - off;
	}
	return v->placed.data[g->section] && s->addr + off == addr;
}

static void linkmap_msvc_add_symbol(struct msvc *v, uint64_t place, struct str name, uint64_t addr,
				    struct str object)
{
	struct map_maker *m = v->m;
	const size_t at = vec_upper(&v->groups, place);
	const struct linkmap_msvc_group *g = at > 0 ? &v->groups.data[at - 1] : NULL;
	if (!g || g->place >> 32 != place >> 32 || place - g->place > g->size) {
		map_add_loose(m, name, addr);
		return;
	}
	if (!linkmap_msvc_place_section(v, g, place & UINT32_MAX, addr)) {
		map_odd_line(m, "the address does not fit the offset");
		return;
	}
	const bool own = object.len == 0 || object.p[0] == '<' || str_eq(object, STR("* Linker *"));
	const enum linkmap_kind kind = str_eq(object, STR("<common>")) ? LINKMAP_COMMON
				       : own                           ? LINKMAP_INTERNAL
								       : LINKMAP_OBJECT;
	/* The piece ends at the next group, or at its own group's end if the next one overlaps
	 * it. */
	const uint64_t end = g->place + g->size;
	const bool next = at < v->groups.count && g[1].place >> 32 == place >> 32 &&
			  g[1].place >= end;
	m->section = (uint32_t)g->section;
	map_add_piece(m, kind, g->name, addr, (next ? g[1].place : end) - place,
		      kind == LINKMAP_OBJECT ? object : STR(""))
		->input_size = 0;
	map_add_symbol(m, name, addr, 0);
}

/* Parses a symbol line. False for other lines. Values in section 0 are absolute: no group. */
static bool linkmap_msvc_read_symbol(struct msvc *v, struct str s)
{
	uint64_t place, addr;
	if (!take_place(&s, &place))
		return false;
	const struct str name = linkmap_msvc_take_word(&s);
	if (name.len == 0 || !map_take_hex(&s, &addr))
		return false;
	/* Takes the object from " f i lib:object", after the one-letter flags. */
	map_skip_blanks(&s);
	while (s.len > 1 && (s.p[0] == 'f' || s.p[0] == 'i') && s.p[1] == ' ') {
		s = map_cut(s, 1);
		map_skip_blanks(&s);
	}
	linkmap_msvc_add_symbol(v, place, name, addr, map_trim_end(s));
	return true;
}

/* Handles headings and other lines that are not rows. True if the line was handled. */
static bool linkmap_msvc_read_heading(struct msvc *v)
{
	static const struct {
		const char *words;
		enum part part;
	} headings[] = {
		{ "Start ", PART_GROUPS },          { "Address ", PART_SYMBOLS },
		{ "Static symbols", PART_SYMBOLS }, { "entry point at", PART_SYMBOLS },
		{ "Line numbers", PART_OTHER },     { "FIXUPS", PART_OTHER },
		{ "Exports", PART_OTHER },
	};
	struct str s = v->m->line;
	map_skip_blanks(&s);
	for (size_t i = 0; i < COUNT_OF(headings); i++) {
		if (!str_starts(s, str_of(headings[i].words)))
			continue;
		v->part = headings[i].part;
		if (v->part == PART_SYMBOLS)
			vec_sort(&v->groups);
		return true;
	}
	return s.len == 0;
}

void linkmap_msvc_parse(struct map_maker *m)
{
	struct msvc v = { .m = m };
	while (map_next_line(m)) {
		if (linkmap_msvc_read_heading(&v) || v.part == PART_OTHER)
			continue;
		if (v.part == PART_GROUPS ? !read_group(&v, m->line)
					  : !linkmap_msvc_read_symbol(&v, m->line))
			map_odd_line(m, "not a row of this table");
	}
	vec_release_all(&v.groups, &v.placed);
}
