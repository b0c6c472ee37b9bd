#include "base/sort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../lib/rng.h"

/* Records of `words` words: the key, then their first position, then copies of the key. */
static void check(uint64_t seed, size_t count, size_t words, uint64_t mask)
{
	struct rng r = { seed };
	uint64_t *p = mem_zeroed(count * words + 1, sizeof *p);
	for (size_t i = 0; i < count; i++) {
		p[i * words] = rng_next(&r) & mask;
		for (size_t k = 1; k < words; k++)
			p[i * words + k] = k == 1 ? i : p[i * words];
	}
	sort_by_key(p, count, words * 8);
	for (size_t i = 0; i < count; i++) {
		const uint64_t *now = p + i * words, *before = now - words;
		for (size_t k = 2; k < words; k++)
			assert_int_equal(now[k], now[0]);
		if (i == 0)
			continue;
		assert_true(before[0] <= now[0]);
		if (words > 1 && before[0] == now[0])
			assert_true(before[1] < now[1]);
	}
	mem_free(p);
}

static void records_of_every_size_are_sorted_and_stable(void **state)
{
	(void)state;
	for (size_t words = 1; words <= 8; words++)
		for (size_t count = 0; count < 300; count += 7)
			check(words * 1000 + count, count, words, UINT64_MAX);
}

/* As structs of 32-bit x86 are, where an uint64_t may lie at any multiple of 4. */
static void records_may_have_half_words(void **state)
{
	struct rng r = { 5 };
	uint32_t p[400 * 3], before[3] = { 0 };
	(void)state;
	for (size_t i = 0; i < COUNT_OF(p); i++)
		p[i] = i % 3 == 2 ? p[i - 2] : (uint32_t)rng_next(&r);
	sort_by_key(p, 400, 12);
	for (size_t i = 0; i < 400; i++) {
		assert_true(record_key(before, 0, 12) <= record_key(p, i, 12));
		assert_int_equal(p[3 * i], p[3 * i + 2]);
		memcpy(before, &p[3 * i], sizeof before);
	}
}

static void equal_keys_keep_their_order(void **state)
{
	(void)state;
	check(1, 50, 2, 3);
	check(2, 5000, 3, 3);
	check(3, 5000, 3, 0);
}

static void only_some_digits_may_differ(void **state)
{
	(void)state;
	check(1, 3000, 3, UINT64_C(0xff) << 56);
	check(2, 3000, 3, UINT64_C(0xf00000000f));
	check(3, 3000, 2, UINT64_C(1) << 63 | 1);
	check(4, 3000, 2, UINT64_C(0x7ff) << 11);
}

static void many_records_are_sorted(void **state)
{
	(void)state;
	check(5, 200000, 3, UINT64_MAX >> 16);
	check(6, 200000, 4, UINT64_C(0x1ffffff) << 4);
	check(7, 200000, 4, UINT64_C(1) << 63 | 1);
	check(8, 70000, 5, UINT64_MAX);
}

/* Of `count` records the first `sorted` are in order, and so many of these are not above any of
 * the others, of which one is as large as the last of them. */
static void check_front(size_t count, size_t sorted, size_t stay)
{
	uint64_t(*p)[2] = mem_zeroed(count, sizeof *p);
	for (size_t i = 0; i < count; i++) {
		p[i][0] = i < sorted ? i : stay - 1 + (count - 1 - i) % (count - stay);
		p[i][1] = i;
	}
	sort_by_key(p, count, sizeof *p);
	for (size_t i = 1; i < count; i++) {
		assert_true(p[i - 1][0] <= p[i][0]);
		assert_true(p[i - 1][0] < p[i][0] || p[i - 1][1] < p[i][1]);
	}
	mem_free(p);
}

static void what_is_sorted_in_front_stays(void **state)
{
	(void)state;
	check_front(1000, 500, 500);
	check_front(1000, 500, 300);
	check_front(1000, 999, 1);
	check_front(1000, 990, 960);
	check_front(100000, 50000, 40000);
}

static void a_bisection_finds_the_first_that_is_not_before(void **state)
{
	static const int list[] = { 1, 3, 3, 3, 7 };
	size_t i;
	(void)state;
	for (int key = 0; key < 9; key++) {
		size_t wanted = 0;
		while (wanted < 5 && list[wanted] < key)
			wanted++;
		BISECT(i, 0, 5, k, list[k] < key);
		assert_int_equal(i, wanted);
	}
	BISECT(i, 2, 4, k, list[k] <= 3);
	assert_int_equal(i, 4);
	BISECT(i, 3, 3, k, list[k] < 100);
	assert_int_equal(i, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_of_every_size_are_sorted_and_stable),
		cmocka_unit_test(records_may_have_half_words),
		cmocka_unit_test(equal_keys_keep_their_order),
		cmocka_unit_test(only_some_digits_may_differ),
		cmocka_unit_test(many_records_are_sorted),
		cmocka_unit_test(what_is_sorted_in_front_stays),
		cmocka_unit_test(a_bisection_finds_the_first_that_is_not_before),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
