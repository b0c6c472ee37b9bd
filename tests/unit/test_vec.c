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

static void check_grown(const unsigned char *p, size_t used, size_t size)
{
	for (size_t i = 0; i < used; i++)
		assert_int_equal(p[i], 0xee);
	for (size_t i = used; i < size; i++)
		if (p[i] != 0)
			fail_msg("byte %zu of %zu is not 0", i, size);
}

/* Whatever was freed before, and whether it is large or not. */
static void memory_that_grows_is_zero_behind_what_was_there(void **state)
{
	static const size_t sizes[] = { 10, 1000, 100000, 1 << 20, 3 << 20, 40 << 20 };
	unsigned char *p = NULL;
	size_t before = 0;
	(void)state;
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		void *dirty = mem_alloc(sizes[i]);
		memset(dirty, 0xaa, sizes[i]);
		mem_free(dirty);
		p = mem_grow_zeroed(p, before, sizes[i]);
		check_grown(p, before, sizes[i]);
		memset(p + before, 0xee, sizes[i] - before);
		before = sizes[i];
	}
	mem_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_array_grows_and_keeps_what_it_holds),
		cmocka_unit_test(structs_with_commas_can_be_pushed),
		cmocka_unit_test(reserved_room_is_enough),
		cmocka_unit_test(a_released_array_can_be_used_again),
		cmocka_unit_test(memory_that_grows_is_zero_behind_what_was_there),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
