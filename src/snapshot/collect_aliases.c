/* The other objects of a function: one symbol each, or one for all where they are many. */
#include "snapshot/collect_internal.h"

/* More than this many become one symbol: SuperSize's own number. */
enum { ALIASES_MAX = 40 };

struct str collect_common(struct str a, struct str b)
{
	size_t n = 0;
	while (n < a.len && n < b.len && a.p[n] == b.p[n])
		n++;
	return (struct str){ a.p, n };
}

void collect_shared_path(struct text *out, struct str prefix, size_t count)
{
	while (prefix.len > 0 && prefix.p[prefix.len - 1] != '/')
		prefix.len--;
	text_set(out, prefix);
	text_add(out, STR("{shared}/"));
	if (count < 10)
		text_add_number(out, count);
	else
		text_add(out, count >= 100  ? STR("100+")
			      : count >= 50 ? STR("50-99")
			      : count >= 20 ? STR("20-49")
					    : STR("10-19"));
}

/* Of all objects in a list. */
static uint32_t shared_path(struct collect *c, uint32_t first, uint32_t count)
{
	const struct path_aliases *p = c->in->aliases;
	struct str prefix = STR("");
	for (uint32_t i = first; i != UINT32_MAX; i = p->list.data[i].next) {
		const struct str path = intern_get(&p->map->objects, p->list.data[i].object);
		prefix = i == first ? path : collect_common(prefix, path);
	}
	collect_shared_path(&c->scratch, prefix, count);
	return intern_add(&c->s->texts, text_str(&c->scratch));
}

void collect_path_aliases(struct collect *c, struct str raw)
{
	const struct path_aliases *p = c->in->aliases;
	const size_t at = c->s->symbols.count - 1;
	uint32_t first;
	const uint32_t count = p && c->s->symbols.data[at].object != 0
				       ? path_aliases_find(p, raw, &first)
				       : 0;
	if (count < 2)
		return;
	if (count > ALIASES_MAX) {
		c->s->symbols.data[at].object = shared_path(c, first, count);
		return;
	}
	for (uint32_t i = first; i != UINT32_MAX; i = p->list.data[i].next) {
		struct snap_symbol y = c->s->symbols.data[at];
		const uint32_t object = intern_add(
			&c->s->texts, intern_get(&p->map->objects, p->list.data[i].object));
		if (object == y.object)
			continue;
		y.object = object;
		y.source = 0;
		collect_add(c, &y);
	}
}
