/* Adds a function or string again for each other object that has it. */
#include "snapshot/collect_internal.h"

/* Adds a copy of the last symbol for each other object in a list that begins at `first`. */
static void add_others(struct collect *c, uint32_t first)
{
	const struct path_aliases *p = c->in->aliases;
	ASSERT(c->s->symbols.count > 0);
	const size_t at = c->s->symbols.count - 1;
	const uint32_t own = c->s->symbols.data[at].object;
	for (uint32_t i = first; i != UINT32_MAX; i = p->list.data[i].next) {
		struct snap_symbol y = c->s->symbols.data[at];
		y.object = intern_add(&c->s->texts,
				      intern_get(&p->map->objects, p->list.data[i].object));
		if (y.object == own)
			continue;
		y.source = 0;
		collect_add(c, &y);
	}
}

void collect_path_aliases(struct collect *c, struct str raw)
{
	const struct path_aliases *p = c->in->aliases;
	uint32_t first;
	if (p && c->s->symbols.data[c->s->symbols.count - 1].object != 0 &&
	    path_aliases_find(p, raw, &first) > 1)
		add_others(c, first);
}

static bool has_object(const struct collect *c, uint32_t first, uint32_t object)
{
	const struct path_aliases *p = c->in->aliases;
	uint32_t i = first;
	while (i != UINT32_MAX && !str_eq(intern_get(&p->map->objects, p->list.data[i].object),
					  snapshot_text(c->s, object)))
		i = p->list.data[i].next;
	return i != UINT32_MAX;
}

/* True for the linkage name of a non-static function. All objects have the same function then. */
static bool is_of_all_objects(struct str raw)
{
	return str_starts(raw, STR("_Z")) && !str_starts(raw, STR("_ZL")) &&
	       !str_starts(raw, STR("_ZN12_GLOBAL__N_"));
}

void collect_shared_code(struct collect *c, struct str raw)
{
	const struct path_aliases *p = c->in->aliases;
	struct snap_symbol *y = &c->s->symbols.data[c->s->symbols.count - 1];
	uint32_t i;
	const uint32_t count = p ? path_aliases_find_shared(p, raw, &i) : 0;
	if (count == 0 || y->object == 0 || has_object(c, i, y->object) ||
	    (count > 1 && !is_of_all_objects(raw)))
		return;
	while (p->list.data[i].next != UINT32_MAX) /* Goes to the end of the list: the object
						    * that is first in the map */
		i = p->list.data[i].next;
	y->object = intern_add(&c->s->texts, intern_get(&p->map->objects, p->list.data[i].object));
	y->source = 0;
}

void collect_string_aliases(struct collect *c, struct bytes text)
{
	const struct path_aliases *p = c->in->aliases;
	struct snap_symbol *y = &c->s->symbols.data[c->s->symbols.count - 1];
	uint32_t first;
	if (!p || path_aliases_find_string(p, text, &first) == 0)
		return;
	/* The map, or the code that uses the text, may have set the symbol's object. If the list
	 * has that object, the symbol's source is right too. */
	if (!has_object(c, first, y->object)) {
		y->object = intern_add(&c->s->texts,
				       intern_get(&p->map->objects, p->list.data[first].object));
		y->source = 0;
	}
	add_others(c, first);
}
