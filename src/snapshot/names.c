/* Splits the full names of symbols from files into plain names and template names. */
#include "names/supersize.h"
#include "snapshot/snapshot.h"

struct str snap_last_word(struct str s)
{
	size_t i = s.len;
	while (i > 0 && s.p[i - 1] != ' ')
		i--;
	return (struct str){ s.p + i, s.len - i };
}

/* Removes the parameters: "org.Outer$Class#member(int): void" gives "org.Outer$Class#member". */
static struct str without_parameters(struct str s)
{
	const char *hash = s.len > 0 ? memchr(s.p, '#', s.len) : NULL;
	const size_t from = hash ? (size_t)(hash - s.p) : s.len;
	for (size_t i = from; i < s.len; i++)
		if (s.p[i] == '(' || s.p[i] == ':')
			return (struct str){ s.p, i };
	return s;
}

/* Removes the package before the class: the text up to the last dot before '#' or the end. */
static struct str without_package(struct str s)
{
	const char *hash = s.len > 0 ? memchr(s.p, '#', s.len) : NULL;
	size_t i = hash ? (size_t)(hash - s.p) : s.len;
	while (i > 0 && s.p[i - 1] != '.')
		i--;
	return (struct str){ s.p + i, s.len - i };
}

void snapshot_split_dex(struct snapshot *s, struct snap_symbol *y)
{
	y->template_name = intern_add(&s->texts,
				      without_parameters(snapshot_text(s, y->full_name)));
	y->name = intern_add(&s->texts, without_package(snapshot_text(s, y->template_name)));
}

/* Returns the id of `text`. `known` is the text of `id`, which is returned if both are equal. */
static uint32_t same_or_add(struct snapshot *s, uint32_t id, struct str known, struct str text)
{
	const bool same = known.p == text.p && known.len == text.len;
	return same || str_eq(known, text) ? id : intern_add(&s->texts, text);
}

static void split_native(struct snapshot *s, struct snap_symbol *y, struct supersize_name *n,
			 unsigned how)
{
	const struct str full = snapshot_text(s, y->full_name);
	if (s->by_heft)
		supersize_derive(n, full, how);
	else
		supersize_split(n, full, how);
	y->full_name = same_or_add(s, y->full_name, full, n->full);
	y->template_name = same_or_add(s, y->full_name, n->full, n->template_name);
	y->name = same_or_add(s, y->template_name, n->template_name, n->plain);
	y->flags |= (uint16_t)n->flags;
}

void snapshot_split_names(struct snapshot *s)
{
	const unsigned exact = s->by_heft && !s->exact_names ? 0 : SUPERSIZE_EXACT;
	struct supersize_name n = { 0 };
	vec_each(struct snap_symbol, y, &s->symbols) {
		const struct snap_section *sec = &s->sections.data[y->section];
		const struct str full = snapshot_text(s, y->full_name);
		y->template_name = y->name = y->full_name;
		if (snap_is_star(full) || snap_is_overhead(full) || snap_is_literal(full))
			continue;
		if (sec->letter == 'p' || sec->letter == 'P')
			y->template_name = y->name = intern_add(&s->texts, snap_last_word(full));
		else if (sec->letter == 'x' || sec->letter == 'm')
			snapshot_split_dex(s, y);
		else if (sec->native)
			split_native(s, y, &n, exact | (sec->code ? SUPERSIZE_TEXT : 0u));
	}
	supersize_name_release(&n);
	vec_each(struct snap_charge, c, &s->charges) {
		ASSERT(c->name != SNAP_PLAIN_NAME || c->symbol < s->symbols.count);
		if (c->name == SNAP_PLAIN_NAME)
			c->name = s->symbols.data[c->symbol].name;
	}
}
