/* Parses maps of GNU ld and gold line by line: the tables at the beginning, then the memory map. A
 * line of the memory map has a name, an address and a size. A long name has a line of its own.
 *
 * GNU ld: a symbol line has 16 blanks, the address, 16 blanks and the name, usually demangled.
 * Lines of the linker script look the same. The size of a piece before merging or relaxing is on
 * the next line: "0x20 (size before relaxing)".
 * gold: names of pieces that gold makes begin with "** ". File headers come before the first
 * section. */
#include "linkmap/linkmap_internal.h"

enum part {
	PART_OTHER, /* Part that is skipped */
	PART_COMMON,
	PART_DISCARDED,
	PART_MEMORY,
	PART_MAP,
};

struct ld_entry {
	struct str name; /* Name without blanks around it. */
	bool indented;   /* True if the line begins with a blank */
	unsigned count;  /* 0: no number on the line, 1: only addr, 2: addr and size */
	uint64_t addr, size;
	struct str rest; /* Text after the numbers. */
};

/* Differences between maps of GNU ld and gold: the heading of the memory map, and how to read its
 * lines. `script` is called for a symbol line, and returns true if it handled the line. */
struct ld_dialect {
	const char *map_heading;
	void (*piece)(struct map_maker *m, const struct ld_entry *e);
	bool (*script)(struct map_maker *m, const struct ld_entry *e);
};

struct ld_parser {
	struct map_maker *m;
	const struct ld_dialect *dialect;
	enum part part;
	struct str waiting; /* A name whose numbers are on the next line, or empty */
	bool waiting_indented;
};

/* Returns the position of the first number: "0x" at the start or after a blank. Searches for 'x',
 * because names contain 'x' less often than '0'. */
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

static struct ld_entry ld_entry_read(struct str line)
{
	const size_t at = find_number(line);
	struct ld_entry e = { .indented = line.len > 0 && line.p[0] == ' ' };
	e.name = map_trim_end((struct str){ line.p, at });
	map_skip_blanks(&e.name);
	e.rest = map_cut(line, at);
	e.count += map_take_0x(&e.rest, &e.addr);
	e.count += map_take_0x(&e.rest, &e.size);
	map_skip_blanks(&e.rest);
	e.rest = map_trim_end(e.rest);
	return e;
}

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

/* Reads an entry of the table of common symbols, "name 0xSIZE file", or of the discarded sections,
 * "name 0xADDR 0xSIZE file". After a long name, the numbers are on the next line. */
static void ld_read_listed(struct ld_parser *p, const struct ld_entry *e)
{
	struct map_maker *m = p->m;
	const bool common = p->part == PART_COMMON;
	const struct str name = e->name.len > 0 ? e->name : p->waiting;
	p->waiting = e->count == 0 ? e->name : STR("");
	if (e->count == 0)
		return;
	if (name.len == 0 || e->count != (common ? 1 : 2))
		map_odd_line(m, common ? "not an entry of the table of common symbols"
				       : "not an entry of the discarded sections");
	else if (common)
		vec_push(&m->lm->commons, (struct linkmap_common){ map_text(m, name), e->addr,
								   map_object(m, e->rest) });
	else
		map_add_discarded(m, name, e->size, e->rest);
}

/* Parses "NAME 0xORIGIN 0xLENGTH ATTRIBUTES". "*default*" means all outside of regions. */
static void linkmap_ld_read_region(struct ld_parser *p, const struct ld_entry *e)
{
	if (e->count != 2 || e->name.len == 0 || str_eq(e->name, STR("*default*")))
		return;
	/* True if the attributes, such as "xrw !w", include `c`. Letters after '!' are excluded. */
	const char *end = memchr(e->rest.p, '!', e->rest.len);
	const size_t len = end ? (size_t)(end - e->rest.p) : e->rest.len;
	vec_push(&p->m->lm->regions,
		 (struct linkmap_region){ map_text(p->m, e->name), e->addr, e->size,
					  memchr(e->rest.p, 'w', len) != NULL });
}

/* Parses a section line. "load address 0x..." follows if the bytes are stored elsewhere. */
static void linkmap_ld_read_section(struct ld_parser *p, const struct ld_entry *e)
{
	struct linkmap_section *s = map_add_section(p->m, e->name, e->addr, e->size);
	struct str rest = e->rest;
	if (map_take(&rest, STR("load address ")))
		(void)map_take_0x(&rest, &s->load_addr);
}

/* Handles two numbers without a name. They belong to the name on the previous line, or to data of
 * the script ("LONG 0x1"). */
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
	struct ld_entry e = ld_entry_read(p->m->line);
	switch (part) {
	case PART_COMMON:
	case PART_DISCARDED: ld_read_listed(p, &e); break;
	case PART_MEMORY: linkmap_ld_read_region(p, &e); break;
	default: read_map_line(p, &e); break;
	}
}

static void ld_parse(struct map_maker *m, const struct ld_dialect *d)
{
	struct ld_parser p = { .m = m, .dialect = d, .waiting = STR("") };
	while (map_next_line(m)) {
		if (m->line.len > 0)
			linkmap_ld_read_line(&p);
		else
			p.waiting = STR("");
	}
}

/* Adds a piece. The object "linker stubs" is made by the linker itself. */
static void gnu_piece(struct map_maker *m, const struct ld_entry *e)
{
	static const char *const data[] = { "BYTE ", "SHORT ", "LONG ", "QUAD ", "SQUAD " };
	struct str object = e->rest;
	enum linkmap_kind kind = map_kind(e->name);
	bool own = object.len == 0 || str_eq(object, STR("linker stubs"));
	for (size_t i = 0; i < COUNT_OF(data); i++)
		own |= str_starts(e->name, str_of(data[i]));
	if (str_eq(e->name, STR("*fill*"))) {
		kind = LINKMAP_FILL; /* The text after the size is no object, but the bytes used as
				      * padding. */
		object = STR("");
	} else if (own) {
		kind = LINKMAP_INTERNAL;
	}
	map_add_piece(m, kind, e->name, e->addr, e->size, object);
}

/* Handles a line with a symbol, or with a piece's size before relaxing. True if it is either. That
 * size may be smaller than the final one, because the merged contents may need alignment. */
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
	ld_parse(m, &gnu);
	for (size_t i = 0; i < m->lm->sections.count;
	     i++) /* Only PE programs have .idata, a section of imports. */
		m->lm->rounded |= str_eq(linkmap_text(m->lm, m->lm->sections.data[i].name),
					 STR(".idata"));
}

/* Stands for the address of an object's merged section, which gold does not print. */
#define NO_PLACE UINT64_MAX

static void gold_piece(struct map_maker *m, const struct ld_entry *e)
{
	struct str what = e->name;
	if (map_take(&what, STR("** "))) {
		if (m->section == LINKMAP_NONE || m->lm->sections.data[m->section].header)
			map_add_section(m, what, e->addr, e->size)->header = true;
		const enum linkmap_kind kind = str_ends(what, STR("fill"))
						       ? LINKMAP_FILL /* Also for "zero fill" */
					       : str_eq(what, STR("common"))     ? LINKMAP_COMMON
					       : str_starts(what, STR("merge ")) ? LINKMAP_MERGED
										 : LINKMAP_INTERNAL;
		map_add_piece(m, kind, what, e->addr, e->size, e->rest);
	} else if (e->addr == NO_PLACE && m->section != LINKMAP_NONE) {
		/* Without an address, the entry is at the end of its section's last piece. */
		const struct linkmap *lm = m->lm;
		const struct linkmap_piece *last = lm->pieces.count
							   ? &lm->pieces.data[lm->pieces.count - 1]
							   : NULL;
		const uint64_t addr = last && last->section == m->section
					      ? add_sat(last->addr, last->size)
					      : lm->sections.data[m->section].addr;
		struct linkmap_piece *p = map_add_piece(m, LINKMAP_MERGED, e->name, addr, 0,
							e->rest);
		if (p)
			p->input_size = e->size;
	} else {
		map_add_piece(m, map_kind(e->name), e->name, e->addr, e->size, e->rest);
	}
}

/* Handles a symbol line. False if it has none. gold lists only symbols, even with a script. */
static bool gold_script(struct map_maker *m, const struct ld_entry *e)
{
	return map_script_text(m, e->rest, e->addr);
}

void linkmap_gold_parse(struct map_maker *m)
{
	static const struct ld_dialect gold = { "Memory map", gold_piece, gold_script };
	ld_parse(m, &gold);
}
