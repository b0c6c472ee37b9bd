#include "base/vec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void an_array_grows_and_keeps_what_it_holds(void **state)
{
	VEC(uint32_t) v = { 0 };
	(void)state;
	for (uint32_t i = 0; i < 100000; i++)
		vec_push(&v, i * 3);
	assert_int_equal(v.count, 100000);
	for (uint32_t i = 0; i < 100000; i++)
		assert_int_equal(v.data[i], i * 3);
	vec_release(&v);
	assert_null(v.data);
	assert_int_equal(v.count, 0);
	assert_int_equal(v.cap, 0);
}

static void structs_with_commas_can_be_pushed(void **state)
{
	struct pair {
		int a, b;
	};
	VEC(struct pair) v = { 0 };
	(void)state;
	vec_push(&v, (struct pair){ 1, 2 });
	vec_push(&v, (struct pair){ .b = 4, .a = 3 });
	assert_int_equal(v.data[1].a + v.data[1].b, 7);
	vec_release(&v);
}

static void reserved_room_is_enough(void **state)
{
	VEC(uint64_t) v = { 0 };
	(void)state;
	vec_reserve(&v, 1000);
	assert_int_equal(v.count, 0);
	const uint64_t *before = v.data;
	for (uint64_t i = 0; i < 1000; i++)
		vec_push(&v, i);
	assert_ptr_equal(v.data, before);
	vec_reserve(&v, 1);
	assert_true(v.cap > 1000);
	assert_int_equal(v.data[999], 999);
	vec_release(&v);
}

static void a_released_array_can_be_used_again(void **state)
{
	VEC(char) v = { 0 };
	(void)state;
	vec_push(&v, 'a');
	vec_release(&v);
	vec_push(&v, 'b');
	assert_int_equal(v.data[0], 'b');
	vec_release(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_array_grows_and_keeps_what_it_holds),
		cmocka_unit_test(structs_with_commas_can_be_pushed),
		cmocka_unit_test(reserved_room_is_enough),
		cmocka_unit_test(a_released_array_can_be_used_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
