#include "../lib/rows.h"

static void expect_folded(const struct report *r, const char *expected)
{
	struct capture c = { 0 };
	struct sink s = { .to = { capture_write, &c } };
	struct report made;
	sizes_report(&made, r);
	out_folded(&made, &s);
	assert_true(sink_flush(&s));
	assert_string_equal(captured(&c), expected);
	vec_release(&c.text);
}

static void each_leaf_is_a_stack_with_its_bytes(void **state)
{
	(void)state;
	const struct heft_row a = row("operator new(unsigned long)", 1000, 1100),
			      b = row("f", 10, 20), bss = row(".bss", 0, 4096);
	struct heft_row text = row(".text", 1010, 1120), top = row("TOTAL", 1010, 5216);
	CHILDREN(&text, &a, &b);
	CHILDREN(&top, &text, &bss);
	struct report r = { .table.top = &top, .table.level_count = 2 };
	expect_folded(&r, ".text;operator new(unsigned long) 1000\n.text;f 10\n");
	r.opts.domain = HEFT_VM;
	expect_folded(&r, ".text;operator new(unsigned long) 1100\n.text;f 20\n.bss 4096\n");
}

static void separators_in_labels_are_frames_for_stacks_only(void **state)
{
	(void)state;
	const struct heft_row a = row("main;f;g", 3, 3);
	struct heft_row odd = row("x;y\nz", 3, 3), top = row("TOTAL", 3, 3);
	CHILDREN(&odd, &a);
	CHILDREN(&top, &odd);
	const struct report r = { .table.top = &top, .table.level_count = 2, .stacks = 2 };
	expect_folded(&r, "x:y z;main;f;g 3\n");
}

static void a_diff_has_both_sizes(void **state)
{
	(void)state;
	const struct heft_row grown = diff_row("grown", 30, 30, 10, 0),
			      gone = diff_row("gone", 0, 0, 5, 0);
	struct heft_row top = row("TOTAL", 30, 30);
	CHILDREN(&top, &grown, &gone);
	const struct report r = { .table.top = &top, .table.level_count = 1, .table.diff = true };
	expect_folded(&r, "grown 10 30\ngone 5 0\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_leaf_is_a_stack_with_its_bytes),
		cmocka_unit_test(separators_in_labels_are_frames_for_stacks_only),
		cmocka_unit_test(a_diff_has_both_sizes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
