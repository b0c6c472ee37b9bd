#include "snapshot/set_paths.h"

#include "base/text.h"

/* What became of each text that was a path; UINT32_MAX: not asked for yet. */
struct memo {
	uint32_t *to;
	size_t count;
};

static struct memo memo_make(const struct snapshot *s)
{
	struct memo m = { mem_alloc((s->texts.entries.count + 1) * sizeof *m.to),
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

static bool contains(struct str s, struct str word)
{
	for (size_t i = 0; i + word.len <= s.len; i++)
		if (memcmp(s.p + i, word.p, word.len) == 0)
			return true;
	return false;
}

/* Objects that link-time optimisation made of several: lld's with a cache and without, GCC's. */
static bool is_lto(struct str object)
{
	return contains(object, STR("llvmcache-")) || contains(object, STR("lto.tmp")) ||
	       contains(object, STR(".lto.")) || contains(object, STR(".ltrans"));
}

/* Where a symbol came from is known by its source alone, if link-time optimisation made its
 * object. */
static void set_lto_objects(struct snapshot *s, const struct build_paths *build)
{
	struct memo lto = memo_make(s), objects = memo_make(s);
	for (size_t i = 0; i < s->symbols.count; i++) {
		struct snap_symbol *y = &s->symbols.data[i];
		uint32_t *known = &lto.to[y->object], *to = &objects.to[y->source];
		if (*known == UINT32_MAX)
			*known = is_lto(snapshot_text(s, y->object));
		if (!*known || y->source == 0)
			continue;
		if (*to == UINT32_MAX)
			*to = intern_add(&s->texts,
					 build_paths_object(build, snapshot_text(s, y->source)));
		y->object = *to != 0 ? *to : y->object;
	}
	mem_free(lto.to);
	mem_free(objects.to);
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
	mem_free(m.to);
}

/* "x/rustlib/y/libz.rlib(w.o)" gives "(Rust stdlib)/libz.rlib": it comes without sources and mostly
 * without debug info. */
static uint32_t standard_source(struct snapshot *s, uint32_t object)
{
	const struct str path = snapshot_text(s, object);
	const char *open = path.len > 0 ? memchr(path.p, '(', path.len) : NULL;
	const struct str archive = { path.p, open ? (size_t)(open - path.p) : 0 };
	if (!str_ends(archive, STR(".rlib")) || !contains(archive, STR("/rustlib/")))
		return 0;
	size_t from = archive.len;
	while (archive.p[from - 1] != '/')
		from--;
	struct text name = { 0 };
	text_set(&name, STR("(Rust stdlib)/"));
	text_add(&name, (struct str){ archive.p + from, archive.len - from });
	const uint32_t id = intern_add(&s->texts, text_str(&name));
	text_release(&name);
	return id;
}

static void set_standard_sources(struct snapshot *s)
{
	struct memo m = memo_make(s);
	for (size_t i = 0; i < s->symbols.count; i++) {
		struct snap_symbol *y = &s->symbols.data[i];
		if (y->object == 0 || y->source != 0)
			continue;
		uint32_t *to = &m.to[y->object];
		if (*to == UINT32_MAX)
			*to = standard_source(s, y->object);
		y->source = *to;
	}
	mem_free(m.to);
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
	mem_free(sources.to);
	mem_free(objects.to);
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
	mem_free(m.to);
}

void snapshot_set_paths(struct snapshot *s, const struct build_paths *build,
			const struct paths *paths, const struct components *components)
{
	if (build) {
		set_lto_objects(s, build);
		set_sources(s, build);
	}
	set_standard_sources(s);
	set_shown(s, paths);
	if (components)
		set_components(s, components);
}
