/* What the user says of where the parts of programs are. */
#include "program/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void the_debug_files_of_a_sysroot_come_behind_the_directories_given(void **state)
{
	struct program_wish w = { 0 };
	(void)state;
	wish_add_debug_dir(&w, "first");
	wish_set_sysroot(&w, "/target");
	wish_add_debug_dir(&w, "second");
	assert_int_equal(w.debug_dirs.count, 3);
	assert_string_equal(w.debug_dirs.data[0], "first");
	assert_string_equal(w.debug_dirs.data[1], "second");
	assert_string_equal(w.debug_dirs.data[2], "/target/usr/lib/debug");
	wish_set_sysroot(&w, "/other");
	assert_int_equal(w.debug_dirs.count, 3);
	assert_string_equal(w.debug_dirs.data[2], "/other/usr/lib/debug");
	wish_set_sysroot(&w, NULL);
	assert_int_equal(w.debug_dirs.count, 2);
	wish_release(&w);
}

static void fill(struct program_wish *w)
{
	wish_add(w, &w->debug_files, "a.debug");
	wish_add_debug_dir(w, "dir");
	wish_add(w, &w->maps, "a.map");
	wish_add(w, &w->programs, "a");
	wish_set_sysroot(w, "/target");
	wish_set_arch(w, "arm64");
	w->flags = HEFT_FIND_NO_MAP;
	assert_true(paths_add_map(&w->paths, STR("/old"), STR("/new"), NULL));
	assert_true(paths_add_map(&w->paths, STR("/gone"), STR(""), NULL));
	assert_true(paths_add_strip(&w->paths, STR("/new"), NULL));
}

static void assert_shown(const struct program_wish *w, const char *path, const char *shown)
{
	struct text t = { 0 };
	assert_true(paths_apply(&w->paths, str_of(path), &t));
	assert_true(str_eq(text_str(&t), str_of(shown)));
	text_release(&t);
}

static void a_copy_says_the_same_when_the_first_is_gone(void **state)
{
	struct program_wish w = { 0 }, copy = { 0 };
	(void)state;
	fill(&w);
	wish_copy(&copy, &w);
	wish_release(&w);
	assert_int_equal(copy.debug_files.count, 1);
	assert_string_equal(copy.debug_files.data[0], "a.debug");
	assert_int_equal(copy.debug_dirs.count, 2);
	assert_string_equal(copy.debug_dirs.data[0], "dir");
	assert_string_equal(copy.debug_dirs.data[1], "/target/usr/lib/debug");
	assert_int_equal(copy.maps.count, 1);
	assert_string_equal(copy.maps.data[0], "a.map");
	assert_string_equal(copy.programs.data[0], "a");
	assert_string_equal(copy.sysroot, "/target");
	assert_string_equal(copy.arch, "arm64");
	assert_int_equal(copy.flags, HEFT_FIND_NO_MAP);
	assert_shown(&copy, "/old/x.c", "x.c");
	assert_shown(&copy, "/gone/x.c", "x.c");
	wish_release(&copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_debug_files_of_a_sysroot_come_behind_the_directories_given),
		cmocka_unit_test(a_copy_says_the_same_when_the_first_is_gone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
