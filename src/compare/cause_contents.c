/* Rule for a change that leaves all sizes equal: finds symbols whose contents differ (sums.h). */
#include "compare/cause_evidence.h"

#include "image/image.h"
#include "snapshot/sums.h"

/* Returns the section of `s` that has the name and container of `like`, a section of the other
 * snapshot. NULL if there is none. */
static const struct snap_section *section_like(const struct snapshot *s,
					       const struct snap_section *like)
{
	for (size_t i = 0; i < s->sections.count; i++) {
		const struct snap_section *x = &s->sections.data[i];
		if (x->in_file == like->in_file && x->in_memory == like->in_memory &&
		    x->container == like->container && strcmp(x->name, like->name) == 0)
			return x;
	}
	return NULL;
}

/* Returns the name of a symbol, with "()" for a function, or of the section that it stands for. */
static struct str contents_name(struct cause_evidence *e, const struct snapshot *s, uint64_t symbol)
{
	const struct snap_section *in = &s->sections.data[s->symbols.data[symbol].section];
	const struct str name = snapshot_text(s, s->symbols.data[symbol].name);
	if (snap_is_star(name))
		return str_of(in->name);
	return in->code ? str_of(arena_format(e->arena, STR_FMT "()", STR_ARG(name))) : name;
}

/* Returns what a symbol is: "function", "table", "text", "variable" or "section". */
static const char *contents_kind(const struct snapshot *s, const struct snap_symbol *y)
{
	const struct str section = str_of(s->sections.data[y->section].name);
	const struct str name = snapshot_text(s, y->name);
	return snap_is_star(name)                      ? "section"
	       : s->sections.data[y->section].code     ? "function"
	       : snap_is_literal(name)                 ? "text"
	       : cause_has(section, STR("rodata"))     ? "table"
	       : cause_has(section, STR(".data.rel.")) ? "table"
						       : "variable";
}

/* Adds a symbol whose contents differ. Aliases count once, by their first name. The first symbol
 * whose name changed too comes first: it is a literal, whose name shows its contents. */
static void contents_add(struct cause_evidence *e, struct cause *c, uint64_t before, uint64_t after)
{
	const struct str was = contents_name(e, e->d->before, before);
	const struct str now = contents_name(e, e->d->after, after);
	if (e->d->after->symbols.data[after].alias_place > 0)
		return;
	const bool first = !*c->was && !str_eq(was, now);
	const struct snap_symbol *y = &e->d->after->symbols.data[after];
	const size_t last = COUNT_OF(c->names) - 1, at = c->count < last ? c->count : last;
	c->count++;
	if (first) {
		c->was = arena_copy(e->arena, was);
		c->names[at] = c->names[0];
		c->kinds[at] = c->kinds[0];
		c->places[at] = c->places[0];
	}
	if (first || c->count <= COUNT_OF(c->names)) {
		const size_t to = first ? 0 : at;
		c->names[to] = arena_copy(e->arena, now);
		c->kinds[to] = contents_kind(e->d->after, y);
		const struct str path = snapshot_text(e->d->after, snap_path(y));
		c->places[to] = strcmp(c->kinds[to], "section") == 0 ? ""
				: path.len > 0                       ? arena_copy(e->arena, path)
					       : e->d->after->sections.data[y->section].name;
	}
}

/* Compares the checksums of a section's symbols in both snapshots, group by group of symbols. */
static void contents_compare(struct cause_evidence *e, struct cause *c,
			     const struct snap_section *a, const struct snap_section *b)
{
	const struct snapshot *before = e->d->before, *after = e->d->after;
	const uint64_t group = sums_group_size(b->count);
	const bool build_id = cause_has(str_of(b->name), STR("build-id"));
	for (uint64_t i = 0; i < b->count && a->count == b->count; i += group) {
		const uint8_t was = sum_of_group(before, a, a->first + i);
		const uint8_t now = sum_of_group(after, b, b->first + i);
		const uint64_t end = min_u64(b->count, i + group);
		c->some |= group > 1 && was != now;
		for (uint64_t k = i; k < end && !build_id; k++) {
			c->of += was > 0 && now > 0 &&
				 after->symbols.data[b->first + k].alias_place == 0;
			if (was != now)
				contents_add(e, c, a->first + k, b->first + k);
		}
	}
}

void causes_guess_contents(struct cause_evidence *e, struct causes *ret)
{
	struct cause c = { .kind = CAUSE_CONTENTS, .bytes = 1, .names = { "", "", "" }, .was = "" };
	const struct snapshot *after = e->d->after;
	ret->loads_same = true;
	for (size_t i = 0; i < after->sections.count; i++) {
		const struct snap_section *b = &after->sections.data[i];
		const struct snap_section *a = section_like(e->d->before, b);
		const size_t before = c.count;
		if (a != NULL)
			contents_compare(e, &c, a, b);
		if (b->in_memory && (a == NULL || a->count != b->count || c.count > before))
			ret->loads_same = false;
	}
	ret->compared = c.of;
	ret->loads_same = ret->loads_same && c.of > 0;
	if (c.count > 0 && e->all == 0 && e->padding == 0)
		vec_push(&e->guesses, (struct cause_guess){ .cause = c });
}
