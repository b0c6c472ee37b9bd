#include "base/pool.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <cmocka.h>

struct job {
	unsigned threads;
	atomic_uint done[1000];
	atomic_bool wrong_worker;
	atomic_int busy[64]; /* by worker */
};

static void work(void *ctx, size_t i, unsigned worker)
{
	struct job *j = ctx;
	if (worker >= j->threads || atomic_fetch_add(&j->busy[worker], 1) != 0)
		atomic_store(&j->wrong_worker, true);
	atomic_fetch_add(&j->done[i], 1);
	atomic_fetch_sub(&j->busy[worker], 1);
}

static void every_number_is_worked_on_once(void **state)
{
	(void)state;
	for (unsigned threads = 1; threads <= 9; threads++) {
		struct job *j = mem_zeroed(1, sizeof *j);
		j->threads = threads;
		parallel_for(threads, COUNT_OF(j->done), work, j);
		for (size_t i = 0; i < COUNT_OF(j->done); i++)
			assert_int_equal(atomic_load(&j->done[i]), 1);
		assert_false(atomic_load(&j->wrong_worker));
		mem_free(j);
	}
}

static void nothing_to_do_calls_nobody(void **state)
{
	struct job j = { .threads = 4 };
	(void)state;
	parallel_for(4, 0, work, &j);
	assert_int_equal(atomic_load(&j.done[0]), 0);
}

static void one_thing_to_do_is_done_by_the_first_worker(void **state)
{
	struct job j = { .threads = 1 };
	(void)state;
	parallel_for(8, 1, work, &j);
	assert_int_equal(atomic_load(&j.done[0]), 1);
	assert_false(atomic_load(&j.wrong_worker));
}

static void zero_means_one_thread_a_processor(void **state)
{
	(void)state;
	assert_true(pool_threads(0) >= 1);
	assert_int_equal(pool_threads(3), 3);
	assert_true(pool_threads(1000000) <= 1000);
}

/* ---- jobs in order -------------------------------------------------------------------------- */

enum { LINE_SLOTS = 5 };

struct line_job {
	size_t number, result;
};

struct line {
	struct line_job slots[LINE_SLOTS];
	size_t made, taken, count;
	pthread_t caller;
	atomic_int making;
	atomic_bool wrong;
	unsigned threads;
};

static bool make(void *ctx, void *slot)
{
	struct line *l = ctx;
	struct line_job *job = slot;
	if (atomic_fetch_add(&l->making, 1) != 0)
		atomic_store(&l->wrong, true);
	const bool there = l->made < l->count;
	if (there)
		*job = (struct line_job){ .number = l->made++ };
	atomic_fetch_sub(&l->making, 1);
	return there;
}

static void work_line(void *ctx, void *slot, unsigned worker)
{
	struct line_job *job = slot;
	struct line *l = ctx;
	if (worker >= l->threads)
		atomic_store(&l->wrong, true);
	job->result = job->number * job->number + 1;
}

static void take(void *ctx, void *slot)
{
	struct line *l = ctx;
	const struct line_job *job = slot;
	if (job->number != l->taken || job->result != l->taken * l->taken + 1 ||
	    !pthread_equal(pthread_self(), l->caller))
		atomic_store(&l->wrong, true);
	l->taken++;
}

static void results_are_taken_in_the_order_of_the_jobs_by_the_caller(void **state)
{
	static const size_t counts[] = { 0, 1, 4, 5, 6, 3000 };
	(void)state;
	for (unsigned i = 0; i < 9 * COUNT_OF(counts); i++) {
		struct line l = { .count = counts[i / 9],
				  .caller = pthread_self(),
				  .threads = 1 + i % 9 };
		const struct pool_line line = { &l,   l.slots,   LINE_SLOTS, sizeof *l.slots,
						make, work_line, take };
		pool_run_line(l.threads, &line);
		assert_int_equal(l.made, l.count);
		assert_int_equal(l.taken, l.count);
		assert_false(atomic_load(&l.wrong));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_number_is_worked_on_once),
		cmocka_unit_test(nothing_to_do_calls_nobody),
		cmocka_unit_test(one_thing_to_do_is_done_by_the_first_worker),
		cmocka_unit_test(zero_means_one_thread_a_processor),
		cmocka_unit_test(results_are_taken_in_the_order_of_the_jobs_by_the_caller),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
