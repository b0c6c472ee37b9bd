#include "browse/loader.h"

#include <setjmp.h>
#include <stdlib.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* As the program has it: no assertion may fail here. */
void base_broken(const char *file, int line, const char *condition)
{
	fail_msg("%s:%d: %s", file, line, condition);
	abort();
}

/* Tables that take as many steps as they are told to, and count who made and dropped them. */
struct maker {
	unsigned steps; /* 0: it fails */
	unsigned made, dropped;
};

static void *make(void *ctx, size_t input, const struct browse_wish *wish, struct browse_table *ret,
		  struct heft_err *err)
{
	struct maker *m = ctx;
	const char *by = wish->by != NULL ? wish->by : "sections";
	for (unsigned i = 0; i < m->steps; i++)
		if (!wish->progress(wish->progress_ctx, "reading", i, m->steps))
			break;
	if (m->steps == 0) {
		snprintf(err->text, sizeof err->text, "input %zu is damaged", input);
		return NULL;
	}
	snprintf(ret->by, sizeof ret->by, "%s", by);
	m->made++;
	return m;
}

static void drop(void *ctx, void *made)
{
	struct maker *m = ctx;
	assert_ptr_equal(made, m);
	m->dropped++;
}

static struct maker maker;
static const struct browse_ops ops = {
	.ctx = &maker, .input_count = 2, .make = make, .drop = drop
};

static int setup(void **state)
{
	struct loader *l = *state = test_malloc(sizeof *l);
	maker = (struct maker){ .steps = 1000 };
	loader_init(l, &ops);
	return 0;
}

static int teardown(void **state)
{
	loader_release(*state);
	test_free(*state);
	return 0;
}

static void *finish(struct loader *l, struct browse_table *table, struct heft_err *err)
{
	char text[LOADER_TEXT_MAX];
	while (!loader_wait(l, 1))
		loader_text(l, text);
	return loader_take(l, table, err);
}

static void a_table_is_made_while_its_progress_is_read(void **state)
{
	struct browse_table table;
	struct heft_err err;
	assert_true(loader_start(*state, 1, "symbols"));
	assert_ptr_equal(finish(*state, &table, &err), &maker);
	assert_string_equal(table.by, "symbols");
	assert_false(((struct loader *)*state)->busy);
	assert_int_equal(maker.dropped, 0);
}

static void no_wish_is_what_is_usual(void **state)
{
	struct browse_table table;
	struct heft_err err;
	assert_true(loader_start(*state, 0, NULL));
	assert_non_null(finish(*state, &table, &err));
	assert_string_equal(table.by, "sections");
}

static void a_failure_says_why(void **state)
{
	struct browse_table table;
	struct heft_err err;
	maker.steps = 0;
	assert_true(loader_start(*state, 1, NULL));
	assert_null(finish(*state, &table, &err));
	assert_string_equal(err.text, "input 1 is damaged");
}

static void what_is_stopped_is_dropped(void **state)
{
	maker.steps = 2000000000;
	assert_true(loader_start(*state, 0, NULL));
	loader_stop(*state);
	assert_int_equal(maker.made, 1);
	assert_int_equal(maker.dropped, 1);
	assert_false(loader_wait(*state, 0));
}

static void the_next_table_ends_the_one_before(void **state)
{
	struct browse_table table;
	struct heft_err err;
	maker.steps = 2000000000;
	assert_true(loader_start(*state, 0, "symbols"));
	loader_stop(*state);
	maker.steps = 3;
	assert_true(loader_start(*state, 1, "segments"));
	assert_non_null(finish(*state, &table, &err));
	assert_string_equal(table.by, "segments");
	assert_int_equal(maker.made, 2);
	assert_int_equal(maker.dropped, 1);
}

static void a_table_that_nobody_takes_is_dropped_at_the_end(void **state)
{
	struct loader *l = *state;
	assert_true(loader_start(l, 0, NULL));
	while (!loader_wait(l, 1))
		;
	loader_release(l);
	assert_int_equal(maker.dropped, 1);
	loader_init(l, &ops);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_table_is_made_while_its_progress_is_read),
		TEST(no_wish_is_what_is_usual),
		TEST(a_failure_says_why),
		TEST(what_is_stopped_is_dropped),
		TEST(the_next_table_ends_the_one_before),
		TEST(a_table_that_nobody_takes_is_dropped_at_the_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
