/* Finds the library of an object or compile unit by its name. */
#define _GNU_SOURCE /* memmem, memrchr */
#include "source/library_name.h"

bool unit_of_archive(struct str unit, struct str *ret)
{
	size_t end = unit.len;
	while (end > 0 && unit.p[end - 1] != '(')
		end--;
	if (end < 4 || unit.p[unit.len - 1] != ')' || memcmp(unit.p + end - 3, ".a(", 3) != 0)
		return false;
	size_t start = --end;
	while (start > 0 && unit.p[start - 1] != '/')
		start--;
	*ret = (struct str){ unit.p + start, end - start };
	return true;
}

/* Finds a member's archive as snapshots name it: "libx.a" for "DIR/libx.a/y.o". Or false. */
static bool of_member(struct str unit, struct str *ret)
{
	const char *end = unit.len > 0 ? memrchr(unit.p, '/', unit.len) : NULL;
	const struct str archive = { unit.p, end ? (size_t)(end - unit.p) : 0 };
	if (!str_ends(archive, STR(".a")))
		return false;
	const char *slash = memrchr(archive.p, '/', archive.len);
	const char *start = slash ? slash + 1 : archive.p;
	*ret = (struct str){ start, (size_t)(end - start) };
	return ret->len > 2;
}

bool unit_is_shared_library(struct str unit)
{
	return str_starts(unit, STR("lib")) && !memchr(unit.p, '/', unit.len) &&
	       memmem(unit.p, unit.len, ".so", 3) != NULL;
}

bool unit_of_crate(struct str unit, struct str *ret)
{
	static const char mark[] = "/@/";
	const char *at = memmem(unit.p, unit.len, mark, sizeof mark - 1);
	if (!at)
		return false;
	at += sizeof mark - 1;
	const size_t left = (size_t)(unit.p + unit.len - at);
	const char *const dot = memchr(at, '.', left);
	*ret = (struct str){ at, dot ? (size_t)(dot - at) : left };
	return ret->len > 0;
}

/* Finds the crate of "DIR/libserde-0123456789abcdef.rlib(serde.o)", or as snapshots name it
 * "....rlib/serde.o". */
static bool of_rlib(struct str unit, struct str *ret)
{
	static const char mark[] = ".rlib";
	const char *end = memmem(unit.p, unit.len, mark, sizeof mark - 1);
	const char *after = end ? end + sizeof mark - 1 : NULL;
	if (!after || after == unit.p + unit.len || (*after != '(' && *after != '/'))
		return false;
	const char *start = memrchr(unit.p, '/', (size_t)(end - unit.p));
	start = start ? start + 1 : unit.p;
	start += str_starts((struct str){ start, (size_t)(end - start) }, STR("lib")) ? 3 : 0;
	const char *dash = memrchr(start, '-', (size_t)(end - start));
	const char *hash = dash ? dash + 1 : end;
	while (hash < end && memchr("0123456789abcdef", *hash, 16))
		hash++;
	if (dash && dash + 1 < end && hash == end)
		end = dash;
	*ret = (struct str){ start, (size_t)(end - start) };
	return ret->len > 0;
}

/* Finds the target of cmake: "app" for "DIR/CMakeFiles/app.dir/src/main.c.o". */
static bool of_target(struct str unit, struct str *ret)
{
	static const char folder[] = "CMakeFiles/", ending[] = ".dir/";
	const char *at = memmem(unit.p, unit.len, folder, sizeof folder - 1);
	if (!at)
		return false;
	at += sizeof folder - 1;
	const char *end = memmem(at, (size_t)(unit.p + unit.len - at), ending, sizeof ending - 1);
	*ret = (struct str){ at, end ? (size_t)(end - at) : 0 };
	return ret->len > 0;
}

bool unit_is_lto(struct str unit)
{
	static const char *const marks[] = { "llvmcache-", "lto.tmp", ".lto.", ".ltrans",
					     "lto-llvm" };
	for (size_t i = 0; i < COUNT_OF(marks); i++)
		if (unit.len > 0 && memmem(unit.p, unit.len, marks[i], strlen(marks[i])))
			return true;
	return false;
}

struct str library_name(struct str unit)
{
	struct str found;
	if (unit_of_archive(unit, &found) || of_member(unit, &found) ||
	    unit_of_crate(unit, &found) || of_rlib(unit, &found) || of_target(unit, &found))
		return found;
	if (unit_is_shared_library(unit))
		return unit;
	if (unit_is_lto(unit))
		return STR("(link-time optimization)");
	const char *slash = unit.len > 0 ? memrchr(unit.p, '/', unit.len) : NULL;
	const size_t len = slash ? (size_t)(slash - unit.p) : 0;
	return len > 0 ? (struct str){ unit.p, len } : STR(".");
}
