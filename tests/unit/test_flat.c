/* Ranges laid flat, against a plain count over every address. */
#include "../lib/rng.h"
#include "debug/flat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

enum { SPACE = 200 };

static void expect_owner(const struct flat *f, uint64_t addr, uint32_t who)
{
	const struct flat_span *s = flat_find(f, addr);
	if (who == FLAT_NONE)
		assert_null(s);
	else
		assert_true(s && s->who == who && addr - s->addr < s->size);
}

static void the_highest_number_owns_an_address(void **state)
{
	(void)state;
	struct rng rng = { 7 };
	struct flat f = { 0 };
	for (unsigned round = 0; round < 500; round++) {
		struct flat_range ranges[40];
		uint32_t owner[SPACE];
		const size_t count = rng_below(&rng, 40);
		memset(owner, 0xff, sizeof owner);
		for (size_t i = 0; i < count; i++) {
			const uint64_t a = rng_below(&rng, SPACE), b = rng_below(&rng, SPACE);
			ranges[i] = (struct flat_range){ a, b, (uint32_t)rng_below(&rng, 20) };
			for (uint64_t k = a; k < b; k++)
				if (owner[k] == FLAT_NONE || owner[k] < ranges[i].who)
					owner[k] = ranges[i].who;
		}
		flat_lay(&f, ranges, count);
		assert_true(f.spans.count <= 2 * count);
		for (uint64_t k = 0; k < SPACE; k++)
			expect_owner(&f, k, owner[k]);
		for (size_t i = 1; i < f.spans.count; i++)
			assert_true(f.spans.data[i - 1].addr + f.spans.data[i - 1].size <=
				    f.spans.data[i].addr);
	}
	flat_release(&f);
}

static void a_look_up_near_the_last_one_finds_the_same(void **state)
{
	(void)state;
	struct rng rng = { 8 };
	struct flat f = { 0 };
	struct flat_range ranges[100];
	size_t near = 0;
	for (uint32_t i = 0; i < 100; i++)
		ranges[i] = (struct flat_range){ 10 + i * 20, 10 + i * 20 + 1 + i % 20, i };
	flat_lay(&f, ranges, 100);
	for (unsigned i = 0; i < 20000; i++) {
		const uint64_t addr = rng_below(&rng, 2100);
		assert_ptr_equal(flat_find_near(&f, addr, &near), flat_find(&f, addr));
	}
	near = 1000; /* of a table that was longer */
	assert_non_null(flat_find_near(&f, 10, &near));
	flat_release(&f);
	near = 3;
	assert_null(flat_find_near(&f, 10, &near));
}

static void the_ends_of_the_address_space_are_no_trouble(void **state)
{
	(void)state;
	struct flat f = { 0 };
	struct flat_range ranges[] = {
		{ UINT64_MAX - 10, UINT64_MAX, 1 }, { 0, UINT64_MAX, 0 }, { 5, 5, 9 }, { 9, 3, 9 }
	};
	flat_lay(&f, ranges, COUNT_OF(ranges));
	expect_owner(&f, UINT64_MAX - 1, 1);
	expect_owner(&f, UINT64_MAX, FLAT_NONE);
	expect_owner(&f, 5, 0);
	/* A span is 4 GiB at most. */
	assert_int_equal(f.spans.data[0].size, UINT32_MAX);
	flat_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_highest_number_owns_an_address),
		cmocka_unit_test(a_look_up_near_the_last_one_finds_the_same),
		cmocka_unit_test(the_ends_of_the_address_space_are_no_trouble),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
