/* Rewrites paths by rules, and cuts them to directories. */
#include "map/paths.h"

static char *copy_prefix(struct str s)
{
	while (s.len > 0 && s.p[s.len - 1] == '/')
		s.len--;
	char *copy = mem_alloc(s.len + 1);
	if (s.len > 0)
		memcpy(copy, s.p, s.len);
	copy[s.len] = '\0';
	return copy;
}

bool paths_add_map(struct paths *p, struct str old, struct str new_text, struct heft_err *err)
{
	if (old.len == 0)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "a path map without an old prefix");
	vec_push(&p->maps, (struct path_rule){ .from = copy_prefix(old),
					       .to = copy_prefix(new_text),
					       .strip = new_text.len == 0 });
	return true;
}

bool paths_add_strip(struct paths *p, struct str prefix, struct heft_err *err)
{
	if (prefix.len == 0)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "an empty path prefix to cut off");
	vec_push(&p->strips, (struct path_rule){ .from = copy_prefix(prefix),
						 .to = copy_prefix(STR("")),
						 .strip = true });
	return true;
}

void paths_copy(struct paths *p, const struct paths *from)
{
	for (size_t i = 0; i < from->maps.count; i++)
		(void)paths_add_map(p, str_of(from->maps.data[i].from),
				    str_of(from->maps.data[i].to), NULL);
	for (size_t i = 0; i < from->strips.count; i++)
		(void)paths_add_strip(p, str_of(from->strips.data[i].from), NULL);
}

void paths_release(struct paths *p)
{
	for (size_t i = 0; i < p->maps.count; i++) {
		mem_free_all(p->maps.data[i].from, p->maps.data[i].to);
	}
	for (size_t i = 0; i < p->strips.count; i++) {
		mem_free_all(p->strips.data[i].from, p->strips.data[i].to);
	}
	vec_release_all(&p->maps, &p->strips);
}

static bool is_path(struct str s)
{
	return s.len > 0 && s.p[0] != '[' && s.p[0] != '<' && s.p[0] != '(';
}

/* Finds the first rule whose prefix begins the path. *ret_rest: the path after the prefix. */
static const struct path_rule *find_rule(struct path_rule *rules, size_t count, struct str path,
					 struct str *ret_rest)
{
	for (size_t i = 0; i < count; i++) {
		const size_t len = strlen(rules[i].from);
		if (path.len < len || memcmp(path.p, rules[i].from, len) != 0)
			continue;
		const struct str rest = { path.p + len, path.len - len };
		if (rest.len > 0 && rest.p[0] != '/')
			continue;
		if (rules[i].strip && rest.len < 2)
			continue;
		*ret_rest = rest;
		if (!atomic_load_explicit(&rules[i].used, memory_order_relaxed))
			atomic_store_explicit(&rules[i].used, true, memory_order_relaxed);
		return &rules[i];
	}
	return NULL;
}

static struct str below(struct str rest)
{
	while (rest.len > 0 && rest.p[0] == '/') {
		rest.p++;
		rest.len--;
	}
	return rest;
}

bool paths_apply(const struct paths *p, struct str path, struct text *out)
{
	struct str rest;
	if (!is_path(path))
		return false;
	const struct path_rule *map = find_rule(p->maps.data, p->maps.count, path, &rest);
	if (map) {
		text_set(out, str_of(map->to));
		text_add(out, map->strip ? below(rest) : rest);
		path = text_str(out);
	}
	if (!find_rule(p->strips.data, p->strips.count, path, &rest))
		return map != NULL;
	rest = below(rest);
	if (map) {
		/* `rest` is a part of *out. */
		memmove(out->p, rest.p, rest.len);
		out->len = rest.len;
	} else {
		text_set(out, rest);
	}
	return true;
}

/* Returns the number of rules that changed no path. Sets *ret to the first of them. */
static size_t unused(const struct path_rule *rules, size_t count, const struct path_rule **ret)
{
	size_t unused = 0;
	for (size_t i = count; i-- > 0;) {
		if (atomic_load_explicit(&rules[i].used, memory_order_relaxed))
			continue;
		*ret = &rules[i];
		unused++;
	}
	return unused;
}

bool paths_used(const struct paths *p)
{
	const struct path_rule *first;
	return unused(p->maps.data, p->maps.count, &first) < p->maps.count ||
	       unused(p->strips.data, p->strips.count, &first) < p->strips.count;
}

void paths_note_unused(const struct paths *p, const char *file, struct notes *notes)
{
	const struct path_rule *first = NULL;
	const size_t without = unused(p->strips.data, p->strips.count, &first) +
			       unused(p->maps.data, p->maps.count, &first);
	if (without > 0)
		note(notes, file, HEFT_NO_OFFSET, 0,
		     "%zu of %zu path maps and prefixes to strip match no source path, such as "
		     "'%.100s'",
		     without, p->maps.count + p->strips.count, first->from);
}

static bool paths_separates(char c, bool backslash)
{
	return c == '/' || (backslash && c == '\\');
}

/* Returns the size of the path's root: "/", "C:\" or "\\". 0 for relative paths. */
static size_t paths_root_size(struct str p, bool *ret_backslash)
{
	const bool drive = p.len >= 3 && p.p[1] == ':' && (p.p[2] == '\\' || p.p[2] == '/');
	const bool share = p.len >= 2 && p.p[0] == '\\' && p.p[1] == '\\';
	*ret_backslash = drive || share;
	return drive ? 3 : share ? 2 : p.len > 0 && p.p[0] == '/' ? 1 : 0;
}

/* Returns the component of a path with number `level`, from 1, or the last one if there are fewer.
 * The first one includes the root. */
static struct str paths_component(struct str dir, size_t root, bool backslash, unsigned level)
{
	size_t start = 0, end = root;
	for (unsigned i = 0; i < level && end < dir.len; i++) {
		start = i == 0 ? 0 : end + 1;
		end = i == 0 ? root : start;
		while (end < dir.len && !paths_separates(dir.p[end], backslash))
			end++;
	}
	return (struct str){ dir.p + start, end - start };
}

struct str path_directory(struct str path, unsigned level)
{
	bool backslash;
	if (!is_path(path))
		return path;
	const size_t root = paths_root_size(path, &backslash);
	size_t end = path.len;
	while (end > root && !paths_separates(path.p[end - 1], backslash))
		end--;
	if (end == 0)
		return STR(".");
	if (end > root)
		end--;
	const struct str dir = { path.p, end };
	return level == 0 ? dir : paths_component(dir, root, backslash, level);
}
