/* Paths joined and made short. */
#include "../lib/rng.h"
#include "debug/path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void check(const char *comp_dir, const char *dir, const char *name, const char *want)
{
	struct text out = { 0 };
	path_join(&out, str_of(comp_dir), str_of(dir), str_of(name));
	if (!str_eq(text_str(&out), str_of(want)))
		fail_msg("(%s) (%s) (%s): got %.*s, want %s", comp_dir, dir, name, (int)out.len,
			 out.p, want);
	text_release(&out);
}

static void the_first_absolute_part_from_the_end_begins_the_path(void **state)
{
	(void)state;
	check("/home/a", "src", "x.c", "/home/a/src/x.c");
	check("/home/a", "/usr/include", "stdio.h", "/usr/include/stdio.h");
	check("/home/a", "/usr/include", "/etc/x.h", "/etc/x.h");
	check("/home/a", "src", "/etc/x.h", "/etc/x.h");
	check("/home/a", "", "x.c", "/home/a/x.c");
	check("", "", "x.c", "x.c");
	check("", "src", "x.c", "src/x.c");
	check("build", "src", "x.c", "build/src/x.c");
	check("/", "", "x.c", "/x.c");
	check("/", "/", "x.c", "/x.c");
	check("", "", "", "");
	check("/a", "b", "", "/a/b");
}

static void dots_and_doubled_separators_go(void **state)
{
	(void)state;
	check("/a/", "b//c", ".//x.c", "/a/b/c/x.c");
	check("/a/./b/.", "./c/./", "./x.c", "/a/b/c/x.c");
	check("", ".", "x.c", "x.c");
	check(".", "./.", "./x.c", "x.c");
	check("", "", "//a///b", "/a/b");
	check("/a", "", "b/", "/a/b");
	check("/a", "", ".", "/a");
	check("/a", "...", ".x", "/a/.../.x");
	check("/a", "..b", "c..", "/a/..b/c..");
}

static void two_dots_take_the_directory_before_them_away(void **state)
{
	(void)state;
	check("/a/b", "..", "x.c", "/a/x.c");
	check("/a/b", "../../c", "x.c", "/c/x.c");
	check("/a/b", "c/../d/e/../..", "x.c", "/a/b/x.c");
	check("a", "../b", "x.c", "b/x.c");
	check("a", "..", "..", "..");
	check("ab/c", "..", "..", "");
	check("/a", "..", "", "/");
}

static void two_dots_at_the_front_stay_unless_they_leave_a_root(void **state)
{
	(void)state;
	check("", "..", "x.c", "../x.c");
	check("", "../..", "x.c", "../../x.c");
	check("..", "a/../../b", "x.c", "../../b/x.c");
	check("a", "../../b/..", "x.c", "../x.c");
	check("/", "..", "x.c", "/x.c");
	check("/a", "../../../b", "x.c", "/b/x.c");
}

static void windows_paths_are_absolute_and_keep_their_backslashes(void **state)
{
	(void)state;
	check("/home", "src", "C:\\w\\x.c", "C:\\w\\x.c");
	check("/home", "src", "c:/w/x.c", "c:/w/x.c");
	check("/home", "D:\\w\\", "x.c", "D:\\w\\x.c");
	check("D:\\w", "sub", "x.c", "D:\\w\\sub\\x.c");
	check("D:/w", "sub", "x.c", "D:/w/sub/x.c");
	check("D:\\w\\a", "..\\b\\.\\", "x.c", "D:\\w\\b\\x.c");
	check("D:\\w\\a", "../b", "x.c", "D:\\w/b\\x.c");
	check("D:\\", "..", "x.c", "D:\\x.c");
	check("/home", "\\\\server\\share", "x.c", "\\\\server\\share\\x.c");
}

static void a_backslash_is_a_letter_like_any_other_elsewhere(void **state)
{
	(void)state;
	check("/home", "a\\..", "x.c", "/home/a\\../x.c");
	check("/home", "", "\\x.c", "/home/\\x.c");
	check("/home", "", "C:x.c", "/home/C:x.c");
	check("/home", "", "1:/x.c", "/home/1:/x.c");
}

static void names_in_angle_brackets_stay(void **state)
{
	(void)state;
	check("/home", "src", "<built-in>", "<built-in>");
	check("/home", "/src", "<a/../b>", "<a/../b>");
	check("/home", "src", "<x", "/home/src/<x");
	check("/home", "src", "x>", "/home/src/x>");
}

static void absolute_is_what_begins_at_a_root(void **state)
{
	(void)state;
	const char *const yes[] = { "/", "/a", "C:/", "z:\\a", "\\\\s" };
	const char *const no[] = { "", "a", "C:", "C:a", "\\a", "1:/", "./a", "<x>" };
	for (size_t i = 0; i < COUNT_OF(yes); i++)
		assert_true(path_is_absolute(str_of(yes[i])));
	for (size_t i = 0; i < COUNT_OF(no); i++)
		assert_false(path_is_absolute(str_of(no[i])));
}

static struct str random_part(struct rng *rng, char *room, size_t max)
{
	static const char letters[] = "//..ab\\:C<";
	const size_t len = (size_t)rng_below(rng, max);
	for (size_t i = 0; i < len; i++)
		room[i] = letters[rng_below(rng, sizeof letters - 1)];
	return (struct str){ room, len };
}

/* Whether there is nothing left to take away.  Not asked where a backslash may be either letter or
 * separator, nor of names in brackets. */
static bool is_short(struct str s)
{
	if ((s.len > 0 && s.p[0] == '<') || memchr(s.p, '\\', s.len))
		return true;
	for (size_t i = 0; i + 1 < s.len; i++)
		if (s.p[i] == '/' && s.p[i + 1] == '/')
			return false;
	return s.len < 2 || s.p[s.len - 1] != '/' || (s.len == 3 && s.p[1] == ':');
}

/* The buffer has exactly the room that the rule allows, so a sanitizer sees one byte more. */
static void a_path_is_never_longer_than_its_parts_and_two_separators(void **state)
{
	(void)state;
	struct rng rng = { 1 };
	for (int i = 0; i < 200000; i++) {
		char room[3][16];
		const struct str a = random_part(&rng, room[0], 16);
		const struct str b = random_part(&rng, room[1], 16);
		const struct str c = random_part(&rng, room[2], 16);
		const size_t most = a.len + b.len + c.len + 2;
		struct text out = { .p = mem_alloc(most), .cap = most }, again = { 0 };
		path_join(&out, a, b, c);
		assert_true(out.len <= most && out.cap == most);
		const struct str s = text_str(&out);
		assert_true(is_short(s));
		path_join(&again, STR(""), STR(""), s);
		assert_true(str_eq(text_str(&again), s) || memchr(s.p, '\\', s.len));
		text_release(&again);
		text_release(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_absolute_part_from_the_end_begins_the_path),
		cmocka_unit_test(dots_and_doubled_separators_go),
		cmocka_unit_test(two_dots_take_the_directory_before_them_away),
		cmocka_unit_test(two_dots_at_the_front_stay_unless_they_leave_a_root),
		cmocka_unit_test(windows_paths_are_absolute_and_keep_their_backslashes),
		cmocka_unit_test(a_backslash_is_a_letter_like_any_other_elsewhere),
		cmocka_unit_test(names_in_angle_brackets_stay),
		cmocka_unit_test(absolute_is_what_begins_at_a_root),
		cmocka_unit_test(a_path_is_never_longer_than_its_parts_and_two_separators),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
