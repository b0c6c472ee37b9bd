#include "map/rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../lib/rng.h"

/* A roll-up made row by row. */
struct fixture {
	struct labels labels;
	struct rollup rollup;
	struct arena arena;
	struct rows_opts opts;
};

static struct fixture fixture_make(void)
{
	struct fixture f = { .opts = { .domain = HEFT_BOTH } };
	rollup_init(&f.rollup);
	return f;
}

static void fixture_release(struct fixture *f)
{
	rollup_release(&f->rollup);
	labels_release(&f->labels);
	arena_release(&f->arena);
}

/* Adds a row and its sizes to the sums above it; returns its index. */
static uint32_t put(struct fixture *f, uint32_t parent, const char *label, uint64_t file,
		    uint64_t vm)
{
	vec_push(&f->rollup.rows, (struct row){ .parent = parent,
						.label = label_borrow(&f->labels, str_of(label)),
						.file = { file },
						.vm = { vm } });
	if (parent == 0) {
		f->rollup.rows.data[0].file[0] += file;
		f->rollup.rows.data[0].vm[0] += vm;
	}
	return (uint32_t)f->rollup.rows.count - 1;
}

static void put_diff(struct fixture *f, const char *label, uint64_t now, uint64_t base)
{
	const uint32_t i = put(f, 0, label, now, now);
	f->rollup.rows.data[i].file[HEFT_BASE] = base;
	f->rollup.rows.data[i].vm[HEFT_BASE] = base;
	f->rollup.rows.data[0].file[HEFT_BASE] += base;
	f->rollup.rows.data[0].vm[HEFT_BASE] += base;
	f->opts.diff = true;
}

static const struct heft_row *build(struct fixture *f)
{
	return rows_build(&f->rollup, &f->labels, &f->opts, &f->arena);
}

/* The labels of the rows below `row`, in their order. */
static void assert_labels(const struct heft_row *row, const char *const *want, size_t count)
{
	assert_int_equal(row->child_count, count);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(row->children[i]->label, want[i]);
}

#define EXPECT(row, ...)                                                                           \
	assert_labels(row, (const char *const[]){ __VA_ARGS__ },                                   \
		      COUNT_OF(((const char *const[]){ __VA_ARGS__ })))

/* ---- order ------------------------------------------------------------------------------- */

static void the_larger_of_both_sizes_decides(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	put(&f, 0, "small", 10, 10);
	put(&f, 0, "file", 30, 0);
	put(&f, 0, "vm", 0, 50);
	EXPECT(build(&f), "vm", "file", "small");
	fixture_release(&f);
}

static void one_domain_can_decide_alone(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	put(&f, 0, "a", 10, 1);
	put(&f, 0, "b", 5, 2);
	put(&f, 0, "c", 1, 3);
	f.opts.domain = HEFT_FILE;
	EXPECT(build(&f), "a", "b", "c");
	f.opts.domain = HEFT_VM;
	EXPECT(build(&f), "c", "b", "a");
	fixture_release(&f);
}

static void ties_are_ordered_by_name_bytewise(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	put(&f, 0, "b", 5, 5);
	put(&f, 0, "\xc3\xa9", 5, 5);
	put(&f, 0, "B", 5, 5);
	put(&f, 0, "a", 5, 5);
	EXPECT(build(&f), "B", "a", "b", "\xc3\xa9");
	fixture_release(&f);
}

static void sorting_by_name_puts_others_last(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	put(&f, 0, "z", 50, 50);
	put(&f, 0, "m", 40, 40);
	put(&f, 0, "a", 30, 30);
	put(&f, 0, "b", 20, 20);
	f.opts.sort = HEFT_SORT_NAME;
	f.opts.limit = 3;
	EXPECT(build(&f), "a", "m", "z", "[1 Others]");
	fixture_release(&f);
}

static void rows_without_bytes_are_left_out(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	put(&f, 0, "nothing", 0, 0);
	put(&f, 0, "some", 0, 1);
	EXPECT(build(&f), "some");
	fixture_release(&f);
}

/* ---- the limit ------------------------------------------------------------------------------ */

static void rows_over_the_limit_are_summed_up(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	put(&f, 0, "a", 10, 1);
	put(&f, 0, "b", 9, 1);
	put(&f, 0, "c", 2, 1);
	put(&f, 0, "d", 1, 1);
	f.opts.limit = 2;
	const struct heft_row *top = build(&f);
	EXPECT(top, "a", "b", "[2 Others]");
	const struct heft_row *others = top->children[2];
	assert_true(others->others);
	assert_int_equal(others->others_count, 2);
	assert_int_equal(others->now.file, 3);
	assert_int_equal(others->now.vm, 2);
	assert_int_equal(others->child_count, 0);
	assert_false(top->children[0]->others);
	fixture_release(&f);
}

static void others_take_their_place_by_size(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	put(&f, 0, "a", 10, 10);
	for (unsigned i = 0; i < 30; i++)
		put(&f, 0, i < 10 ? "b" : i < 20 ? "c" : "d", 9, 9);
	f.opts.limit = 1;
	EXPECT(build(&f), "[30 Others]", "a");
	fixture_release(&f);
}

static void exactly_the_limit_needs_no_others(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	put(&f, 0, "a", 10, 10);
	put(&f, 0, "b", 9, 9);
	f.opts.limit = 2;
	EXPECT(build(&f), "a", "b");
	f.opts.limit = 0;
	EXPECT(build(&f), "a", "b");
	fixture_release(&f);
}

static void every_level_has_the_limit_for_itself(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	const uint32_t a = put(&f, 0, "a", 10, 10);
	put(&f, a, "x", 5, 5);
	put(&f, a, "y", 3, 3);
	put(&f, a, "z", 2, 2);
	f.opts.limit = 2;
	const struct heft_row *top = build(&f);
	EXPECT(top, "a");
	EXPECT(top->children[0], "x", "y", "[1 Others]");
	fixture_release(&f);
}

/* ---- single children -------------------------------------------------------------------------- */

static void a_single_child_with_its_parents_label_is_dropped(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	const uint32_t a = put(&f, 0, "main", 10, 10), b = put(&f, 0, "other", 5, 5);
	put(&f, a, "main", 10, 10);
	put(&f, b, "main", 5, 5);
	const struct heft_row *top = build(&f);
	assert_int_equal(top->children[0]->child_count, 0);
	EXPECT(top->children[1], "main");
	fixture_release(&f);
}

static void a_single_unmapped_child_is_dropped_below_the_top(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	const uint32_t a = put(&f, 0, "[Unmapped]", 10, 0);
	const uint32_t b = put(&f, 0, ".text", 5, 5);
	put(&f, a, "[Unmapped]", 10, 0);
	put(&f, b, "[Unmapped]", 5, 5);
	const struct heft_row *top = build(&f);
	EXPECT(top, "[Unmapped]", ".text");
	assert_int_equal(top->children[0]->child_count, 0);
	assert_int_equal(top->children[1]->child_count, 0);
	fixture_release(&f);
}

static void a_single_unmapped_row_stays_at_the_top(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	put(&f, 0, "[Unmapped]", 10, 0);
	EXPECT(build(&f), "[Unmapped]");
	fixture_release(&f);
}

static void two_children_stay_whatever_they_are_called(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	const uint32_t a = put(&f, 0, "main", 10, 10);
	put(&f, a, "main", 6, 6);
	put(&f, a, "[Unmapped]", 4, 4);
	EXPECT(build(&f)->children[0], "main", "[Unmapped]");
	fixture_release(&f);
}

/* ---- diff ---------------------------------------------------------------------------------------- */

static void a_diff_shows_what_changed_growth_first(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	put_diff(&f, "same", 1000, 1000);
	put_diff(&f, "gone", 0, 30);
	put_diff(&f, "new", 20, 0);
	put_diff(&f, "grown", 150, 100);
	put_diff(&f, "shrunk", 5, 10);
	const struct heft_row *top = build(&f);
	EXPECT(top, "grown", "new", "shrunk", "gone");
	assert_int_equal(top->now.file, 1175);
	assert_int_equal(top->base.file, 1140);
	assert_int_equal(top->children[3]->base.vm, 30);
	fixture_release(&f);
}

static void a_diff_of_the_same_has_no_rows(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	put_diff(&f, "a", 10, 10);
	put_diff(&f, "b", 10, 10);
	assert_int_equal(build(&f)->child_count, 0);
	fixture_release(&f);
}

static void the_limit_of_a_diff_keeps_the_largest_changes(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	put_diff(&f, "huge", 10000, 9999);
	put_diff(&f, "gone", 0, 30);
	put_diff(&f, "new", 20, 0);
	put_diff(&f, "less", 1, 3);
	f.opts.limit = 2;
	const struct heft_row *top = build(&f);
	EXPECT(top, "new", "[2 Others]", "gone");
	assert_int_equal(top->children[1]->now.file, 10001);
	assert_int_equal(top->children[1]->base.file, 10002);
	fixture_release(&f);
}

static void others_that_cancel_out_are_left_out(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	put_diff(&f, "new", 20, 0);
	put_diff(&f, "up", 12, 10);
	put_diff(&f, "down", 10, 12);
	f.opts.limit = 1;
	EXPECT(build(&f), "new");
	fixture_release(&f);
}

static void a_diff_can_be_sorted_by_size_or_name(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	put_diff(&f, "a", 10, 500);
	put_diff(&f, "c", 1000, 999);
	put_diff(&f, "b", 90, 10);
	f.opts.sort = HEFT_SORT_SIZE;
	EXPECT(build(&f), "c", "b", "a");
	f.opts.sort = HEFT_SORT_DELTA;
	EXPECT(build(&f), "b", "c", "a");
	f.opts.sort = HEFT_SORT_NAME;
	EXPECT(build(&f), "a", "b", "c");
	fixture_release(&f);
}

static void the_top_row_holds_the_totals(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	put(&f, 0, "a", 10, 4);
	put(&f, 0, "b", 7, 3);
	const struct heft_row *top = build(&f);
	assert_string_equal(top->label, "TOTAL");
	assert_int_equal(top->now.file, 17);
	assert_int_equal(top->now.vm, 7);
	fixture_release(&f);
}

static void threads_do_not_change_the_order(void **state)
{
	struct fixture f = fixture_make();
	struct rng r = { 3 };
	(void)state;
	for (size_t i = 0; i < 50001; i++) {
		char name[20];
		snprintf(name, sizeof name, "%zu", i);
		vec_push(&f.rollup.rows, (struct row){ .label = label_copy(&f.labels, str_of(name)),
						       .file = { 1 + rng_below(&r, 100) } });
	}
	f.opts.threads = 1;
	const struct heft_row *one = build(&f);
	f.opts.threads = 2;
	const struct heft_row *two = build(&f);
	assert_int_equal(one->child_count, 50001);
	assert_int_equal(two->child_count, 50001);
	for (size_t i = 0; i < two->child_count; i++)
		assert_ptr_equal(one->children[i]->label, two->children[i]->label);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_larger_of_both_sizes_decides),
		cmocka_unit_test(one_domain_can_decide_alone),
		cmocka_unit_test(ties_are_ordered_by_name_bytewise),
		cmocka_unit_test(threads_do_not_change_the_order),
		cmocka_unit_test(sorting_by_name_puts_others_last),
		cmocka_unit_test(rows_without_bytes_are_left_out),
		cmocka_unit_test(rows_over_the_limit_are_summed_up),
		cmocka_unit_test(others_take_their_place_by_size),
		cmocka_unit_test(exactly_the_limit_needs_no_others),
		cmocka_unit_test(every_level_has_the_limit_for_itself),
		cmocka_unit_test(a_single_child_with_its_parents_label_is_dropped),
		cmocka_unit_test(a_single_unmapped_child_is_dropped_below_the_top),
		cmocka_unit_test(a_single_unmapped_row_stays_at_the_top),
		cmocka_unit_test(two_children_stay_whatever_they_are_called),
		cmocka_unit_test(a_diff_shows_what_changed_growth_first),
		cmocka_unit_test(a_diff_of_the_same_has_no_rows),
		cmocka_unit_test(the_limit_of_a_diff_keeps_the_largest_changes),
		cmocka_unit_test(others_that_cancel_out_are_left_out),
		cmocka_unit_test(a_diff_can_be_sorted_by_size_or_name),
		cmocka_unit_test(the_top_row_holds_the_totals),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
