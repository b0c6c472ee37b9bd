/* Reads the map files of GNU ld and gold line by line: the tables at the beginning, then the
 * memory map. */
#include "linkmap/linkmap_ld.h"

enum part {
	PART_OTHER, /* Part that is not read. */
	PART_COMMON,
	PART_DISCARDED,
	PART_MEMORY,
	PART_MAP,
};

struct ld_parser {
	struct map_maker *m;
	const struct ld_dialect *dialect;
	enum part part;
	struct str waiting; /* A name whose numbers are on the next line. Empty if there is none. */
	bool waiting_indented;
};

/* Returns the position of the first number: "0x" at the start or after a blank. Searches for 'x',
 * which is rarer in names than '0'. */
static size_t find_number(struct str line)
{
	for (size_t i = 1; i < line.len; i++) {
		const char *x = memchr(line.p + i, 'x', line.len - i);
		if (!x)
			break;
		i = (size_t)(x - line.p);
		struct str rest = map_cut(line, i - 1);
		uint64_t ignored;
		if ((i == 1 || line.p[i - 2] == ' ') && map_take_0x(&rest, &ignored))
			return i - 1;
	}
	return line.len;
}

static struct ld_entry linkmap_ld_read_entry(struct str line)
{
	const size_t at = find_number(line);
	struct ld_entry e = { .indented = line.len > 0 && line.p[0] == ' ' };
	e.name = map_trim_end((struct str){ line.p, at });
	map_skip_blanks(&e.name);
	e.rest = map_cut(line, at);
	if (map_take_0x(&e.rest, &e.addr)) {
		e.count = 1;
		map_skip_blanks(&e.rest);
		if (map_take_0x(&e.rest, &e.size))
			e.count = 2;
		map_skip_blanks(&e.rest);
	}
	e.rest = map_trim_end(e.rest);
	return e;
}

/* ---- parts before the memory map ------------------------------------------------------------- */

static enum part part_of_heading(const struct ld_parser *p, struct str line, bool *ret_heading)
{
	static const char *const others[] = {
		"Archive member included",    "Merging program properties",
		"As-needed library included", "Cross Reference Table",
		"Allocating common symbols",
	};
	*ret_heading = true;
	if (str_starts(line, STR("Common symbol  ")))
		return PART_COMMON;
	if (str_eq(line, STR("Discarded input sections")))
		return PART_DISCARDED;
	if (str_eq(line, STR("Memory Configuration")))
		return PART_MEMORY;
	if (str_eq(line, str_of(p->dialect->map_heading)))
		return PART_MAP;
	for (size_t i = 0; i < COUNT_OF(others); i++)
		if (str_starts(line, str_of(others[i])))
			return PART_OTHER;
	*ret_heading = false;
	return p->part;
}

/* Parses "name 0xSIZE file". After a long name, the numbers are on the next line. */
static void linkmap_ld_read_common(struct ld_parser *p, const struct ld_entry *e)
{
	const struct str name = e->name.len > 0 ? e->name : p->waiting;
	p->waiting = e->count == 0 ? e->name : STR("");
	if (e->count == 0)
		return;
	if (name.len == 0 || e->count != 1)
		map_odd_line(p->m, "not an entry of the table of common symbols");
	else
		vec_push(&p->m->lm->commons, (struct linkmap_common){ map_text(p->m, name), e->addr,
								      map_object(p->m, e->rest) });
}

static void read_discarded(struct ld_parser *p, const struct ld_entry *e)
{
	const struct str name = e->name.len > 0 ? e->name : p->waiting;
	p->waiting = e->count == 0 ? e->name : STR("");
	if (e->count == 2 && name.len > 0)
		map_add_discarded(p->m, name, e->size, e->rest);
	else if (e->count != 0)
		map_odd_line(p->m, "not an entry of the discarded sections");
}

/* Parses "NAME 0xORIGIN 0xLENGTH ATTRIBUTES". "*default*" is everything outside of all regions. */
static void linkmap_ld_read_region(struct ld_parser *p, const struct ld_entry *e)
{
	if (e->count != 2 || e->name.len == 0 || str_eq(e->name, STR("*default*")))
		return;
	/* True if the attributes "xrw !w" include `c`. Letters after '!' are excluded. */
	const char *end = memchr(e->rest.p, '!', e->rest.len);
	const size_t len = end ? (size_t)(end - e->rest.p) : e->rest.len;
	vec_push(&p->m->lm->regions,
		 (struct linkmap_region){ map_text(p->m, e->name), e->addr, e->size,
					  memchr(e->rest.p, 'w', len) != NULL });
}

/* ---- reading the memory map ------------------------------------------------------------------ */

/* Parses a section line. "load address 0x..." follows the size if the bytes are stored
 * elsewhere. */
static void linkmap_ld_read_section(struct ld_parser *p, const struct ld_entry *e)
{
	struct linkmap_section *s = map_add_section(p->m, e->name, e->addr, e->size);
	struct str rest = e->rest;
	if (map_take(&rest, STR("load address ")))
		(void)map_take_0x(&rest, &s->load_addr);
}

/* Handles two numbers without a name. They belong to the name on the line before, or to data of the
 * script ("LONG 0x1"). */
static void linkmap_ld_read_numbers(struct ld_parser *p, struct ld_entry *e)
{
	e->name = p->waiting;
	if (e->name.len == 0) {
		e->name = e->rest;
		e->rest = STR("");
	}
	if (e->name.len == 0)
		map_odd_line(p->m, "numbers without a name");
	else if (p->waiting.len > 0 && !p->waiting_indented)
		linkmap_ld_read_section(p, e);
	else
		p->dialect->piece(p->m, e);
}

/* Reads a line of the memory map. A line without numbers is a pattern of the script (" *(.text)"),
 * a command ("LOAD x.o"), an empty section, or a name whose numbers follow. */
static void read_map_line(struct ld_parser *p, struct ld_entry *e)
{
	struct map_maker *m = p->m;
	if (!e->indented && e->name.len > 0) {
		m->section = LINKMAP_NONE;
		m->piece = LINKMAP_NONE;
	}
	if (e->count == 2 && e->name.len == 0)
		linkmap_ld_read_numbers(p, e);
	else if (e->count == 2 && e->indented)
		p->dialect->piece(m, e);
	else if (e->count == 2)
		linkmap_ld_read_section(p, e);
	else if (e->count == 1 && e->name.len == 0) {
		if (e->rest.len == 0)
			map_odd_line(m, "a number alone");
		else if (!p->dialect->script(m, e))
			map_add_symbol(m, e->rest, e->addr, 0);
	}
	p->waiting = e->count == 0 ? e->name : STR("");
	p->waiting_indented = e->indented;
}

static void linkmap_ld_read_line(struct ld_parser *p)
{
	bool heading = false;
	const enum part part = p->m->line.p[0] == ' ' ? p->part
						      : part_of_heading(p, p->m->line, &heading);
	p->part = part;
	if (heading) {
		p->waiting = STR("");
		return;
	}
	if (part == PART_OTHER)
		return;
	struct ld_entry e = linkmap_ld_read_entry(p->m->line);
	switch (part) {
	case PART_COMMON: linkmap_ld_read_common(p, &e); break;
	case PART_DISCARDED: read_discarded(p, &e); break;
	case PART_MEMORY: linkmap_ld_read_region(p, &e); break;
	default: read_map_line(p, &e); break;
	}
}

void linkmap_ld_parse(struct map_maker *m, const struct ld_dialect *d)
{
	struct ld_parser p = { .m = m, .dialect = d, .waiting = STR("") };
	while (map_next_line(m)) {
		if (m->line.len > 0)
			linkmap_ld_read_line(&p);
		else
			p.waiting = STR("");
	}
}
