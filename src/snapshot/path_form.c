/* Turns paths into a form that does not depend on the build directory. */
#include "snapshot/path_form.h"

struct str path_common(struct str a, struct str b)
{
	size_t n = 0;
	while (n < a.len && n < b.len && a.p[n] == b.p[n])
		n++;
	return (struct str){ a.p, n };
}

void path_shared(struct text *out, struct str prefix, size_t count)
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

/* A path in two parts: before the build directory, and inside the build directory */
struct split {
	struct str head, rest;
	bool in_build;
};

static struct str path_form_behind(struct str s, size_t count)
{
	return (struct str){ s.p + count, s.len - count };
}

static bool path_form_take(struct str *s, struct str word)
{
	const bool ok = str_starts(*s, word);
	if (ok)
		*s = path_form_behind(*s, word.len);
	return ok;
}

/* Returns the length of the first component with its slash. 0 if there is no slash. */
static size_t path_form_component(struct str s)
{
	const char *slash = s.len > 0 ? memchr(s.p, '/', s.len) : NULL;
	return slash && slash > s.p ? (size_t)(slash - s.p) + 1 : 0;
}

/* Removes the folder `kind` from the start of a path: "gen/x" becomes "x". Also removes the folder
 * of another toolchain, as in "clang_x64/gen/x". */
static bool take_kind(struct str *s, struct str kind, bool in_build)
{
	struct str other = path_form_behind(*s, path_form_component(*s));
	if (path_form_take(s, kind))
		return true;
	if (!in_build || !path_form_take(&other, kind))
		return false;
	*s = other;
	return true;
}

/* Splits a path after "out/Release/" or a similar build directory. Any folder may be called "out".
 * If it is not at the start of the path, the folder `kind`, such as "gen/", must follow. */
static bool split_out(struct split *s, struct str kind)
{
	const struct str path = s->rest;
	for (size_t i = 0; i < path.len; i++) {
		struct str rest = path_form_behind(path, i);
		if ((i > 0 && path.p[i - 1] != '/') || !path_form_take(&rest, STR("out/")))
			continue;
		const size_t name = path_form_component(rest);
		struct str inner = rest = path_form_behind(rest, name);
		if (name == 0 || rest.len == 0 || (i > 0 && !take_kind(&inner, kind, true)))
			continue;
		*s = (struct split){ { path.p, i }, rest, true };
		return true;
	}
	return false;
}

/* Splits a path at the build directory, in whose parent the sources are. */
static bool split_build(struct split *s, struct str build)
{
	size_t parent = build.len;
	while (parent > 0 && build.p[parent - 1] != '/')
		parent--;
	if (build.len == 0 || !str_starts(s->rest, build) || s->rest.len <= build.len ||
	    s->rest.p[build.len] != '/')
		return false;
	struct str head = { s->rest.p, parent };
	if (str_ends(head, STR("/out/")) || str_eq(head, STR("out/")))
		head.len -= 4;
	*s = (struct split){ head, path_form_behind(s->rest, build.len + 1), true };
	return true;
}

/* Removes what rustc appends to the source of a crate: "/@/", the crate, a hash of the build, and
 * the number of the unit. Another build has other hashes and numbers. */
static struct str without_unit(struct str path)
{
	const size_t mark = str_find(path, STR("/@/")), unit = str_find(path, STR("-cgu."));
	const size_t dot = str_find(path, STR("."));
	if (mark < path.len)
		return str_upto(path, mark);
	return unit < path.len && dot < unit && !memchr(path.p, '/', path.len) ? str_upto(path, dot)
									       : path;
}

bool path_form(struct text *out, struct str whole, struct str build, bool object,
	       bool *ret_generated)
{
	const struct str path = without_unit(whole);
	const struct str kind = object ? STR("obj/") : STR("gen/");
	struct split s = { STR(""), path, false };
	*ret_generated = false;
	if (path.len == 0 || strchr("$([<", path.p[0]))
		return false;
	while (path_form_take(&s.rest, STR("../")))
		;
	if (s.rest.len == path.len && !split_build(&s, build))
		(void)split_out(&s, kind);
	const bool local = s.in_build || (s.rest.len == path.len && path.p[0] != '/');
	const bool own = local && take_kind(&s.rest, kind, s.in_build);
	*ret_generated = !object && (own || s.in_build);
	if (s.head.len + s.rest.len == whole.len || s.rest.len == 0)
		return false;
	text_set(out, s.head);
	text_add(out, s.rest);
	return true;
}
