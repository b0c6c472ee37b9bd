/* Checks the quality of a snapshot. */
#include "query/quality.h"

#include <math.h>
#include <stdio.h>

/* Bytes of a section, by what is known about them. */
struct quality_sums {
	double all, padding, placeholders, nameless, no_source, no_path, no_component, literals;
	uint64_t symbols, aliases, generated, unlikely, startup, absolute;
};

struct check {
	struct quality *q;
	const struct snapshot *s;
	const struct snap_section *section;
	bool generates; /* True if some source file is generated */
	/* Number of symbols with absolute paths, number of sections with such symbols, and the
	 * first such section. */
	uint64_t absolute;
	size_t absolute_sections;
	const struct snap_section *first_absolute;
};

static void quality_find(struct check *c, bool error, const char *fmt, ...) PRINTF_LIKE(3, 4);

static void quality_find(struct check *c, bool error, const char *fmt, ...)
{
	char text[300];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	ASSERT(c->section->container < c->s->containers.count);
	const char *container = c->s->containers.data[c->section->container].name;
	vec_push(&c->q->findings,
		 (struct heft_quality_finding){ arena_copy(&c->q->arena, str_of(container)),
						arena_copy(&c->q->arena, str_of(c->section->name)),
						arena_copy(&c->q->arena, str_of(text)), error });
}

static bool quality_is_absolute(const struct snapshot *s, uint32_t id)
{
	return str_starts(snapshot_text(s, id), STR("/"));
}

static void quality_add_symbol(struct quality_sums *h, const struct snapshot *s,
			       const struct snap_symbol *y)
{
	const struct str name = snapshot_text(s, y->full_name);
	const double pss = snap_pss(y);
	const bool overhead = snap_is_overhead(name), star = name.len > 0 && name.p[0] == '*';
	h->all += pss;
	h->padding += overhead ? 0 : (double)y->padding / y->alias_count;
	h->placeholders += star ? pss : 0;
	h->nameless += name.len == 0 ? pss : 0;
	h->literals += snap_is_literal(name) ? pss : 0;
	if (!overhead && !star) {
		h->no_source += y->source ? 0 : pss;
		h->no_path += y->source || y->object ? 0 : pss;
		h->no_component += y->component ? 0 : pss;
	}
	h->symbols++;
	h->aliases += y->alias_count > 1;
	h->generated += (y->flags & SNAP_GENERATED) != 0;
	h->unlikely += (y->flags & SNAP_UNLIKELY) != 0;
	h->startup += (y->flags & SNAP_STARTUP) != 0;
	h->absolute += quality_is_absolute(s, y->source) || quality_is_absolute(s, y->object);
}

/* Returns the bytes of the sections with that name in all containers. */
static double size_everywhere(const struct snapshot *s, const char *name)
{
	double sum = 0;
	vec_each(const struct snap_section, sec, &s->sections) {
		if (strcmp(sec->name, name) != 0)
			continue;
		for (uint64_t k = sec->first; k < sec->first + sec->count; k++)
			sum += snap_pss(&s->symbols.data[k]);
	}
	return sum;
}

static void at_most(struct check *c, const char *what, double part, double whole, double percent)
{
	if (whole > 0 && part * 100 > whole * percent)
		quality_find(c, false, "%.1f%% %s; more than %.0f%% is unusual", part * 100 / whole,
			     what, percent);
}

static void check_sums(struct check *c, const struct quality_sums *h)
{
	const uint64_t stated = c->section->size;
	if (stated == 0 && strcmp(c->section->name, ".other") == 0)
		return;
	if (stated == 0)
		quality_find(c, h->all > 0, "the size of the section is not stated");
	else if (nearbyint(h->all) != (double)stated)
		quality_find(c, true, "symbols add up to %.0f bytes, the section has %" PRIu64,
			     h->all, stated);
}

static void check_shares(struct check *c, const struct quality_sums *h)
{
	const char letter = c->section->letter;
	const bool native = c->section->native;
	const bool dex = letter == 'x' || letter == 'm';
	at_most(c, "is in placeholders", h->placeholders, h->all, dex ? 20 : 1);
	at_most(c, "has no name", h->nameless, h->all, 1);
	at_most(c, "has no source path", h->no_source, h->all, 10);
	at_most(c, "has neither source nor object path", h->no_path, h->all, 1);
	if (c->s->has_components)
		at_most(c, "has no component", h->no_component, h->all, 20);
	if (letter == 'r' && h->literals * 100 < h->all * 5)
		quality_find(c, false, "%.1f%% is in string literals; less than 5%% is unusual",
			     h->literals * 100 / h->all);
	if (native && h->aliases == 0)
		quality_find(c, false, "no symbol has an alias");
	if (c->generates && (native || dex) && h->generated == 0)
		quality_find(c, false, "no symbol is from a generated source");
	if (letter == 't' && h->unlikely == 0)
		quality_find(c, false, "no symbol is of .text.unlikely");
	if (letter == 't' && h->startup == 0)
		quality_find(c, false, "no symbol is of .text.startup");
}

static void check_section(struct check *c)
{
	struct quality_sums h = { 0 };
	const struct snap_section *sec = c->section;
	ASSERT(sec->first + sec->count <= c->s->symbols.count);
	/* Usual shares are known only for the sections of the file format, not for `other` ones. */
	const bool other = sec->letter == 'o' || strcmp(snap_segment(sec), sec->name) != 0;
	for (uint64_t i = sec->first; i < sec->first + sec->count; i++)
		quality_add_symbol(&h, c->s, &c->s->symbols.data[i]);
	check_sums(c, &h);
	at_most(c, "is padding", h.padding, h.all, other ? 5 : 1);
	if (h.absolute > 0 && c->absolute_sections++ == 0)
		c->first_absolute = sec;
	c->absolute += h.absolute;
	if (!other && h.symbols >= 10 && h.all * 10 >= size_everywhere(c->s, sec->name))
		check_shares(c, &h);
}

/* True if some source file is generated. Most projects generate none. */
static bool generates(const struct snapshot *s)
{
	for (size_t i = 0; i < s->symbols.count; i++)
		if (s->symbols.data[i].flags & SNAP_GENERATED)
			return true;
	return false;
}

void quality_check(struct quality *ret, const struct snapshot *s)
{
	struct check c = { .q = ret, .s = s, .generates = generates(s) };
	memset(ret, 0, sizeof *ret);
	for (size_t i = 0; i < s->sections.count && !s->sparse; i++) {
		c.section = &s->sections.data[i];
		if (c.section->count > 0)
			check_section(&c);
	}
	/* Checks the paths. Absolute paths have the same cause everywhere, so they make one
	 * line. */
	c.section = c.first_absolute;
	if (c.absolute_sections == 1)
		quality_find(&c, false, "%" PRIu64 " symbols have absolute paths", c.absolute);
	else if (c.absolute_sections > 1)
		quality_find(&c, false,
			     "%" PRIu64
			     " symbols of this and %zu more sections have absolute paths",
			     c.absolute, c.absolute_sections - 1);
}

void quality_release(struct quality *q)
{
	vec_release(&q->findings);
	arena_release(&q->arena);
}
