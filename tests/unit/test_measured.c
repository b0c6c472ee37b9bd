/* Snapshots made of what a profile has left are those that are read from the files.
 * usage: test_measured PROGRAM PROGRAM */
#include "heft.h"
#include "../lib/sessions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char *older, *newer;

struct bytes_written {
	char *p;
	size_t size;
};

static bool append(void *ctx, const void *data, size_t size)
{
	struct bytes_written *b = ctx;
	b->p = realloc(b->p, b->size + size);
	memcpy(b->p + b->size, data, size);
	b->size += size;
	return true;
}

/* Both as `.size` files, one behind the other; the handles go. */
static struct bytes_written write_both(struct heft_snapshot *before, struct heft_snapshot *after)
{
	struct bytes_written b = { NULL, 0 };
	struct heft_err err;
	assert_true(heft_snapshot_write(before, &(struct heft_sink){ append, &b }, &err));
	assert_true(heft_snapshot_write(after, &(struct heft_sink){ append, &b }, &err));
	heft_snapshot_free(before);
	heft_snapshot_free(after);
	return b;
}

static struct bytes_written read_files(void)
{
	struct heft_snapshot *before = ALONE(heft_snapshot_new), *after = ALONE(heft_snapshot_new);
	struct heft_err err;
	assert_true(heft_snapshot_open_pair(before, older, after, newer, &err));
	return write_both(before, after);
}

static struct heft_profile *profile_of(const char *const *sources, size_t count)
{
	struct heft_profile *p = ALONE(heft_profile_new);
	struct heft_err err;
	heft_profile_set_flags(p, HEFT_PROFILE_RANGES);
	for (size_t i = 0; i < count; i++)
		assert_true(heft_profile_add_source(p, sources[i], &err));
	assert_true(heft_profile_add_file(p, newer, HEFT_INPUT, &err));
	assert_true(heft_profile_add_file(p, older, HEFT_BASE, &err));
	assert_true(heft_profile_run(p, &err));
	return p;
}

static struct bytes_written take_measured(const char *const *sources, size_t count,
					  unsigned threads)
{
	struct heft_profile *p = profile_of(sources, count);
	struct heft_session *session = heft_session_new();
	struct heft_snapshot *before = heft_snapshot_new(session);
	struct heft_snapshot *after = heft_snapshot_new(session);
	struct heft_err err;
	heft_session_set_threads(session, threads);
	heft_session_free(session);
	assert_true(heft_snapshot_open_measured(before, after, p, &err));
	heft_profile_free(p);
	return write_both(before, after);
}

static void assert_same(struct bytes_written a, struct bytes_written b)
{
	assert_true(a.size > 0);
	assert_int_equal(a.size, b.size);
	assert_memory_equal(a.p, b.p, a.size);
	free(b.p);
}

static void layers_of_a_profile_give_the_snapshots_of_the_files(void **state)
{
	static const char *const enough[] = { "sections", "compileunits", "namespaces", "symbols" };
	static const char *const too_few[] = { "sections", "symbols" };
	const struct bytes_written want = read_files();
	(void)state;
	assert_same(want, take_measured(enough, 4, 1));
	assert_same(want, take_measured(enough, 4, 2));
	assert_same(want, take_measured(too_few, 2, 1));
	free(want.p);
}

static void a_profile_without_a_base_is_refused(void **state)
{
	struct heft_profile *p = ALONE(heft_profile_new);
	struct heft_snapshot *before = ALONE(heft_snapshot_new), *after = ALONE(heft_snapshot_new);
	struct heft_err err;
	(void)state;
	assert_true(heft_profile_add_file(p, newer, HEFT_INPUT, &err));
	assert_true(heft_profile_run(p, &err));
	assert_false(heft_snapshot_open_measured(before, after, p, &err));
	assert_int_equal(err.code, HEFT_EARG);
	heft_snapshot_free(before);
	heft_snapshot_free(after);
	heft_profile_free(p);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layers_of_a_profile_give_the_snapshots_of_the_files),
		cmocka_unit_test(a_profile_without_a_base_is_refused),
	};
	if (argc != 3) {
		fprintf(stderr, "usage: test_measured PROGRAM PROGRAM\n");
		return 2;
	}
	older = argv[1];
	newer = argv[2];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
