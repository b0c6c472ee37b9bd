/* Structs of callers that were compiled with another version of the header. */
#include "api/structs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

struct before {
	size_t size;
	uint32_t a, b;
};

struct after {
	size_t size;
	uint32_t a, b;
	uint64_t c;
};

static void a_caller_of_today_gets_all(void **state)
{
	const struct after made = { 1, 2, 3, 4 };
	struct after ret = { .size = sizeof ret };
	(void)state;
	give(&ret, &made, sizeof made);
	assert_int_equal(ret.size, sizeof ret);
	assert_int_equal(ret.a, 2);
	assert_int_equal(ret.c, 4);
}

static void an_older_caller_gets_what_it_has_room_for(void **state)
{
	const struct after made = { 1, 2, 3, 4 };
	struct {
		struct before ret;
		uint64_t behind;
	} x = { .ret = { .size = sizeof x.ret }, .behind = 77 };
	(void)state;
	give(&x.ret, &made, sizeof made);
	assert_int_equal(x.ret.b, 3);
	assert_int_equal(x.behind, 77);
}

static void a_newer_caller_finds_zeros(void **state)
{
	const struct before made = { 1, 2, 3 };
	struct after ret = { .size = sizeof ret, .c = 9 };
	(void)state;
	give(&ret, &made, sizeof made);
	assert_int_equal(ret.b, 3);
	assert_int_equal(ret.c, 0);
}

static void a_forgotten_size_is_a_mistake_of_the_caller(void **state)
{
	const struct after given = { .size = sizeof(struct before) };
	const struct before none = { .size = 0 }, cut = { .size = sizeof none - 1 };
	struct after to = { .c = 8 };
	struct heft_err err;
	(void)state;
	assert_false(STATED(before, &none, &err));
	assert_int_equal(err.code, HEFT_EARG);
	assert_string_equal(err.text,
			    "struct before: its member size is 0; set it to sizeof(struct "
			    "before), which is 16");
	assert_false(STATED(before, &cut, &err));
	assert_true(STATED(before, &given, &err)); /* of a later version */
	assert_false(TAKE(after, &to, &given, &err));
	assert_int_equal(to.c, 8);
}

static void options_that_are_not_given_stay_as_they_are(void **state)
{
	struct after to = { .a = 1, .c = 8 };
	const struct before given = { sizeof given, 2, 3 };
	(void)state;
	assert_true(TAKE(after, &to, NULL, NULL));
	assert_int_equal(to.a, 1);
	assert_true(TAKE(before, &to, &given, NULL));
	assert_int_equal(to.a, 2);
	assert_int_equal(to.c, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_caller_of_today_gets_all),
		cmocka_unit_test(an_older_caller_gets_what_it_has_room_for),
		cmocka_unit_test(a_newer_caller_finds_zeros),
		cmocka_unit_test(a_forgotten_size_is_a_mistake_of_the_caller),
		cmocka_unit_test(options_that_are_not_given_stay_as_they_are),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
