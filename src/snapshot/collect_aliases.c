/* The other objects of a function: one symbol each, or one for all where they are many. */
#include "snapshot/collect_internal.h"

/* More than this many become one symbol: SuperSize's own number. */
enum { ALIASES_MAX = 40 };

/* "a/b/{shared}/50-99" of paths that begin with "a/b/". */
static uint32_t shared_path(struct collect *c, uint32_t first, uint32_t count)
{
	const struct path_aliases *p = c->in->aliases;
	struct str prefix = STR("");
	for (uint32_t i = first; i != UINT32_MAX; i = p->list.data[i].next) {
		const struct str path = intern_get(&p->map->objects, p->list.data[i].object);
		if (i == first)
			prefix = path;
		size_t n = 0;
		while (n < prefix.len && n < path.len && prefix.p[n] == path.p[n])
			n++;
		prefix.len = n;
	}
	while (prefix.len > 0 && prefix.p[prefix.len - 1] != '/')
		prefix.len--;
	text_set(&c->scratch, prefix);
	text_add(&c->scratch, STR("{shared}/"));
	text_add(&c->scratch, count >= 100  ? STR("100+")
			      : count >= 50 ? STR("50-99")
					    : STR("20-49"));
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
