#include "snapshot/set_paths.h"

#include "base/text.h"

/* What became of each text that was a path; UINT32_MAX: not asked for yet. */
struct memo {
	uint32_t *to;
	size_t count;
};

static struct memo memo_make(const struct snapshot *s)
{
	struct memo m = { xmalloc((s->texts.entries.count + 1) * sizeof *m.to),
			  s->texts.entries.count };
	memset(m.to, 0xff, m.count * sizeof *m.to);
	return m;
}

/* "lib/libx.a(y.o)" becomes "lib/libx.a/y.o". */
static uint32_t object_path(struct snapshot *s, uint32_t id, struct text *scratch)
{
	const struct str path = snapshot_text(s, id);
	const char *open = str_ends(path, STR(")")) ? memchr(path.p, '(', path.len) : NULL;
	if (!open)
		return id;
	const size_t size = (size_t)(open - path.p);
	text_set(scratch, (struct str){ path.p, size });
	text_add_char(scratch, '/');
	text_add(scratch, (struct str){ open + 1, path.len - size - 2 });
	return intern_add(&s->texts, text_str(scratch));
}

static uint32_t shown_path(struct snapshot *s, uint32_t id, const struct paths *paths,
			   struct text *scratch)
{
	if (paths_empty(paths) || !paths_apply(paths, snapshot_text(s, id), scratch))
		return id;
	return intern_add(&s->texts, text_str(scratch));
}

static void set_sources(struct snapshot *s, const struct build_paths *build)
{
	struct memo m = memo_make(s);
	for (size_t i = 0; i < s->symbols.count; i++) {
		struct snap_symbol *y = &s->symbols.data[i];
		if (y->object == 0)
			continue;
		uint32_t *to = &m.to[y->object];
		if (*to == UINT32_MAX)
			*to = intern_add(&s->texts,
					 build_paths_find(build, snapshot_text(s, y->object)));
		if (*to != 0)
			y->source = *to;
	}
	free(m.to);
}

static void set_shown(struct snapshot *s, const struct paths *paths)
{
	struct memo sources = memo_make(s), objects = memo_make(s);
	struct text scratch = { 0 };
	for (size_t i = 0; i < s->symbols.count; i++) {
		struct snap_symbol *y = &s->symbols.data[i];
		uint32_t *source = &sources.to[y->source], *object = &objects.to[y->object];
		if (*source == UINT32_MAX)
			*source = shown_path(s, y->source, paths, &scratch);
		if (*object == UINT32_MAX)
			*object = object_path(s, shown_path(s, y->object, paths, &scratch),
					      &scratch);
		y->source = *source;
		y->object = *object;
	}
	text_release(&scratch);
	free(sources.to);
	free(objects.to);
}

static uint32_t component_of(struct snapshot *s, const struct components *c, uint32_t path)
{
	return intern_add(&s->texts, str_of(components_find(c, snapshot_text(s, path))));
}

static void set_components(struct snapshot *s, const struct components *c)
{
	struct memo m = memo_make(s);
	for (size_t i = 0; i < s->symbols.count; i++) {
		struct snap_symbol *y = &s->symbols.data[i];
		const uint32_t paths[] = { y->source, y->object };
		for (size_t k = 0; k < COUNT_OF(paths) && y->component == 0; k++) {
			uint32_t *to = &m.to[paths[k]];
			if (*to == UINT32_MAX)
				*to = component_of(s, c, paths[k]);
			y->component = *to;
		}
	}
	s->has_components = true;
	free(m.to);
}

void snapshot_set_paths(struct snapshot *s, const struct build_paths *build,
			const struct paths *paths, const struct components *components)
{
	if (build)
		set_sources(s, build);
	set_shown(s, paths);
	if (components)
		set_components(s, components);
}
