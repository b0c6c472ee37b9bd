/* Gives temporary objects a name that is the same in each build: objects of link-time optimization,
 * and objects that compilers put in a folder for temporary files. */
#include "linkmap/linkmap_internal.h"

static bool object_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool object_is_hex(char c)
{
	return object_is_digit(c) || (c >= 'a' && c <= 'f');
}

/* Returns the length of the name without the last characters that `is_such` accepts. */
static size_t without_end(struct str s, bool (*is_such)(char c))
{
	while (s.len > 0 && is_such(s.p[s.len - 1]))
		s.len--;
	return s.len;
}

/* Reduces the path of a partition of gcc's link-time optimizer, whose beginning is random:
 * "/tmp/ccSV3a2j.ltrans0.ltrans.o" becomes "ltrans0.ltrans.o". False for other paths. */
static bool partition_name(struct str path, struct text *ret)
{
	const struct str end = STR(".ltrans.o"), mark = STR(".ltrans");
	struct str head = path;
	if (!str_ends(path, end))
		return false;
	head.len -= end.len;
	const size_t numbered = head.len;
	head.len = without_end(head, object_is_digit);
	if (head.len == numbered || !str_ends(head, mark))
		return false;
	text_set(ret, map_cut(path, head.len - mark.len + 1));
	return true;
}

/* Sets *ret to the bitcode from which lld made an object: "sub/m.o" for "sub/PROGRAM.lto.m.o", and
 * "sub/libx.a(y.o)" for "sub/PROGRAM.lto.libx.a(y.o at 96).o". False for other paths. */
static bool module_name(struct str path, struct text *ret)
{
	const struct str mark = STR(".lto."), at = STR(" at "), end = STR(".o");
	const size_t marked = str_find(path, mark);
	size_t dir = marked;
	if (marked == path.len || !str_ends(path, end) || marked + mark.len + end.len >= path.len)
		return false;
	while (dir > 0 && path.p[dir - 1] != '/' && path.p[dir - 1] != '\\')
		dir--;
	struct str name = map_cut(path, marked + mark.len);
	const struct str stem = { name.p, name.len - end.len };
	if (without_end(stem, object_is_digit) == 0) /* The stem is the number of a partition. */
		return false;
	text_set(ret, (struct str){ path.p, dir });
	if (str_ends(stem, STR(")"))) {
		name = (struct str){ stem.p, stem.len - 1 };
		const struct str member = { name.p, without_end(name, object_is_digit) };
		if (member.len < name.len && str_ends(member, at))
			name.len = member.len - at.len;
		text_adds(ret, name, STR(")"));
	} else {
		text_add(ret, name);
	}
	return true;
}

/* Reduces the path of an object that clang put in a folder for temporary files, because it compiled
 * and linked at once, to "c.o": "/tmp/c-674df2.o". LLVM's plug-in writes "/tmp/lto-llvm-230bb7.o".
 * False for other paths. */
static bool temporary_name(struct str path, struct text *ret)
{
	static const char *const folders[] = { "/tmp/", "/T/", "\\Temp\\", "/Temp/" };
	enum { DIGITS = 6 };
	const struct str end = STR(".o");
	if (!str_ends(path, end))
		return false;
	const struct str stem = { path.p, path.len - end.len };
	const size_t cut = without_end(stem, object_is_hex);
	size_t start = cut;
	if (cut < 2 || cut + DIGITS != stem.len || stem.p[cut - 1] != '-')
		return false;
	while (start > 0 && path.p[start - 1] != '/' && path.p[start - 1] != '\\')
		start--;
	const struct str dir = { path.p, start };
	for (size_t i = 0; i < COUNT_OF(folders); i++) {
		if (!str_ends(dir, str_of(folders[i])))
			continue;
		text_set(ret, (struct str){ path.p + start, cut - 1 - start });
		text_add(ret, end);
		return true;
	}
	return false;
}

struct str linkmap_object_name(struct str path, struct text *scratch, struct text *module)
{
	if (partition_name(path, scratch))
		return text_str(scratch);
	if (module_name(path, module))
		path = text_str(module);
	return temporary_name(path, scratch) ? text_str(scratch) : path;
}
