/* Memory that runs out, and calls that are cancelled. */
#include "heft.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* An allocator that fails once, at allocation number `fail_at`, and counts what is not given
 * back. */
static struct {
	atomic_size_t asked;
	atomic_long held;
	size_t fail_at;
} counted;

static void *resize(void *ctx, void *p, size_t bytes)
{
	(void)ctx;
	if (bytes == 0) {
		counted.held -= p != NULL;
		free(p);
		return NULL;
	}
	if (++counted.asked == counted.fail_at)
		return NULL;
	void *got = realloc(p, bytes);
	counted.held += !p && got;
	return got;
}

static bool swallow(void *ctx, const void *data, size_t size)
{
	size_t *written = ctx;
	(void)data;
	*written += size;
	return true;
}

/* A program is measured and the table written. */
static bool measure(struct heft_profile *p, const char *source, struct heft_err *err)
{
	size_t written = 0;
	heft_profile_set_threads(p, 2);
	return heft_profile_add_source(p, source, err) && heft_profile_include(p, ".", err) &&
	       heft_profile_add_file(p, "/bin/sh", HEFT_INPUT, err) && heft_profile_run(p, err) &&
	       heft_profile_write(p, NULL, &(struct heft_sink){ swallow, &written }, err) &&
	       written > 0;
}

/* Whether the allocation was reached. */
static bool fails_at(const char *source, size_t n)
{
	struct heft_err err = { .code = HEFT_OK };
	counted.asked = 0;
	counted.fail_at = n;
	struct heft_profile *p = heft_profile_new();
	const bool ok = p && measure(p, source, &err);
	const bool reached = counted.asked >= n;
	if (p && ok == reached && reached)
		fail_msg("%s: allocation %zu failed and nothing was said", source, n);
	if (p && !ok)
		assert_int_equal(err.code, HEFT_ENOMEM);
	if (p && !ok)
		assert_false(heft_profile_run(p, &err));
	heft_profile_free(p);
	if (counted.held != 0)
		fail_msg("%s: allocation %zu failed: %ld were kept", source, n, (long)counted.held);
	return reached;
}

static void every_allocation_may_fail(void **state)
{
	static const char *const sources[] = { "symbols", "sections", "compileunits" };
	const struct heft_allocator a = { sizeof a, resize, NULL };
	size_t tried = 0;
	(void)state;
	assert_true(heft_set_allocator(&a, NULL));
	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
		for (size_t n = 1; n <= 2000 && fails_at(sources[i], n); n++)
			tried++;
	assert_true(heft_set_allocator(NULL, NULL));
	assert_true(tried > 500);
}

static bool cancel(void *ctx, const char *what, uint64_t done, uint64_t total)
{
	size_t *left = ctx;
	(void)what;
	assert_true(done <= total);
	return (*left)-- > 0;
}

static void a_run_is_cancelled_by_its_progress(void **state)
{
	struct heft_err err;
	(void)state;
	for (size_t calls = 0; calls < 3; calls++) {
		struct heft_profile *p = heft_profile_new();
		size_t left = calls;
		heft_profile_set_progress(p, cancel, &left);
		assert_true(heft_profile_add_source(p, "symbols", &err));
		assert_true(heft_profile_add_file(p, "/bin/sh", HEFT_INPUT, &err));
		assert_false(heft_profile_run(p, &err));
		assert_int_equal(err.code, HEFT_ECANCELED);
		assert_false(heft_profile_run(p, &err));
		heft_profile_free(p);
	}
}

static void an_allocator_needs_a_function(void **state)
{
	const struct heft_allocator none = { sizeof none, NULL, NULL };
	struct heft_err err;
	(void)state;
	assert_false(heft_set_allocator(&none, &err));
	assert_int_equal(err.code, HEFT_EARG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_allocation_may_fail),
		cmocka_unit_test(a_run_is_cancelled_by_its_progress),
		cmocka_unit_test(an_allocator_needs_a_function),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
