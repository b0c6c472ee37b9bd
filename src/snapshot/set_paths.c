/* Sets the source paths, object paths and components of a snapshot. */
#include "snapshot/set_paths.h"

#include "base/text.h"
#include "snapshot/path_form.h"
#include "source/library_name.h"

/* Per path, by text id: the id of its new text. UINT32_MAX until it is needed */
struct set_paths_memo {
	uint32_t *to;
	size_t count;
};

static struct set_paths_memo memo_make(const struct snapshot *s)
{
	struct set_paths_memo m = { mem_alloc((s->texts.entries.count + 1) * sizeof *m.to),
				    s->texts.entries.count };
	memset(m.to, 0xff, m.count * sizeof *m.to);
	return m;
}

/* Turns "lib/libx.a(y.o)" into "lib/libx.a/y.o". */
static uint32_t set_paths_object(struct snapshot *s, uint32_t id, struct text *scratch)
{
	const struct str path = snapshot_text(s, id);
	const char *open = str_ends(path, STR(")")) ? memchr(path.p, '(', path.len) : NULL;
	if (!open)
		return id;
	const size_t size = (size_t)(open - path.p);
	text_set(scratch, (struct str){ path.p, size });
	text_adds(scratch, STR("/"), (struct str){ open + 1, path.len - size - 2 });
	return intern_add(&s->texts, text_str(scratch));
}

/* Pointers to the paths of a struct snap_symbol or snap_charge */
struct origin {
	uint32_t *source, *object, *component;
	uint16_t *flags; /* NULL for a charge */
};

static size_t origin_count(const struct snapshot *s)
{
	return s->symbols.count + s->charges.count;
}

static struct origin origin_at(struct snapshot *s, size_t i)
{
	if (i < s->symbols.count) {
		struct snap_symbol *y = &s->symbols.data[i];
		return (struct origin){ &y->source, &y->object, &y->component, &y->flags };
	}
	struct snap_charge *c = &s->charges.data[i - s->symbols.count];
	return (struct origin){ &c->source, &c->object, &c->component, NULL };
}

/* How paths are shown */
struct snapshot_set_paths_shown {
	const struct paths *paths;
	struct str build; /* Build directory. "" if none */
	bool object;
};

static uint32_t set_paths_shown(struct snapshot *s, uint32_t id,
				const struct snapshot_set_paths_shown *how, bool *ret_generated)
{
	struct text mapped = { 0 }, form = { 0 };
	uint32_t ret = id;
	*ret_generated = false;
	const bool changed = !paths_empty(how->paths) &&
			     paths_apply(how->paths, snapshot_text(s, id), &mapped);
	const struct str path = changed ? text_str(&mapped) : snapshot_text(s, id);
	if (path_form(&form, path, how->build, how->object, ret_generated))
		ret = intern_add(&s->texts, text_str(&form));
	else if (changed)
		ret = intern_add(&s->texts, path);
	text_release(&mapped);
	text_release(&form);
	return ret;
}

/* Sets the real objects of symbols made by link-time optimization, by their sources. */
static void set_lto_objects(struct snapshot *s, const struct build_paths *build)
{
	struct set_paths_memo lto = memo_make(s), objects = memo_make(s);
	for (size_t i = 0; i < origin_count(s); i++) {
		const struct origin y = origin_at(s, i);
		uint32_t *known = &lto.to[*y.object], *to = &objects.to[*y.source];
		if (*known == UINT32_MAX)
			*known = unit_is_lto(snapshot_text(s, *y.object));
		if (!*known || *y.source == 0)
			continue;
		if (*to == UINT32_MAX)
			*to = intern_add(&s->texts,
					 build_paths_object(build, snapshot_text(s, *y.source)));
		*y.object = *to != 0 ? *to : *y.object;
	}
	mem_free_all(lto.to, objects.to);
}

static void set_sources(struct snapshot *s, const struct build_paths *build)
{
	struct set_paths_memo m = memo_make(s);
	for (size_t i = 0; i < origin_count(s); i++) {
		const struct origin y = origin_at(s, i);
		if (*y.object == 0)
			continue;
		uint32_t *to = &m.to[*y.object];
		if (*to == UINT32_MAX)
			*to = intern_add(&s->texts,
					 build_paths_find(build, snapshot_text(s, *y.object)));
		if (*to != 0)
			*y.source = *to;
	}
	mem_free(m.to);
}

/* Returns "(Rust stdlib)/libz.rlib" as the source for the object "x/rustlib/y/libz.rlib(w.o)".
 * Rust's standard library comes without sources, and mostly without debug info. */
static uint32_t standard_source(struct snapshot *s, uint32_t object)
{
	const struct str path = snapshot_text(s, object);
	const char *open = path.len > 0 ? memchr(path.p, '(', path.len) : NULL;
	const struct str archive = { path.p, open ? (size_t)(open - path.p) : 0 };
	if (!str_ends(archive, STR(".rlib")) || str_find(archive, STR("/rustlib/")) == archive.len)
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

static void set_shown_objects(struct snapshot *s, const struct snapshot_set_paths_shown *how)
{
	struct set_paths_memo m = memo_make(s);
	struct text scratch = { 0 };
	bool generated;
	for (size_t i = 0; i < origin_count(s); i++) {
		const struct origin y = origin_at(s, i);
		uint32_t *to = &m.to[*y.object];
		if (*to == UINT32_MAX)
			*to = set_paths_object(s, set_paths_shown(s, *y.object, how, &generated),
					       &scratch);
		*y.object = *to;
	}
	text_release(&scratch);
	mem_free(m.to);
}

static void set_shown_sources(struct snapshot *s, const struct snapshot_set_paths_shown *how)
{
	struct set_paths_memo m = memo_make(s);
	bool *generated = mem_zeroed(m.count, sizeof *generated);
	for (size_t i = 0; i < origin_count(s); i++) {
		const struct origin y = origin_at(s, i);
		uint32_t *to = &m.to[*y.source];
		if (*to == UINT32_MAX)
			*to = set_paths_shown(s, *y.source, how, &generated[*y.source]);
		if (generated[*y.source] && y.flags)
			*y.flags |= SNAP_GENERATED;
		*y.source = *to;
	}
	mem_free_all(generated, m.to);
}

/* Greatest number of aliases with one name. More become one symbol, as in SuperSize. */
enum { ALIASES_MAX = 40 };

/* Returns the number of symbols at the start of `y` that have the same name and the same bytes. */
static size_t same_symbols(const struct snap_symbol *y, size_t count)
{
	size_t n = 1;
	while (n < count && y->size > 0 && y->addr > 0 && y[n].addr == y->addr &&
	       y[n].size == y->size && y[n].section == y->section && y[n].full_name == y->full_name)
		n++;
	return n;
}

/* Returns one path for all symbols that have a path: their common path, or a common prefix. */
static uint32_t path_of_all(struct snapshot *s, const struct snap_symbol *y, size_t count,
			    bool source)
{
	uint32_t first = 0;
	bool same = true;
	struct str prefix = STR("");
	for (size_t i = 0; i < count; i++) {
		const uint32_t id = source ? y[i].source : y[i].object;
		if (id == 0)
			continue;
		same = same && (first == 0 || id == first);
		prefix = first == 0 ? snapshot_text(s, id)
				    : path_common(prefix, snapshot_text(s, id));
		first = first == 0 ? id : first;
	}
	if (same)
		return first;
	struct text path = { 0 };
	path_shared(&path, prefix, count);
	const uint32_t id = intern_add(&s->texts, text_str(&path));
	text_release(&path);
	return id;
}

static struct snap_symbol one_of_many(struct snapshot *s, const struct snap_symbol *y, size_t count)
{
	struct snap_symbol one = *y;
	one.object = path_of_all(s, y, count, false);
	one.source = path_of_all(s, y, count, true);
	for (size_t i = 1; i < count; i++)
		if (!(y[i].flags & SNAP_GENERATED))
			one.flags &= (uint16_t)~SNAP_GENERATED;
	return one;
}

static void join_many(struct snapshot *s)
{
	struct snap_symbol *y = s->symbols.data;
	uint32_t *place = mem_alloc((s->symbols.count + 1) * sizeof *place);
	size_t to = 0;
	for (size_t i = 0, n; i < s->symbols.count; i += n) {
		n = same_symbols(&y[i], s->symbols.count - i);
		const bool joined = n > ALIASES_MAX;
		for (size_t k = 0; k < n; k++)
			place[i + k] = (uint32_t)(to + (joined ? 0 : k));
		if (joined) {
			y[to++] = one_of_many(s, &y[i], n);
			continue;
		}
		memmove(&y[to], &y[i], n * sizeof *y);
		to += n;
	}
	s->symbols.count = to;
	snapshot_charges_follow(s, place);
	mem_free(place);
}

static void set_components(struct snapshot *s, struct components *c)
{
	struct set_paths_memo m = memo_make(s);
	for (size_t i = 0; i < origin_count(s); i++) {
		const struct origin y = origin_at(s, i);
		const uint32_t paths[] = { *y.source, *y.object };
		for (size_t k = 0; k < COUNT_OF(paths) && *y.component == 0; k++) {
			uint32_t *to = &m.to[paths[k]];
			if (*to == UINT32_MAX)
				*to = intern_add(
					&s->texts,
					str_of(components_find(c, snapshot_text(s, paths[k]))));
			*y.component = *to;
		}
	}
	s->has_components = true;
	mem_free(m.to);
}

void snapshot_set_paths(struct snapshot *s, const struct build_paths *build,
			const struct paths *paths, struct components *components)
{
	struct str build_dir = build ? build_paths_dir(build) : STR("");
	struct text mapped = { 0 };
	if (!paths_empty(paths) && paths_apply(paths, build_dir, &mapped))
		build_dir = text_str(&mapped);
	if (build) {
		set_lto_objects(s, build);
		set_sources(s, build);
	}
	struct set_paths_memo m = memo_make(s);
	for (size_t i = 0; i < origin_count(s); i++) {
		const struct origin y = origin_at(s, i);
		if (*y.object == 0 || *y.source != 0)
			continue;
		uint32_t *to = &m.to[*y.object];
		if (*to == UINT32_MAX)
			*to = standard_source(s, *y.object);
		*y.source = *to;
	}
	mem_free(m.to);
	set_shown_sources(s, &(struct snapshot_set_paths_shown){ paths, build_dir, false });
	set_shown_objects(s, &(struct snapshot_set_paths_shown){ paths, build_dir, true });
	join_many(s);
	text_release(&mapped);
	if (components)
		set_components(s, components);
}

void snapshot_name_components(struct snapshot *s, struct components *components)
{
	for (size_t i = 0; i < origin_count(s); i++)
		*origin_at(s, i).component = 0;
	set_components(s, components);
}
