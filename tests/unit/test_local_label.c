#include "map/local_label.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static void labels_of_two_jobs_are_one_label_of_the_table(void **state)
{
	struct labels table = { 0 };
	struct local_labels one = { 0 }, two = { 0 };
	(void)state;
	const label_id known = label_copy(&table, STR("known"));
	const label_id a = local_label(&one, STR("new")), b = local_label(&one, STR("known"));
	const label_id c = local_label(&two, STR("[other]")), d = local_label(&two, STR("new"));
	local_labels_join(&one, &table);
	local_labels_join(&two, &table);
	assert_int_equal(local_label_joined(&one, b), known);
	assert_int_equal(local_label_joined(&one, a), local_label_joined(&two, d));
	assert_int_equal(local_label_joined(&one, known), known);
	assert_int_equal(local_label_joined(&one, LABEL_NONE), LABEL_NONE);
	assert_true(str_eq(label_text(&table, local_label_joined(&two, c)), STR("[other]")));
	assert_true(label_is_fallback(&table, local_label_joined(&two, c)));
	assert_false(label_is_fallback(&table, local_label_joined(&one, a)));
	local_labels_release(&one);
	local_labels_release(&two);
	labels_release(&table);
}

static void lines_of_two_jobs_are_one_label_of_the_table(void **state)
{
	struct labels table = { 0 };
	struct local_labels one = { 0 }, two = { 0 };
	(void)state;
	const label_id other = local_label(&one, STR("b.c")), path = local_label(&one, STR("a.c"));
	const label_id a = local_label_line(&one, path, 12);
	const label_id b = local_label_line(&one, other, 12);
	const label_id c = local_label_line(&two, local_label(&two, STR("a.c")), 12);
	assert_int_equal(local_label_line(&one, path, 12), a);
	assert_int_not_equal(a, b);
	local_labels_join(&one, &table);
	local_labels_join(&two, &table);
	assert_int_equal(local_label_joined(&one, a), local_label_joined(&two, c));
	assert_true(str_eq(label_text(&table, local_label_joined(&one, a)), STR("a.c:12")));
	assert_true(str_eq(label_text(&table, local_label_joined(&one, b)), STR("b.c:12")));
	assert_true(str_eq(label_text(&table, local_label_joined(&one, path)), STR("a.c")));
	local_labels_release(&one);
	local_labels_release(&two);
	labels_release(&table);
}

static void claims_join_with_the_labels_of_the_table(void **state)
{
	struct labels table = { 0 };
	struct local_labels job = { 0 };
	struct claims all = { 0 }, found = { 0 };
	(void)state;
	const label_id text = local_label(&job, STR("text")), later = local_label_pending(&job);
	const label_id nobody = local_label_pending(&job);
	claim(&found, 10, 5, text, WHY_DEBUG);
	claim(&found, 20, 5, nobody, WHY_DEBUG);
	claim_unknown(&found, 30, later, WHY_DEBUG);
	local_labels_join(&job, &table);
	local_label_settle(&job, later, text);
	claims_join(&all, &found, &job);
	assert_int_equal(found.list.count, 0);
	assert_int_equal(all.list.count, 2);
	assert_int_equal(all.list.data[0].start, 10);
	assert_int_equal(all.list.data[1].start, 30);
	assert_int_equal(all.list.data[1].size, SIZE_UNKNOWN);
	assert_int_equal(all.list.data[0].label, all.list.data[1].label);
	assert_true(str_eq(label_text(&table, all.list.data[0].label), STR("text")));
	vec_release(&all.list);
	vec_release(&found.list);
	local_labels_release(&job);
	labels_release(&table);
}

static void a_job_that_is_used_again_knows_nothing_of_the_last_round(void **state)
{
	struct labels table = { 0 };
	struct local_labels job = { 0 };
	(void)state;
	for (unsigned round = 0; round < 3; round++) {
		char text[8] = { 'a' };
		for (unsigned i = 0; i < 1000; i++) {
			text[1] = (char)('a' + i % 26);
			text[2] = (char)('a' + i / 26);
			text[3] = (char)('0' + round);
			assert_int_equal(local_label(&job, str_of(text)), LABEL_LOCAL | i);
		}
		local_labels_join(&job, &table);
		assert_true(str_eq(label_text(&table, local_label_joined(&job, LABEL_LOCAL | 999)),
				   str_of(text)));
		local_labels_clear(&job);
	}
	assert_int_equal(table.names.entries.count, 3000);
	local_labels_release(&job);
	labels_release(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_of_two_jobs_are_one_label_of_the_table),
		cmocka_unit_test(lines_of_two_jobs_are_one_label_of_the_table),
		cmocka_unit_test(claims_join_with_the_labels_of_the_table),
		cmocka_unit_test(a_job_that_is_used_again_knows_nothing_of_the_last_round),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
