/* Joins the parts of a source path and removes "." and "..". */
#include "debug/path.h"

#include "base/vec.h"

/* Returns the size of an absolute path's root: "/", "C:/", "C:\" or "\\". 0 if relative. */
static size_t path_root_size(struct str p)
{
	if (p.len >= 1 && p.p[0] == '/')
		return 1;
	if (p.len >= 3 && ((p.p[0] >= 'a' && p.p[0] <= 'z') || (p.p[0] >= 'A' && p.p[0] <= 'Z')) &&
	    p.p[1] == ':' && (p.p[2] == '/' || p.p[2] == '\\'))
		return 3;
	return p.len >= 2 && p.p[0] == '\\' && p.p[1] == '\\' ? 2 : 0;
}

bool path_is_absolute(struct str path)
{
	return path_root_size(path) > 0;
}

/* The joined path while it grows: its root, then names with separators between */
struct joined {
	char *p;
	size_t len;
	size_t root;  /* Size of the root. 0 for a relative path */
	size_t fixed; /* Length of the part that ".." does not remove: the root, or leading
			 * ".." names */
	char separator;
	bool backslash; /* True if a backslash separates names too */
};

static bool path_separates(const struct joined *j, char c)
{
	return c == '/' || (c == '\\' && j->backslash);
}

/* Completes the path with the name at its end, from `len` to `end`. Drops ".", applies "..". */
static void settle_name(struct joined *j, const char *name, size_t end)
{
	const size_t size = (size_t)(j->p + end - name);
	if (size == 0 || (size == 1 && name[0] == '.'))
		return;
	if (size > 2 || name[0] != '.' || name[1] != '.') {
		j->len = end;
	} else if (j->len > j->fixed) {
		while (j->len > j->fixed && !path_separates(j, j->p[j->len - 1]))
			j->len--;
		if (j->len > j->fixed)
			j->len--;
	} else if (j->root == 0) {
		j->len = end;
		j->fixed = end;
	}
}

static void path_add_part(struct joined *j, struct str part)
{
	char separator = j->separator;
	for (size_t i = 0; i < part.len; i++) {
		size_t end = j->len;
		if (end > j->root)
			j->p[end++] = separator;
		const char *name = j->p + end;
		for (; i < part.len && !path_separates(j, part.p[i]); i++)
			j->p[end++] = part.p[i];
		settle_name(j, name, end);
		separator = i < part.len ? part.p[i] : j->separator;
	}
}

static void debug_path_join(struct text *out, const struct str *parts, size_t count)
{
	size_t size = count - 1;
	for (size_t i = 0; i < count; i++)
		size += parts[i].len;
	if (size > out->cap)
		out->p = vec_grow(out->p, &out->cap, size, 1);
	/* The first part that is not empty has the root. */
	while (count > 1 && parts[0].len == 0) {
		parts++;
		count--;
	}
	struct joined j = { .p = out->p, .root = path_root_size(parts[0]) };
	j.len = j.fixed = j.root;
	j.backslash = j.root > 1;
	j.separator = j.root > 0 ? parts[0].p[j.root - 1] : '/';
	if (j.root > 0)
		memcpy(j.p, parts[0].p, j.root);
	if (parts[0].len > j.root)
		path_add_part(&j, (struct str){ parts[0].p + j.root, parts[0].len - j.root });
	for (size_t i = 1; i < count; i++)
		path_add_part(&j, parts[i]);
	out->len = j.len;
	ASSERT(out->len <= out->cap && j.fixed <= j.len && j.root <= j.fixed);
}

void path_join(struct text *out, struct str comp_dir, struct str dir, struct str name)
{
	const struct str parts[] = { comp_dir, dir, name };
	const bool bracketed = str_starts(name, STR("<")) && str_ends(name, STR(">"));
	if (bracketed)
		text_set(out, name);
	else if (path_is_absolute(name))
		debug_path_join(out, parts + 2, 1);
	else if (path_is_absolute(dir))
		debug_path_join(out, parts + 1, 2);
	else
		debug_path_join(out, parts, 3);
}
