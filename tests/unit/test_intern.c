#include "base/intern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static void ids_count_up_in_the_order_of_first_sight(void **state)
{
	struct intern in = { 0 };
	(void)state;
	assert_int_equal(intern_add(&in, STR("a")), 0);
	assert_int_equal(intern_add(&in, STR("b")), 1);
	assert_int_equal(intern_add(&in, STR("a")), 0);
	assert_int_equal(intern_borrow(&in, STR("b")), 1);
	assert_int_equal(intern_add(&in, STR("")), 2);
	assert_true(str_eq(intern_get(&in, 1), STR("b")));
	intern_release(&in);
}

static void copies_do_not_need_the_original(void **state)
{
	struct intern in = { 0 };
	char text[] = "hello";
	(void)state;
	const uint32_t id = intern_add(&in, str_of(text));
	text[0] = 'j';
	assert_string_equal(intern_get(&in, id).p, "hello");
	assert_int_not_equal(intern_add(&in, str_of(text)), id);
	intern_release(&in);
}

static void strings_that_only_share_a_start_are_different(void **state)
{
	struct intern in = { 0 };
	const char zeros[40] = { 0 };
	(void)state;
	for (size_t len = 0; len < sizeof zeros; len++)
		assert_int_equal(intern_add(&in, (struct str){ zeros, len }), len);
	intern_release(&in);
}

static void what_was_never_added_is_not_found(void **state)
{
	struct intern in = { 0 };
	uint32_t id = 99;
	(void)state;
	assert_false(intern_find(&in, STR("a"), &id));
	intern_add(&in, STR("x"));
	intern_add(&in, STR("a"));
	assert_true(intern_find(&in, STR("a"), &id));
	assert_int_equal(id, 1);
	assert_false(intern_find(&in, STR("b"), &id));
	assert_int_equal(in.entries.count, 2);
	intern_release(&in);
}

static void many_strings_keep_their_ids(void **state)
{
	struct intern in = { 0 };
	char text[32];
	(void)state;
	for (unsigned round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 50000; i++) {
			const int n = snprintf(text, sizeof text, "name_%u_%u", i, i % 13);
			assert_int_equal(intern_add(&in, (struct str){ text, (size_t)n }), i);
		}
	}
	assert_int_equal(in.entries.count, 50000);
	intern_release(&in);
}

static void a_hash_given_is_as_good_as_one_computed(void **state)
{
	struct intern in = { 0 };
	const struct hashed_text foo = { STR("foo"), hash_bytes("foo", 3) };
	const struct hashed_text bar = { STR("bar"), hash_bytes("bar", 3) };
	(void)state;
	const uint32_t id = intern_add(&in, foo.text);
	assert_int_equal(intern_borrow_hashed(&in, &foo), id);
	assert_int_equal(intern_borrow_hashed(&in, &bar), id + 1);
	assert_int_equal(intern_add(&in, bar.text), id + 1);
	intern_release(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_count_up_in_the_order_of_first_sight),
		cmocka_unit_test(copies_do_not_need_the_original),
		cmocka_unit_test(strings_that_only_share_a_start_are_different),
		cmocka_unit_test(what_was_never_added_is_not_found),
		cmocka_unit_test(many_strings_keep_their_ids),
		cmocka_unit_test(a_hash_given_is_as_good_as_one_computed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
