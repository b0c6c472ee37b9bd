#include "../lib/rows.h"

#include "report/label_text.h"
#include "base/number.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

static void expect_table(const struct report *r, const char *expected)
{
	struct capture c = { 0 };
	struct sink s = { .to = { capture_write, &c } };
	struct report made;
	sizes_report(&made, r);
	out_table(&made, &s);
	assert_true(sink_flush(&s));
	assert_string_equal(captured(&c), expected);
	vec_release(&c.text);
}

#define HEAD                                                                                       \
	"    FILE SIZE        VM SIZE    \n"                                                       \
	" --------------  -------------- \n"
#define HEAD_FILE                                                                                  \
	"    FILE SIZE   \n"                                                                       \
	" -------------- \n"
#define HEAD_VM                                                                                    \
	"     VM SIZE    \n"                                                                       \
	" -------------- \n"

/* Names of levels as they matter to no test of the table. */
static const char *const sources[] = { "sections", "symbols", "inlines" };

static struct report report_of(const struct heft_row *top)
{
	return (struct report){ .table.top = top, .table.levels = sources, .table.level_count = 3 };
}

static void a_plain_table_has_both_domains_and_ends_with_the_total(void **state)
{
	(void)state;
	const struct heft_row text = row(".text", 2031616, 2031616), bss = row(".bss", 0, 1058013),
			      debug = row(".debug_info", 9279897, 0);
	struct heft_row top = row("TOTAL", 30932992, 7014973);
	CHILDREN(&top, &debug, &text, &bss);
	const struct report r = report_of(&top);
	expect_table(&r, HEAD "  30.0%  8.85Mi   0.0%       0    .debug_info\n"
			      "   6.6%  1.94Mi  29.0%  1.94Mi    .text\n"
			      "   0.0%       0  15.1%  1.01Mi    .bss\n"
			      " 100.0%  29.5Mi 100.0%  6.69Mi    TOTAL\n");
}

static void one_domain_leaves_out_rows_without_bytes_in_it(void **state)
{
	(void)state;
	const struct heft_row text = row(".text", 1024, 1024), bss = row(".bss", 0, 1024);
	struct heft_row top = row("TOTAL", 1024, 2048);
	CHILDREN(&top, &bss, &text);
	struct report r = report_of(&top);
	r.opts.domain = HEFT_FILE;
	expect_table(&r, HEAD_FILE " 100.0%    1024    .text\n"
				   " 100.0%    1024    TOTAL\n");
	r.opts.domain = HEFT_VM;
	expect_table(&r, HEAD_VM "  50.0%    1024    .bss\n"
				 "  50.0%    1024    .text\n"
				 " 100.0%  2.00Ki    TOTAL\n");
	r.opts.domain = HEFT_BOTH;
	expect_table(&r, HEAD "   0.0%       0  50.0%    1024    .bss\n"
			      " 100.0%    1024  50.0%    1024    .text\n"
			      " 100.0%    1024 100.0%  2.00Ki    TOTAL\n");
}

static void an_empty_total_is_shown_in_any_domain(void **state)
{
	(void)state;
	const struct heft_row top = row("TOTAL", 0, 0);
	struct report r = report_of(&top);
	expect_table(&r, HEAD " 100.0%       0 100.0%       0    TOTAL\n");
	r.opts.domain = HEFT_VM;
	expect_table(&r, HEAD_VM " 100.0%       0    TOTAL\n");
}

static void a_share_of_an_empty_parent_is_nan_or_infinite(void **state)
{
	(void)state;
	const struct heft_row info = row(".debug_info", 100, 0), odd = row("odd", 0, 7);
	struct heft_row unmapped = row("[Unmapped]", 200, 0);
	struct heft_row top = row("TOTAL", 400, 10);
	CHILDREN(&unmapped, &info, &odd);
	CHILDREN(&top, &unmapped);
	const struct report r = report_of(&top);
	expect_table(&r, HEAD "  50.0%     200   0.0%       0    [Unmapped]\n"
			      "    50.0%     100      -       0    .debug_info\n"
			      "     0.0%       0   INF%       7    odd\n"
			      " 100.0%     400 100.0%      10    TOTAL\n");
}

static void each_level_is_indented_by_two(void **state)
{
	(void)state;
	const struct heft_row inline_a = row("a.c:1", 30, 30), inline_b = row("a.c:2", 10, 10);
	struct heft_row main_row = row("main", 40, 40);
	const struct heft_row other = row("other", 60, 60), data = row(".data", 100, 100);
	struct heft_row text = row(".text", 100, 100), top = row("TOTAL", 200, 200);
	CHILDREN(&main_row, &inline_a, &inline_b);
	CHILDREN(&text, &other, &main_row);
	CHILDREN(&top, &data, &text);
	const struct report r = report_of(&top);
	expect_table(&r, HEAD "  50.0%     100  50.0%     100    .data\n"
			      "  50.0%     100  50.0%     100    .text\n"
			      "    60.0%      60  60.0%      60    other\n"
			      "    40.0%      40  40.0%      40    main\n"
			      "      75.0%      30  75.0%      30    a.c:1\n"
			      "      25.0%      10  25.0%      10    a.c:2\n"
			      " 100.0%     200 100.0%     200    TOTAL\n");
}

static void a_single_child_that_repeats_its_parent_is_not_printed(void **state)
{
	(void)state;
	const struct heft_row fallback = row("[section .text]", 10, 10),
			      same = row(".data", 10, 10), bare = row("LOAD #1", 10, 10),
			      other = row("[section .x]", 10, 10);
	struct heft_row text = row(".text", 10, 10), data = row(".data", 10, 10),
			load = row("[LOAD #1]", 10, 10), bss = row(".bss", 10, 10);
	struct heft_row top = row("TOTAL", 40, 40);
	CHILDREN(&text, &fallback);
	CHILDREN(&data, &same);
	CHILDREN(&load, &bare);
	CHILDREN(&bss, &other);
	CHILDREN(&top, &text, &data, &load, &bss);
	const struct report r = report_of(&top);
	expect_table(&r, HEAD "  25.0%      10  25.0%      10    .text\n"
			      "  25.0%      10  25.0%      10    .data\n"
			      "  25.0%      10  25.0%      10    [LOAD #1]\n"
			      "  25.0%      10  25.0%      10    .bss\n"
			      "   100.0%      10 100.0%      10    [section .x]\n"
			      " 100.0%      40 100.0%      40    TOTAL\n");
}

static void a_repeating_child_is_printed_beside_others_or_above_others(void **state)
{
	(void)state;
	const struct heft_row leaf = row("x", 10, 10), fallback = row("[section .text]", 4, 4),
			      symbol = row("main", 6, 6);
	struct heft_row inner = row("[section .data]", 10, 10);
	struct heft_row data = row(".data", 10, 10), text = row(".text", 10, 10),
			top = row("TOTAL", 20, 20);
	CHILDREN(&inner, &leaf);
	CHILDREN(&data, &inner);
	CHILDREN(&text, &symbol, &fallback);
	CHILDREN(&top, &data, &text);
	const struct report r = report_of(&top);
	expect_table(&r, HEAD "  50.0%      10  50.0%      10    .data\n"
			      "   100.0%      10 100.0%      10    [section .data]\n"
			      "     100.0%      10 100.0%      10    x\n"
			      "  50.0%      10  50.0%      10    .text\n"
			      "    60.0%       6  60.0%       6    main\n"
			      "    40.0%       4  40.0%       4    [section .text]\n"
			      " 100.0%      20 100.0%      20    TOTAL\n");
}

static void a_diff_shows_signs_and_words(void **state)
{
	(void)state;
	const struct heft_row grown = diff_row(".text", 1100, 1190, 1000, 1000),
			      added = diff_row(".new", 2048, 0, 0, 0),
			      gone = diff_row(".old", 0, 0, 500, 40),
			      same = diff_row(".vm", 10, 20, 10, 10),
			      shrunk = diff_row(".data", 600, 999, 1000, 1000),
			      huge = diff_row(".big", 56672, 10000, 200, 10);
	struct heft_row top = diff_row("TOTAL", 60430, 12209, 2710, 2060);
	CHILDREN(&top, &huge, &added, &grown, &same, &shrunk, &gone);
	struct report r = report_of(&top);
	r.table.diff = true;
	expect_table(&r, HEAD "   x283 +55.1Ki  x1000 +9.76Ki    .big\n"
			      "  [NEW] +2.00Ki  [ = ]       0    .new\n"
			      " +10.0%    +100   +19%    +190    .text\n"
			      "  [ = ]       0  +100%     +10    .vm\n"
			      " -40.0%    -400  -0.1%      -1    .data\n"
			      "  [DEL]    -500  [DEL]     -40    .old\n"
			      "    x22 +56.4Ki  +493% +9.91Ki    TOTAL\n");
	r.opts.bloaty = true;
	expect_table(&r, HEAD " +28e3% +55.1Ki +10e4% +9.76Ki    .big\n"
			      "  [NEW] +2.00Ki  [ = ]       0    .new\n"
			      " +10.0%    +100   +19%    +190    .text\n"
			      "  [ = ]       0  +100%     +10    .vm\n"
			      " -40.0%    -400  -0.1%      -1    .data\n"
			      "  [DEL]    -500  [DEL]     -40    .old\n"
			      " +21e2% +56.4Ki  +493% +9.91Ki    TOTAL\n");
}

static void a_diff_of_one_domain_leaves_out_unchanged_rows(void **state)
{
	(void)state;
	const struct heft_row inner = diff_row("main", 20, 20, 10, 10);
	struct heft_row still = diff_row(".text", 100, 110, 100, 100);
	const struct heft_row moved = diff_row(".data", 50, 50, 40, 50);
	struct heft_row top = diff_row("TOTAL", 150, 160, 140, 150);
	CHILDREN(&still, &inner);
	CHILDREN(&top, &moved, &still);
	struct report r = report_of(&top);
	r.table.diff = true;
	r.opts.domain = HEFT_FILE;
	expect_table(&r, HEAD_FILE "   +25%     +10    .data\n"
				   "  +7.1%     +10    TOTAL\n");
}

static void children_of_a_row_that_did_not_change_are_not_printed(void **state)
{
	(void)state;
	const struct heft_row a = diff_row("a", 20, 20, 10, 10), b = diff_row("b", 10, 10, 20, 20);
	struct heft_row text = diff_row(".text", 30, 30, 30, 30),
			top = diff_row("TOTAL", 30, 30, 30, 30);
	CHILDREN(&text, &a, &b);
	CHILDREN(&top, &text);
	struct report r = report_of(&top);
	r.table.diff = true;
	expect_table(&r, HEAD "  [ = ]       0  [ = ]       0    .text\n"
			      "  [ = ]       0  [ = ]       0    TOTAL\n");
}

static void others_have_the_growth_of_what_they_sum_up(void **state)
{
	(void)state;
	struct heft_row others = diff_row("[12 Others]", 1500, 900, 1000, 1000),
			top = diff_row("TOTAL", 1500, 900, 1000, 1000);
	others.others = 12;
	CHILDREN(&top, &others);
	struct report r = report_of(&top);
	r.table.diff = true;
	expect_table(&r, HEAD "   +50%    +500 -10.0%    -100    [12 Others]\n"
			      "   +50%    +500 -10.0%    -100    TOTAL\n");
}

static void the_filter_notice_is_the_last_line(void **state)
{
	(void)state;
	const struct heft_row top = row("TOTAL", 1024, 512);
	struct report r = report_of(&top);
	const struct size_report sizes = { .filtered = true, .omitted_file = 29465000 };
	r.ctx = &sizes;
	expect_table(&r, HEAD " 100.0%    1024 100.0%     512    TOTAL\n"
			      "Not counted: 28.1Mi of the file, 0 of the VM image\n");
	r.opts.bloaty = true;
	expect_table(&r, HEAD " 100.0%    1024 100.0%     512    TOTAL\n"
			      "Filtering enabled (source_filter); omitted file = 28.1Mi, vm = 0 of "
			      "entries\n");
	r.opts.bloaty = false;
	r.opts.domain = HEFT_FILE;
	expect_table(&r, HEAD_FILE " 100.0%    1024    TOTAL\n"
				   "Not counted: 28.1Mi of the file\n");
	r.opts.domain = HEFT_VM;
	expect_table(&r, HEAD_VM " 100.0%     512    TOTAL\n"
				 "Not counted: 0 of the VM image\n");
}

static void the_count_column_stands_under_its_header(void **state)
{
	(void)state;
	struct heft_row text = row(".text", 100, 100), top = row("TOTAL", 100, 100);
	set_count(&text, 1234567, 0);
	set_count(&top, 42, 45);
	CHILDREN(&top, &text);
	struct report r = report_of(&top);
	r.table.measure_count = HEFT_SIZE_COUNT + 1;
	expect_table(&r, "    FILE SIZE        VM SIZE     COUNT \n"
			 " --------------  -------------- ------ \n"
			 " 100.0%     100 100.0%     100 1234567    .text\n"
			 " 100.0%     100 100.0%     100      42    TOTAL\n");
	r.opts.domain = HEFT_FILE;
	expect_table(&r, "    FILE SIZE     COUNT \n"
			 " -------------- ------- \n"
			 " 100.0%     100 1234567    .text\n"
			 " 100.0%     100      42    TOTAL\n");
	r.table.diff = true;
	expect_table(&r, "    FILE SIZE     COUNT \n"
			 " -------------- ------- \n"
			 "  [NEW]    +100 +1234567    .text\n"
			 "  [NEW]    +100      -3    TOTAL\n");
}

static void old_and_new_sizes_stand_before_the_change(void **state)
{
	(void)state;
	const struct heft_row text = diff_row(".text", 2048, 100, 1024, 100);
	struct heft_row top = diff_row("TOTAL", 2048, 100, 1024, 100);
	CHILDREN(&top, &text);
	struct report r = report_of(&top);
	r.opts.old_new = true;
	r.table.diff = true;
	expect_table(&r,
		     "     OLD     NEW    FILE SIZE        OLD     NEW     VM SIZE    \n"
		     " ------- ------- --------------  ------- ------- -------------- \n"
		     "    1024  2.00Ki  +100%   +1024     100     100  [ = ]       0    .text\n"
		     "    1024  2.00Ki  +100%   +1024     100     100  [ = ]       0    TOTAL\n");
	r.table.diff = false;
	expect_table(&r, HEAD " 100.0%  2.00Ki 100.0%     100    .text\n"
			      " 100.0%  2.00Ki 100.0%     100    TOTAL\n");
}

static void colours_mark_growth_red_and_shrinkage_green(void **state)
{
	(void)state;
	const struct heft_row text = diff_row(".text", 11, 9, 10, 10);
	struct heft_row top = diff_row("TOTAL", 11, 10, 10, 10);
	CHILDREN(&top, &text);
	struct report r = report_of(&top);
	r.opts.color = true;
	r.table.diff = true;
	expect_table(&r, HEAD " \x1b[31m+10.0%      +1\x1b[0m \x1b[32m-10.0%      -1\x1b[0m    "
			      ".text\n"
			      " \x1b[31m+10.0%      +1\x1b[0m \x1b[2m [ = ]       0\x1b[0m    "
			      "TOTAL\n");
	r.table.diff = false;
	r.opts.domain = HEFT_VM;
	expect_table(&r, HEAD_VM " \x1b[2m 90.0%       9\x1b[0m    .text\n"
				 " \x1b[2m100.0%      10\x1b[0m    TOTAL\n");
}

static void labels_can_not_break_lines_or_drive_the_terminal(void **state)
{
	(void)state;
	const struct heft_row odd = row("a\nb\x1b[31m\xff\t\x01 C:\\x \xc3\xa9", 1, 1),
			      bidi = row("\xe2\x80\xae"
					 "abc\xc2\x9b",
					 1, 1);
	struct heft_row top = row("TOTAL", 2, 2);
	CHILDREN(&top, &odd, &bidi);
	const struct report r = report_of(&top);
	expect_table(&r, HEAD "  50.0%       1  50.0%       1    a\\nb\\x1b[31m\\xff\\t\\x01 C:\\x "
			      "\xc3\xa9\n"
			      "  50.0%       1  50.0%       1    \\xe2\\x80\\xaeabc\\xc2\\x9b\n"
			      " 100.0%       2 100.0%       2    TOTAL\n");
}

static void long_labels_are_cut_in_the_middle_to_fit(void **state)
{
	(void)state;
	const struct heft_row leaf = row("abcdefghijklmnopqrstuvwxyz", 1, 1),
			      leaf2 = row("abcdefghijklmno", 1, 1);
	struct heft_row mid = row("abcdefghijklmnopqrstuvwxyz", 2, 2), top = row("TOTAL", 2, 2);
	CHILDREN(&mid, &leaf, &leaf2);
	CHILDREN(&top, &mid);
	struct report r = report_of(&top);
	r.opts.width = 51;
	expect_table(&r, HEAD " 100.0%       2 100.0%       2    abcdefg...tuvwxyz\n"
			      "    50.0%       1  50.0%       1    abcdef...uvwxyz\n"
			      "    50.0%       1  50.0%       1    abcdefghijklmno\n"
			      " 100.0%       2 100.0%       2    TOTAL\n");
	/* However narrow, eight columns are left. */
	r.opts.width = 10;
	expect_table(&r, HEAD " 100.0%       2 100.0%       2    abc...yz\n"
			      "    50.0%       1  50.0%       1    abc...yz\n"
			      "    50.0%       1  50.0%       1    abc...no\n"
			      " 100.0%       2 100.0%       2    TOTAL\n");
}

static void expect_cut(const char *label, size_t width, const char *expected)
{
	struct capture c = { 0 };
	struct sink s = { .to = { capture_write, &c } };
	label_put(&s, str_of(label), width);
	sink_flush(&s);
	assert_string_equal(captured(&c), expected);
	if (width)
		assert_true(label_width(str_of(captured(&c))) <= width);
	vec_release(&c.text);
}

static void cutting_knows_the_width_of_characters(void **state)
{
	(void)state;
	assert_int_equal(label_width(STR("\xe6\xbc\xa2\xe5\xad\x97")), 4); /* two wide ones */
	assert_int_equal(label_width(STR("e\xcc\x81")), 1);                /* e + acute */
	assert_int_equal(label_width(STR("\xc3\xa9\xff")), 5);
	expect_cut("\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2", 8,
		   "\xe6\xbc\xa2...\xe6\xbc\xa2");
	expect_cut("0123456e\xcc\x81"
		   "78",
		   9,
		   "012...e\xcc\x81"
		   "78");
	expect_cut("0123456e\xcc\x81"
		   "78",
		   8, "012...78");
	expect_cut("0123456789\n", 8, "012...\\n");
	expect_cut("012345678\n9", 8, "012...9");
	expect_cut("01234567", 8, "01234567");
	expect_cut("", 8, "");
}

static void expect_size(uint64_t size, const char *expected)
{
	char text[NUMBER_MAX];
	number_size(text, size, '\0');
	assert_string_equal(text, expected);
}

static void sizes_change_unit_above_1024_only(void **state)
{
	(void)state;
	const uint64_t ki = 1024, mi = ki * ki, gi = mi * ki, ti = gi * ki;
	expect_size(0, "0");
	expect_size(1, "1");
	expect_size(1023, "1023");
	expect_size(1024, "1024");
	expect_size(1025, "1.00Ki");
	expect_size(1536, "1.50Ki");
	expect_size(10240, "10.00Ki");
	expect_size(10241, "10.0Ki");
	expect_size(102400, "100.0Ki");
	expect_size(102401, "100Ki");
	expect_size(110 * ki + 1023, "110Ki");
	expect_size(mi, "1024Ki");
	expect_size(mi + 1, "1.00Mi");
	expect_size(gi, "1024Mi");
	expect_size(gi + gi / 4, "1.25Gi");
	expect_size(ti, "1024Gi");
	expect_size(10 * ti, "10240Gi");
	expect_size(UINT64_MAX, "17179869184Gi");
}

static void expect_growth(uint64_t now, uint64_t base, const char *growth, const char *change)
{
	char text[NUMBER_MAX];
	number_growth_exponent(text, now, base);
	assert_string_equal(text, growth);
	number_change(text, change_of(now, base));
	assert_string_equal(text, change);
}

static void growth_is_short_at_any_size(void **state)
{
	(void)state;
	expect_growth(0, 0, "[ = ]", "0");
	expect_growth(7, 7, "[ = ]", "0");
	expect_growth(7, 0, "[NEW]", "+7");
	expect_growth(0, 7, "[DEL]", "-7");
	expect_growth(101, 100, "+1.0%", "+1");
	expect_growth(110, 100, "+10.0%", "+10");
	expect_growth(1101, 1000, "+10%", "+101");
	expect_growth(1100, 100, "+1000%", "+1000");
	expect_growth(1110, 100, "+10e2%", "+1010");
	expect_growth(28223, 100, "+28e3%", "+27.5Ki");
	expect_growth(10060, 100, "+10e3%", "+9.73Ki");
	expect_growth(100000, 1, "+10e6%", "+97.7Ki");
	expect_growth(99, 100, "-1.0%", "-1");
	expect_growth(1, 100, "-99.0%", "-99");
	expect_growth(99999, 100000, "-0.0%", "-1");
	expect_growth(UINT64_MAX, 1, "+18e20%", "+17179869184Gi");
	expect_growth(1, UINT64_MAX, "-100.0%", "-17179869184Gi");
}

/* Makes a locale with a decimal comma in a folder of its own, since few machines have one. */
static bool set_decimal_comma(void)
{
	char folder[] = "/tmp/heft-locale-XXXXXX", command[200];
	if (setlocale(LC_NUMERIC, "de_DE.UTF-8"))
		return true;
	assert_non_null(mkdtemp(folder));
	snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 2>/dev/null",
		 folder);
	const bool made = system(command) == 0;
	setenv("LOCPATH", folder, 1);
	const bool set = made && setlocale(LC_NUMERIC, "de_DE.UTF-8");
	snprintf(command, sizeof command, "rm -r %s", folder);
	assert_int_equal(system(command), 0);
	return set;
}

static void numbers_do_not_depend_on_the_locale(void **state)
{
	(void)state;
	if (!set_decimal_comma()) {
		print_message(
			"LEFT OUT: a decimal comma: no localedef with de_DE (install locales)\n");
		return;
	}
	assert_string_equal(localeconv()->decimal_point, ",");
	expect_size(1536, "1.50Ki");
	expect_growth(101, 100, "+1.0%", "+1");
	setlocale(LC_NUMERIC, "C");
}

static bool write_nothing(void *ctx, const void *data, size_t size)
{
	(void)data;
	(void)size;
	++*(int *)ctx;
	return false;
}

static void a_sink_remembers_the_first_failure(void **state)
{
	(void)state;
	int calls = 0;
	struct sink s = { .to = { write_nothing, &calls } };
	sink_text(&s, STR("x"));
	assert_false(s.failed);
	assert_false(sink_flush(&s));
	for (int i = 0; i < 10000; i++)
		sink_printf(&s, "%d\n", i);
	assert_false(sink_flush(&s));
	assert_int_equal(calls, 1);
}

static void a_sink_keeps_the_order_of_small_and_large_pieces(void **state)
{
	(void)state;
	char large[20000];
	struct capture c = { 0 };
	struct sink s = { .to = { capture_write, &c } };
	memset(large, 'y', sizeof large);
	sink_text(&s, STR("x"));
	sink_text(&s, (struct str){ large, sizeof large });
	sink_printf(&s, "%s%d", "z", 1);
	sink_printf(&s, "%.*s", 600, large);
	assert_true(sink_flush(&s));
	const char *text = captured(&c);
	assert_int_equal(c.text.count, 1 + 20000 + 2 + 600);
	assert_int_equal(text[0], 'x');
	assert_memory_equal(text + 1, large, sizeof large);
	assert_memory_equal(text + 20001, "z1y", 3);
	vec_release(&c.text);
}

static void a_very_deep_tree_needs_no_stack(void **state)
{
	(void)state;
	enum { DEPTH = 3000 };
	struct heft_row *rows = mem_zeroed(DEPTH, sizeof *rows);
	const struct heft_row **next = mem_zeroed(DEPTH, sizeof *next);
	const struct heft_row odd = row("odd", 1, 1), even = row("even", 1, 1);
	for (size_t i = 0; i < DEPTH; i++) {
		rows[i] = i % 2 ? odd : even;
		next[i] = &rows[i] + 1;
		rows[i].children = &next[i];
		rows[i].child_count = i + 1 < DEPTH;
	}
	struct capture c = { 0 };
	struct sink s = { .to = { capture_write, &c } };
	const struct report r = report_of(&rows[0]);
	struct report made;
	sizes_report(&made, &r);
	out_table(&made, &s);
	assert_true(sink_flush(&s));
	size_t lines = 0;
	for (size_t i = 0; i < c.text.count; i++)
		lines += c.text.data[i] == '\n';
	assert_int_equal(lines, DEPTH + 2);
	vec_release(&c.text);
	mem_free(rows);
	mem_free(next);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plain_table_has_both_domains_and_ends_with_the_total),
		cmocka_unit_test(one_domain_leaves_out_rows_without_bytes_in_it),
		cmocka_unit_test(an_empty_total_is_shown_in_any_domain),
		cmocka_unit_test(a_share_of_an_empty_parent_is_nan_or_infinite),
		cmocka_unit_test(each_level_is_indented_by_two),
		cmocka_unit_test(a_single_child_that_repeats_its_parent_is_not_printed),
		cmocka_unit_test(a_repeating_child_is_printed_beside_others_or_above_others),
		cmocka_unit_test(a_diff_shows_signs_and_words),
		cmocka_unit_test(a_diff_of_one_domain_leaves_out_unchanged_rows),
		cmocka_unit_test(children_of_a_row_that_did_not_change_are_not_printed),
		cmocka_unit_test(others_have_the_growth_of_what_they_sum_up),
		cmocka_unit_test(the_filter_notice_is_the_last_line),
		cmocka_unit_test(the_count_column_stands_under_its_header),
		cmocka_unit_test(old_and_new_sizes_stand_before_the_change),
		cmocka_unit_test(colours_mark_growth_red_and_shrinkage_green),
		cmocka_unit_test(labels_can_not_break_lines_or_drive_the_terminal),
		cmocka_unit_test(long_labels_are_cut_in_the_middle_to_fit),
		cmocka_unit_test(cutting_knows_the_width_of_characters),
		cmocka_unit_test(sizes_change_unit_above_1024_only),
		cmocka_unit_test(growth_is_short_at_any_size),
		cmocka_unit_test(numbers_do_not_depend_on_the_locale),
		cmocka_unit_test(a_sink_remembers_the_first_failure),
		cmocka_unit_test(a_sink_keeps_the_order_of_small_and_large_pieces),
		cmocka_unit_test(a_very_deep_tree_needs_no_stack),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
