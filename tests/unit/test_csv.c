#include "../lib/rows.h"

static void expect_csv(const struct report *r, char separator, const char *expected)
{
	struct capture c = { 0 };
	struct sink s = { .to = { capture_write, &c } };
	struct report made;
	sizes_report(&made, r);
	out_csv(&made, &s, separator);
	assert_true(sink_flush(&s));
	assert_string_equal(captured(&c), expected);
	vec_release(&c.text);
}

static const char *const sources[] = { "sections", "symbols" };

static struct report report_of(const struct heft_row *top)
{
	return (struct report){ .table.top = top, .table.levels = sources, .table.level_count = 2 };
}

static void each_leaf_is_a_line_and_missing_levels_are_empty(void **state)
{
	(void)state;
	const struct heft_row a = row("main", 1000, 1100), b = row("f", 10, 20),
			      bss = row(".bss", 0, 4096);
	struct heft_row text = row(".text", 1010, 1120), top = row("TOTAL", 1010, 5216);
	CHILDREN(&text, &a, &b);
	CHILDREN(&top, &text, &bss);
	const struct report r = report_of(&top);
	expect_csv(&r, ',',
		   "sections,symbols,vmsize,filesize\n"
		   ".text,main,1100,1000\n"
		   ".text,f,20,10\n"
		   ".bss,,4096,0\n");
	expect_csv(&r, '\t',
		   "sections\tsymbols\tvmsize\tfilesize\n"
		   ".text\tmain\t1100\t1000\n"
		   ".text\tf\t20\t10\n"
		   ".bss\t\t4096\t0\n");
}

static void a_run_without_rows_is_a_header(void **state)
{
	(void)state;
	const struct heft_row top = row("TOTAL", 0, 0);
	const struct report r = report_of(&top);
	expect_csv(&r, ',', "sections,symbols,vmsize,filesize\n");
}

static void a_diff_gives_changes_and_on_request_both_sides(void **state)
{
	(void)state;
	const struct heft_row a = diff_row(".text", 100, 50, 150, 20);
	struct heft_row top = diff_row("TOTAL", 100, 50, 150, 20);
	CHILDREN(&top, &a);
	struct report r = report_of(&top);
	r.table.diff = true;
	expect_csv(&r, ',',
		   "sections,symbols,vmsize,filesize\n"
		   ".text,,30,-50\n");
	r.opts.base_columns = true;
	expect_csv(&r, ',',
		   "sections,symbols,vmsize,filesize,original_vmsize,original_filesize,"
		   "current_vmsize,current_filesize\n"
		   ".text,,30,-50,20,150,50,100\n");
	r.table.diff = false;
	expect_csv(&r, ',',
		   "sections,symbols,vmsize,filesize\n"
		   ".text,,50,100\n");
}

static void counts_come_last(void **state)
{
	(void)state;
	struct heft_row a = diff_row(".text", 1, 2, 3, 4);
	struct heft_row top = diff_row("TOTAL", 1, 2, 3, 4);
	set_count(&a, 7, 9);
	CHILDREN(&top, &a);
	struct report r = report_of(&top);
	r.table.level_count = 1;
	r.table.measure_count = HEFT_SIZE_COUNT + 1;
	expect_csv(&r, ',',
		   "sections,vmsize,filesize,count\n"
		   ".text,2,1,7\n");
	r.table.diff = true;
	r.opts.base_columns = true;
	expect_csv(&r, ',',
		   "sections,vmsize,filesize,original_vmsize,original_filesize,current_vmsize,"
		   "current_filesize,count,original_count,current_count\n"
		   ".text,-2,-2,4,3,2,1,-2,9,7\n");
}

static void odd_labels_stay_one_field(void **state)
{
	(void)state;
	const struct heft_row comma = row("f(int, int)", 1, 1),
			      quote = row("operator\"\" _x", 1, 1), line = row("a\nb\r", 1, 1),
			      tab = row("a\tb\\c", 1, 1), empty = row("", 1, 1),
			      others = row("[3 Others]", 1, 1);
	struct heft_row top = row("TOTAL", 6, 6);
	CHILDREN(&top, &comma, &quote, &line, &tab, &empty, &others);
	struct report r = report_of(&top);
	r.table.level_count = 1;
	expect_csv(&r, ',',
		   "sections,vmsize,filesize\n"
		   "\"f(int, int)\",1,1\n"
		   "\"operator\"\"\"\" _x\",1,1\n"
		   "\"a\nb\r\",1,1\n"
		   "a\tb\\c,1,1\n"
		   ",1,1\n"
		   "[3 Others],1,1\n");
	expect_csv(&r, '\t',
		   "sections\tvmsize\tfilesize\n"
		   "f(int, int)\t1\t1\n"
		   "operator\"\" _x\t1\t1\n"
		   "a\\nb\\r\t1\t1\n"
		   "a\\tb\\\\c\t1\t1\n"
		   "\t1\t1\n"
		   "[3 Others]\t1\t1\n");
}

static void sizes_are_exact_up_to_64_bits(void **state)
{
	(void)state;
	const struct heft_row big = diff_row("x", 0, UINT64_MAX, UINT64_MAX, 0);
	struct heft_row top = diff_row("TOTAL", 0, UINT64_MAX, UINT64_MAX, 0);
	CHILDREN(&top, &big);
	struct report r = report_of(&top);
	r.table.level_count = 1;
	r.table.diff = true;
	expect_csv(&r, ',',
		   "sections,vmsize,filesize\n"
		   "x,18446744073709551615,-18446744073709551615\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_leaf_is_a_line_and_missing_levels_are_empty),
		cmocka_unit_test(a_run_without_rows_is_a_header),
		cmocka_unit_test(a_diff_gives_changes_and_on_request_both_sides),
		cmocka_unit_test(counts_come_last),
		cmocka_unit_test(odd_labels_stay_one_field),
		cmocka_unit_test(sizes_are_exact_up_to_64_bits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
