/* What compilers say of frames: .su files and .stack_sizes. */
#include "stack/stated.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void expect_line(const char *text, const char *file, const char *name, uint64_t size,
			enum stated_kind kind)
{
	struct str in = str_of(text);
	struct su_line line;
	uint64_t bad = 0;
	assert_true(su_next(&in, &line, &bad));
	assert_true(str_eq(line.file, str_of(file)));
	assert_true(str_eq(line.name, str_of(name)));
	assert_int_equal(line.size, size);
	assert_int_equal(line.kind, kind);
	assert_int_equal(bad, 0);
}

static void lines_of_gcc_and_clang_are_read(void **state)
{
	(void)state;
	expect_line("main.c:12:6:run\t48\tstatic\n", "main.c", "run", 48, STATED_STATIC);
	expect_line("main.c:12:run\t0\tdynamic", "main.c", "run", 0, STATED_DYNAMIC);
	expect_line("a b.c:1:2:run\t8\tdynamic,bounded\r\n", "a b.c", "run", 8, STATED_BOUNDED);
	expect_line("C:\\x.c:3:1:f\t8\tstatic", "C:\\x.c", "f", 8, STATED_STATIC);
	expect_line("x.cc:3:1:int a::f(char*)\t8\tstatic", "x.cc", "int a::f(char*)", 8,
		    STATED_STATIC);
}

static void other_lines_are_counted(void **state)
{
	static const char text[] = "nothing\n\nx.c:f\t8\tstatic\nx.c:1:1:f\t8\tbest\n"
				   "x.c:1:1:f\teight\tstatic\nx.c:1:1:\t8\tstatic\n"
				   "x.c:1:1:f\t99999999999999\tstatic\nx.c:1:1:last\t8\tstatic\n";
	struct str in = str_of(text);
	struct su_line line;
	uint64_t bad = 0;
	(void)state;
	assert_true(su_next(&in, &line, &bad));
	assert_true(str_eq(line.name, STR("last")));
	assert_int_equal(bad, 6);
	assert_false(su_next(&in, &line, &bad));
}

static void expect_plain(const char *name, const char *plain)
{
	struct text work = { 0 };
	assert_true(str_eq(su_plain_name(&work, str_of(name)), str_of(plain)));
	text_release(&work);
}

static void names_of_messages_lose_types(void **state)
{
	(void)state;
	expect_plain("int a::S::m(int) const", "a::S::m");
	expect_plain("T a::S::t(T) [with T = int]", "a::S::t");
	expect_plain("a::S::t<>()", "a::S::t");
	expect_plain("std::vector<int>& a::get()", "a::get");
	expect_plain("main", "main");
	expect_plain("(anonymous namespace)::f()", "");
}

static const char two_files[] = "a.c:1:1:init\t16\tstatic\nb.c:1:1:init\t32\tstatic\n"
				"a.c:9:1:run\t8\tstatic\nb.c:9:1:run\t8\tstatic\n";

static bool find(const char *name, const char *file, bool alone, uint64_t *ret)
{
	struct stated s = { 0 };
	struct su_line line = { .size = 0 };
	assert_int_equal(stated_add(&s, str_of(two_files)), 0);
	const bool found = stated_find(&s, str_of(name), file, alone, &line);
	*ret = line.size;
	stated_release(&s);
	return found;
}

static void the_file_tells_functions_of_one_name_apart(void **state)
{
	uint64_t size;
	(void)state;
	assert_true(find("init", "src/b.c", false, &size));
	assert_int_equal(size, 32);
	assert_true(find("init", "a.c", false, &size));
	assert_int_equal(size, 16);
	assert_false(find("init", NULL, false, &size));
	assert_false(find("init", "c.c", false, &size));
	assert_false(find("nobody", NULL, true, &size));
	/* whichever it is, the frame is the same */
	assert_true(find("run", NULL, false, &size));
	assert_int_equal(size, 8);
	assert_true(find("run", "c.c", true, &size));
	assert_false(find("run", "c.c", false, &size));
}

static void entries_of_the_section_end_where_it_does(void **state)
{
	static const uint8_t bytes[] = { 0, 0x80, 0, 0, 0x80, 0x02, 4, 0x80, 0, 0, 0x08, 1, 2 };
	struct reader r = reader_make(bytes, sizeof bytes, false);
	uint64_t addr, size;
	(void)state;
	assert_true(stack_sizes_next(&r, 4, &addr, &size));
	assert_int_equal(addr, 0x8000);
	assert_int_equal(size, 256);
	assert_true(stack_sizes_next(&r, 4, &addr, &size));
	assert_int_equal(addr, 0x8004);
	assert_int_equal(size, 8);
	assert_false(stack_sizes_next(&r, 4, &addr, &size));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_gcc_and_clang_are_read),
		cmocka_unit_test(other_lines_are_counted),
		cmocka_unit_test(names_of_messages_lose_types),
		cmocka_unit_test(the_file_tells_functions_of_one_name_apart),
		cmocka_unit_test(entries_of_the_section_end_where_it_does),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
