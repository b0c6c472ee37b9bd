#include "base/err.h"

#include "base/tame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static void an_error_is_one_line_whatever_names_hold(void **state)
{
	struct heft_err err;
	(void)state;
	assert_false((fail)(&err, HEFT_EFORMAT, 7, "%s: no %s", "a\nb",
			    "\x1b[31m\x7f\xc2\x9b\xff\xe2\x80\xae"));
	assert_string_equal(err.text, "a\\nb: no \\x1b[31m\\x7f\\xc2\\x9b\\xff\\xe2\\x80\\xae");
	assert_int_equal(err.code, HEFT_EFORMAT);
	assert_int_equal(err.offset, 7);
	(fail)(&err, HEFT_EFORMAT, 7, "%s", "C:\\dir\\\xc3\xa4\xe2\x82\xac");
	assert_string_equal(err.text, "C:\\dir\\\xc3\xa4\xe2\x82\xac");
	assert_false((fail)(NULL, HEFT_EFORMAT, 0, "x"));
}

static void a_long_error_ends_behind_a_whole_escape(void **state)
{
	struct heft_err err;
	char name[600];
	(void)state;
	for (size_t lead = 0; lead < 4; lead++) {
		memset(name, '\x1b', sizeof name);
		memset(name, 'x', lead);
		name[sizeof name - 1] = '\0';
		(fail)(&err, HEFT_EFORMAT, 0, "%s", name);
		const size_t size = strlen(err.text);
		assert_true(size < sizeof err.text && size >= sizeof err.text - 4);
		assert_int_equal((size - lead) % 4, 0);
		assert_string_equal(err.text + size - 4, "\\x1b");
	}
}

static void what_fits_is_copied(void **state)
{
	char to[8];
	(void)state;
	tame_copy(to, sizeof to, STR(""));
	assert_string_equal(to, "");
	tame_copy(to, 1, STR("abc"));
	assert_string_equal(to, "");
	tame_copy(to, sizeof to, STR("1234567"));
	assert_string_equal(to, "1234567");
	tame_copy(to, sizeof to, STR("123456\n"));
	assert_string_equal(to, "123456");
	tame_copy(to, sizeof to, STR("12345\xc3\xa4!"));
	assert_string_equal(to, "12345\xc3\xa4");
	tame_copy(to, sizeof to, STR("123456\xc3\xa4"));
	assert_string_equal(to, "123456");
}

static void notes_of_one_kind_and_file_are_counted(void **state)
{
	struct notes n;
	(void)state;
	notes_init(&n);
	note(NULL, "a", 1, 2, "nobody listens");
	for (uint64_t i = 0; i < 6; i++)
		note(&n, i % 2 ? "a" : "b", i, 10, "odd\n%d", (int)i);
	assert_int_equal(n.count, 2);
	assert_string_equal(n.data[0].path, "b");
	assert_string_equal(n.data[0].text, "odd\\n0");
	assert_int_equal(n.data[0].offset, 0);
	assert_int_equal(n.data[1].count, 3);
	assert_int_equal(n.data[1].bytes, 30);
	note(&n, "a", 0, UINT64_MAX, "odd");
	assert_int_equal(n.count, 3);
	notes_release(&n);
}

static void notes_handed_on_are_counted_with_their_kind(void **state)
{
	static const char kind[] = "odd", other[] = "odder";
	struct notes n, more;
	(void)state;
	notes_init(&n);
	notes_init(&more);
	note(&n, "a", 0, 1, kind);
	note(&more, "a", 0, 2, kind);
	note(&more, "b", 0, 4, kind);
	note(&more, "a", 0, 8, other);
	notes_append(&n, &more);
	assert_int_equal(more.count, 0);
	assert_int_equal(n.count, 3);
	assert_int_equal(n.data[0].count, 2);
	assert_int_equal(n.data[0].bytes, 3);
	note(&n, "a", 0, 16, other);
	note(&more, "a", 0, 32, other);
	notes_append(&n, &more);
	assert_int_equal(n.data[2].bytes, 56);
	notes_release(&n);
	notes_release(&more);
}

/* Were each compared with all before it, this would take minutes. */
static void many_files_may_be_odd(void **state)
{
	enum { FILES = 200000 };
	struct notes n;
	char path[32];
	(void)state;
	notes_init(&n);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < FILES; i++) {
			snprintf(path, sizeof path, "archive(member%d.o)", i);
			note(&n, path, 0, 1, "odd");
		}
	}
	assert_int_equal(n.count, FILES);
	assert_int_equal(n.data[FILES - 1].bytes, 2);
	notes_release(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_error_is_one_line_whatever_names_hold),
		cmocka_unit_test(a_long_error_ends_behind_a_whole_escape),
		cmocka_unit_test(what_fits_is_copied),
		cmocka_unit_test(notes_of_one_kind_and_file_are_counted),
		cmocka_unit_test(notes_handed_on_are_counted_with_their_kind),
		cmocka_unit_test(many_files_may_be_odd),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
