/* Changes of level among noise, and slopes. */
#include "history/trend.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static uint64_t seed = 7;

static double random_unit(void)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return ((double)(seed >> 11) + 0.5) / 9007199254740992.0;
}

/* Normal, of deviation 1. */
static double random_normal(void)
{
	return sqrt(-2 * log(random_unit())) * cos(2 * 3.14159265358979 * random_unit());
}

enum { COUNT = 1000, ROUNDS = 100 };

static struct trend trend_of(const double *values, size_t count)
{
	static double times[COUNT];
	struct trend t;
	for (size_t i = 0; i < count; i++)
		times[i] = 86400 * (double)i;
	trend_make(&t, values, times, count);
	return t;
}

static void noise_alone_has_at_most_one_change_in_a_thousand_builds(void **state)
{
	(void)state;
	static double values[COUNT];
	size_t found = 0;
	for (unsigned round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < COUNT; i++)
			values[i] = 1e6 + 500 * random_normal();
		struct trend t = trend_of(values, COUNT);
		assert_true(t.noise > 400 && t.noise < 600);
		found += t.changes.count;
		trend_release(&t);
	}
	print_message("%zu changes found in %u builds of noise\n", found, COUNT * ROUNDS);
	assert_true(found <= ROUNDS);
}

/* Within so many builds of where it is. */
enum { NEAR = 3 };

static bool is_near(const struct trend *t, size_t at)
{
	for (size_t i = 0; i < t->changes.count; i++)
		if (t->changes.data[i].at + NEAR >= at && t->changes.data[i].at <= at + NEAR)
			return true;
	return false;
}

/* Levels of 15 to 60 builds that differ by 4 to 10 times the noise, up or down. */
static void planted_changes_are_found_and_few_others(void **state)
{
	(void)state;
	static double values[COUNT];
	size_t planted[COUNT], planted_all = 0, found = 0, others = 0;
	for (unsigned round = 0; round < ROUNDS; round++) {
		size_t count = 0, next = 0;
		double level = 1e6;
		for (size_t i = 0; i < COUNT; i++) {
			if (i == next) {
				next += 15 + (size_t)(45 * random_unit());
				if (i > 0 && COUNT - i > 15) {
					level += (random_unit() < 0.4 ? -1 : 1) * 500 *
						 (4 + 6 * random_unit());
					planted[count++] = i;
				}
			}
			values[i] = level + 500 * random_normal();
		}
		struct trend t = trend_of(values, COUNT);
		planted_all += count;
		for (size_t i = 0; i < count; i++)
			found += is_near(&t, planted[i]);
		others += t.changes.count > count ? t.changes.count - count : 0;
		trend_release(&t);
	}
	print_message("%zu of %zu planted changes found, %zu others\n", found, planted_all, others);
	assert_true(found * 100 >= planted_all * 95);
	assert_true(others <= ROUNDS);
}

static void without_noise_every_change_is_one(void **state)
{
	(void)state;
	double values[100];
	for (size_t i = 0; i < 100; i++)
		values[i] = i < 40 ? 1000 : i < 41 ? 1001 : i < 90 ? 5000.25 : 4000;
	struct trend t = trend_of(values, 100);
	assert_int_equal(t.changes.count, 3);
	assert_int_equal(t.changes.data[0].at, 40);
	assert_int_equal(t.changes.data[1].at, 41);
	assert_int_equal(t.changes.data[2].at, 90);
	assert_true(t.changes.data[2].before == 5000.25 && t.changes.data[2].now == 4000);
	trend_release(&t);
}

static void slopes_are_by_build_and_by_day(void **state)
{
	(void)state;
	double values[50], times[50];
	struct trend t;
	for (size_t i = 0; i < 50; i++) {
		values[i] = 100 + 7 * (double)i;
		times[i] = 43200 * (double)i;
	}
	trend_make(&t, values, times, 50);
	assert_true(fabs(t.per_step - 7) < 1e-9 && fabs(t.per_day - 14) < 1e-9);
	trend_release(&t);
}

static void few_values_are_no_trouble(void **state)
{
	(void)state;
	const double values[] = { 5, 9, 2 };
	for (size_t count = 0; count <= 3; count++) {
		struct trend t = trend_of(values, count);
		assert_true(t.changes.count <= count);
		trend_release(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(noise_alone_has_at_most_one_change_in_a_thousand_builds),
		cmocka_unit_test(planted_changes_are_found_and_few_others),
		cmocka_unit_test(without_noise_every_change_is_one),
		cmocka_unit_test(slopes_are_by_build_and_by_day),
		cmocka_unit_test(few_values_are_no_trouble),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
