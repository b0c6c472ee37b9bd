#include "map/paths.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static const char *applied(const struct paths *p, const char *path)
{
	static char shown[100];
	struct text out = { 0 };
	if (!paths_apply(p, str_of(path), &out)) {
		text_release(&out);
		return path;
	}
	assert_true(out.len < sizeof shown);
	memcpy(shown, out.p, out.len);
	shown[out.len] = '\0';
	text_release(&out);
	return shown;
}

static void a_prefix_ends_where_a_component_ends(void **state)
{
	struct paths p = { 0 };
	(void)state;
	assert_true(paths_add_map(&p, STR("/build/a"), STR("/src"), NULL));
	assert_string_equal(applied(&p, "/build/a/x.c"), "/src/x.c");
	assert_string_equal(applied(&p, "/build/a"), "/src");
	assert_string_equal(applied(&p, "/build/ab/x.c"), "/build/ab/x.c");
	assert_string_equal(applied(&p, "/build"), "/build");
	paths_release(&p);
}

static void separators_at_the_end_make_no_difference(void **state)
{
	struct paths p = { 0 };
	(void)state;
	assert_true(paths_add_map(&p, STR("/build/"), STR("/src//"), NULL));
	assert_string_equal(applied(&p, "/build/x.c:10"), "/src/x.c:10");
	paths_release(&p);
}

static void the_first_map_that_fits_counts(void **state)
{
	struct paths p = { 0 };
	(void)state;
	assert_true(paths_add_map(&p, STR("/a/b"), STR("one"), NULL));
	assert_true(paths_add_map(&p, STR("/a"), STR("two"), NULL));
	assert_true(paths_add_map(&p, STR("one"), STR("never"), NULL));
	assert_string_equal(applied(&p, "/a/b/c.c"), "one/c.c");
	assert_string_equal(applied(&p, "/a/c.c"), "two/c.c");
	paths_release(&p);
}

static void prefixes_are_stripped_after_the_maps(void **state)
{
	struct paths p = { 0 };
	(void)state;
	assert_true(paths_add_strip(&p, STR("/src/"), NULL));
	assert_true(paths_add_map(&p, STR("/build"), STR("/src"), NULL));
	assert_string_equal(applied(&p, "/build/lib/x.c"), "lib/x.c");
	assert_string_equal(applied(&p, "/src/x.c"), "x.c");
	assert_string_equal(applied(&p, "/src"), "/src");
	assert_string_equal(applied(&p, "/srcs/x.c"), "/srcs/x.c");
	paths_release(&p);
}

static void the_root_and_nothing_can_stand_for_a_prefix(void **state)
{
	struct paths p = { 0 };
	(void)state;
	assert_true(paths_add_map(&p, STR("/old"), STR(""), NULL));
	assert_true(paths_add_map(&p, STR("rel"), STR("/"), NULL));
	assert_true(paths_add_map(&p, STR("/"), STR("ROOT"), NULL));
	assert_string_equal(applied(&p, "/old/x.c"), "x.c");
	assert_string_equal(applied(&p, "rel/x.c"), "/x.c");
	assert_string_equal(applied(&p, "/x.c"), "ROOT/x.c");
	paths_release(&p);
}

static void what_is_no_path_stays(void **state)
{
	struct paths p = { 0 };
	(void)state;
	assert_true(paths_add_map(&p, STR("[section"), STR("x"), NULL));
	assert_true(paths_add_map(&p, STR("<built-in>"), STR("x"), NULL));
	assert_string_equal(applied(&p, "[section"), "[section");
	assert_string_equal(applied(&p, "<built-in>"), "<built-in>");
	paths_release(&p);
}

static void an_empty_prefix_is_refused(void **state)
{
	struct paths p = { 0 };
	struct heft_err err;
	(void)state;
	assert_false(paths_add_map(&p, STR(""), STR("/src"), &err));
	assert_int_equal(err.code, HEFT_EARG);
	assert_false(paths_add_strip(&p, STR(""), &err));
	assert_int_equal(err.code, HEFT_EARG);
	assert_true(paths_empty(&p));
	paths_release(&p);
}

static void assert_directory(const char *path, unsigned level, const char *wanted)
{
	const struct str d = path_directory(str_of(path), level);
	assert_int_equal(d.len, strlen(wanted));
	assert_memory_equal(d.p, wanted, d.len);
}

static void a_directory_is_what_stands_before_the_name(void **state)
{
	(void)state;
	assert_directory("/usr/include/a.h", 0, "/usr/include");
	assert_directory("/a.h", 0, "/");
	assert_directory("src/a.c", 0, "src");
	assert_directory("a.c", 0, ".");
	assert_directory("C:\\src\\a.c", 0, "C:\\src");
	assert_directory("C:\\a.c", 0, "C:\\");
	assert_directory("<artificial>", 0, "<artificial>");
	assert_directory("[section .text]", 0, "[section .text]");
	assert_directory("(units without a name)", 2, "(units without a name)");
}

static void levels_are_components_from_the_root_down(void **state)
{
	(void)state;
	assert_directory("/usr/include/c++/a.h", 1, "/usr");
	assert_directory("/usr/include/c++/a.h", 2, "include");
	assert_directory("/usr/include/c++/a.h", 3, "c++");
	assert_directory("src/lib/a.c", 1, "src");
	assert_directory("src/lib/a.c", 2, "lib");
	assert_directory("C:\\src\\lib\\a.c", 1, "C:\\src");
	assert_directory("C:\\src\\lib\\a.c", 2, "lib");
}

static void a_directory_that_is_not_as_deep_shows_its_last_component(void **state)
{
	(void)state;
	assert_directory("/usr/include/a.h", 3, "include");
	assert_directory("/usr/include/a.h", 9, "include");
	assert_directory("/a.h", 2, "/");
	assert_directory("a.c", 4, ".");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_prefix_ends_where_a_component_ends),
		cmocka_unit_test(separators_at_the_end_make_no_difference),
		cmocka_unit_test(the_first_map_that_fits_counts),
		cmocka_unit_test(prefixes_are_stripped_after_the_maps),
		cmocka_unit_test(the_root_and_nothing_can_stand_for_a_prefix),
		cmocka_unit_test(what_is_no_path_stays),
		cmocka_unit_test(an_empty_prefix_is_refused),
		cmocka_unit_test(a_directory_is_what_stands_before_the_name),
		cmocka_unit_test(levels_are_components_from_the_root_down),
		cmocka_unit_test(a_directory_that_is_not_as_deep_shows_its_last_component),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
