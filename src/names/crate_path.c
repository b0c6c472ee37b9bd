/* Finds the crate of a Rust source file by its path. */
#include "names/crate_path.h"

#include "names/package_name.h"

#include <ctype.h>

/* Folders and file name of a path, without empty parts. Parts after the first 48 are ignored. */
enum { PARTS_MAX = 48 };

struct crate_path_parts {
	struct str list[PARTS_MAX];
	size_t count;
};

static void crate_path_split(struct crate_path_parts *p, struct str path)
{
	size_t start = 0;
	p->count = 0;
	for (size_t i = 0; i <= path.len && p->count < PARTS_MAX; i++) {
		if (i < path.len && path.p[i] != '/' && path.p[i] != '\\')
			continue;
		if (i > start)
			p->list[p->count++] = (struct str){ path.p + start, i - start };
		start = i + 1;
	}
}

static bool is_folder(const struct crate_path_parts *p, size_t i, const char *name)
{
	return i + 1 < p->count && str_eq(p->list[i], str_of(name));
}

/* Returns NAME of "NAME-HASH" if HASH has at least `digits` hexadecimal digits, else "". */
static struct str before_hash(struct str s, size_t digits)
{
	size_t len = s.len;
	while (len > 0 && isxdigit((unsigned char)s.p[len - 1]))
		len--;
	const bool hashed = s.len - len >= digits && len > 1 && s.p[len - 1] == '-';
	return (struct str){ s.p, hashed ? len - 1 : 0 };
}

static struct crate_path crate_path_named(struct str name)
{
	return (struct crate_path){ CRATE_NAMED, name, STR("") };
}

/* Returns the crate with a folder's name, and its version if the name has one. */
static struct crate_path of_folder(struct str folder)
{
	struct crate_path ret = crate_path_named(folder);
	crate_version(folder, &ret.name, &ret.version);
	return ret;
}

static bool crate_path_is_library(struct str name)
{
	return str_eq(name, STR("core")) || str_eq(name, STR("alloc")) || str_eq(name, STR("std"));
}

/* Returns the crate to which a folder of Rust's own library belongs: "stdarch" is part of core. */
static struct crate_path of_library(struct str name)
{
	static const struct {
		const char *folder, *crate;
	} parts[] = { { "stdarch", "core" },
		      { "portable-simd", "core" },
		      { "backtrace", "std" },
		      { "compiler-builtins", "compiler_builtins" } };
	if (crate_path_is_library(name))
		return (struct crate_path){ CRATE_LIBRARY, name, STR("") };
	for (size_t i = 0; i < COUNT_OF(parts); i++)
		if (str_eq(name, str_of(parts[i].folder)))
			name = str_of(parts[i].crate);
	return (struct crate_path){ crate_path_is_library(name) ? CRATE_LIBRARY : CRATE_NAMED, name,
				    STR("") };
}

static bool crate_path_find_library(const struct crate_path_parts *p, size_t i,
				    struct crate_path *ret)
{
	ASSERT(i < p->count);
	/* Folders of rustc's source are called "/rustc/HASH" or "rustc-1.63.0". */
	const bool rustc = i > 0 && (str_starts(p->list[i - 1], STR("rustc-")) ||
				     (i > 1 && str_eq(p->list[i - 2], STR("rustc"))));
	if (i + 2 >= p->count || (i > 0 && !rustc))
		return false;
	const struct str next = p->list[i + 1];
	if (is_folder(p, i, "library"))
		*ret = of_library(next);
	else if (i > 0 && is_folder(p, i, "src") && str_starts(next, STR("lib")))
		*ret = of_library(str_from(next, 3));
	else
		return false;
	return true;
}

/* Returns the last folder from part `first` on that contains a folder "src", or "". Some crates
 * have their sources in "NAME/src/src". */
static struct str source_folder(const struct crate_path_parts *p, size_t first)
{
	for (size_t i = p->count; i-- > first + 1;)
		if (is_folder(p, i, "src") && !is_folder(p, i - 1, "src") &&
		    !str_eq(p->list[i - 1], STR("usr")))
			return p->list[i - 1];
	return STR("");
}

/* Reads crate and version from the name of folder i. False if it has no version. */
static bool find_versioned(const struct crate_path_parts *p, size_t i, struct crate_path *ret)
{
	if (i + 1 >= p->count)
		return false;
	*ret = of_folder(p->list[i]);
	return ret->version.len > 0;
}

/* Finds the crate of a path in one of cargo's git checkouts, which may have several crates. */
static bool find_checkout(const struct crate_path_parts *p, size_t i, struct crate_path *ret)
{
	if (!is_folder(p, i, "git") || !is_folder(p, i + 1, "checkouts") || i + 4 >= p->count)
		return false;
	const struct str name = before_hash(p->list[i + 2], 8);
	const struct str within = source_folder(p, i + 4);
	*ret = crate_path_named(within.len > 0 ? within : name.len > 0 ? name : p->list[i + 2]);
	return true;
}

/* Finds the crate of a path of Bazel: a crate has a folder, whose name begins with the rule that
 * fetched the crate. */
static bool find_external(const struct crate_path_parts *p, size_t i, struct crate_path *ret)
{
	if (!is_folder(p, i, "external") || !find_versioned(p, i + 1, ret))
		return false;
	for (size_t k = ret->name.len; k-- > 1;)
		if (ret->name.p[k] == '_' && ret->name.p[k - 1] == '_' && k + 1 < ret->name.len) {
			ret->name.len -= k + 1;
			ret->name.p += k + 1;
			break;
		}
	return true;
}

static bool crate_path_find_at(const struct crate_path_parts *p, size_t i, struct crate_path *ret)
{
	ASSERT(i < p->count);
	if (crate_path_find_library(p, i, ret) || find_checkout(p, i, ret) ||
	    find_external(p, i, ret))
		return true;
	if (str_ends(p->list[i], STR("registry")))
		return find_versioned(p, is_folder(p, i + 1, "src") ? i + 3 : i + 1, ret);
	if (is_folder(p, i, "deps") && i == 1 && is_folder(p, 0, "rust"))
		return find_versioned(p, i + 1, ret);
	if (is_folder(p, i, "vendor") && i + 2 < p->count) {
		*ret = of_folder(p->list[i + 1]);
		return true;
	}
	if (is_folder(p, i, "build") && is_folder(p, i + 2, "out")) {
		*ret = crate_path_named(before_hash(p->list[i + 1], 16));
		return ret->name.len > 0;
	}
	return false;
}

struct crate_path crate_of_path(struct str path)
{
	struct crate_path_parts p;
	struct crate_path ret;
	crate_path_split(&p, path);
	for (size_t i = 0; i + 1 < p.count; i++)
		if (crate_path_find_at(&p, i, &ret))
			return ret;
	ret = of_folder(source_folder(&p, 0));
	if (ret.name.len == 0 || crate_path_is_library(ret.name))
		ret = (struct crate_path){ CRATE_OWN, STR(""), STR("") };
	return ret;
}
