/* What looks wrong in a snapshot; numbers and texts of its reports. */
#include "report/markdown.h"
#include "report/pss.h"
#include "base/text.h"
#include "query/quality.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../lib/snapmaker.h"

static bool finds(const struct quality *q, const char *section, const char *part)
{
	for (size_t i = 0; i < q->findings.count; i++)
		if (strcmp(q->findings.data[i].section, section) == 0 &&
		    strstr(q->findings.data[i].text, part))
			return true;
	return false;
}

static void absolute_paths_are_one_finding(void **state)
{
	static const struct made some[] = {
		{ ".text", 0x1000, 9, 0, "a", "/abs/a.c", "a.o", NULL, 0 },
		{ ".data", 0x2000, 9, 0, "b", "a.c", "/abs/a.o", NULL, 0 },
		{ ".rodata", 0x3000, 9, 0, "c", "a.c", "a.o", NULL, 0 },
	};
	struct snapshot s;
	struct quality q;
	(void)state;
	snapmaker_make(&s, some, COUNT_OF(some));
	quality_check(&q, &s);
	assert_true(finds(&q, ".text", "2 symbols of this and 1 more sections"));
	assert_false(finds(&q, ".data", "absolute"));
	quality_release(&q);
	snapshot_release(&s);
}

static void sums_must_be_the_stated_size(void **state)
{
	static const struct made some[] = {
		{ ".text", 0x1000, 99, 0, "a", "a.c", "a.o", NULL, 0 },
		{ ".data", 0x2000, 10, 0, "b", "a.c", "a.o", NULL, 3 },
		{ ".data", 0x2000, 10, 0, "c", "a.c", "a.o", NULL, 0 },
		{ ".data", 0x2000, 10, 0, "d", "a.c", "a.o", NULL, 0 },
		{ ".rodata", 0x3000, 10, 5, "e", "/abs/a.c", "a.o", NULL, 0 },
		{ ".other", 0, 9, 0, "** ELF Section: x", NULL, NULL, NULL, 0 },
	};
	struct snapshot s;
	struct quality q;
	(void)state;
	snapmaker_make(&s, some, COUNT_OF(some));
	s.sections.data[snapshot_section(&s, 0, ".text")].size = 100;
	s.sections.data[snapshot_section(&s, 0, ".data")].size = 10;
	quality_check(&q, &s);
	assert_true(finds(&q, ".text", "add up to 99 bytes, the section has 100"));
	assert_false(finds(&q, ".data", "add up"));
	assert_true(finds(&q, ".rodata", "not stated"));
	assert_true(finds(&q, ".rodata", "33.3% is padding"));
	assert_true(finds(&q, ".rodata", "1 symbols have absolute paths"));
	assert_false(finds(&q, ".other", ""));
	/* Few symbols: shares say nothing. */
	assert_false(finds(&q, ".data", "alias"));
	quality_release(&q);
	s.sparse = true;
	quality_check(&q, &s);
	assert_int_equal(q.findings.count, 0);
	quality_release(&q);
	snapshot_release(&s);
}

static void shares_out_of_the_ordinary_are_told(void **state)
{
	struct snapshot s;
	struct quality q;
	(void)state;
	snapmaker_init(&s);
	for (uint64_t i = 0; i < 20; i++) {
		const struct made m = { ".text",
					0x1000 + i * 16,
					16,
					0,
					i == 0   ? ""
					: i == 1 ? "** x"
						 : "f",
					i < 5 ? NULL : "a.c",
					i < 3 ? NULL : "a.o",
					NULL,
					0 };
		snapmaker_add(&s, &m, 0);
	}
	snapmaker_done(&s);
	s.sections.data[snapshot_section(&s, 0, ".text")].size = 320;
	quality_check(&q, &s);
	assert_true(finds(&q, ".text", "5.0% is in placeholders"));
	assert_true(finds(&q, ".text", "5.0% has no name"));
	assert_true(finds(&q, ".text", "20.0% has no source path"));
	assert_true(finds(&q, ".text", "10.0% has neither"));
	assert_true(finds(&q, ".text", "no symbol has an alias"));
	assert_true(finds(&q, ".text", "no symbol is of .text.startup"));
	assert_false(finds(&q, ".text", "component"));
	for (size_t i = 0; i < q.findings.count; i++)
		assert_false(q.findings.data[i].error);
	quality_release(&q);
	snapshot_release(&s);
}

/* ---- texts ----------------------------------------------------------------------------------- */

static void sizes_in_parts_of_bytes_read_well(void **state)
{
	static const struct {
		double v;
		const char *text, *change, *exact;
	} tests[] = {
		{ 0, "0", "0", "0" },
		{ 1, "1", "+1", "1" },
		{ -1, "-1", "-1", "-1" },
		{ 0.01, "~0", "~0", "0.01" },
		{ 0.3333333, "0.3", "+0.3", "0.333" },
		{ -2.5, "-2.5", "-2.5", "-2.5" },
		{ 9.96, "10", "+10", "9.96" },
		{ 10.6, "11", "+11", "10.6" },
		{ 1e-9, "0", "0", "0" },
		{ -1e-9, "0", "0", "0" },
		{ 123456789.0625, "123456789", "+123456789", "123456789.062" },
	};
	char out[PSS_MAX];
	(void)state;
	for (size_t i = 0; i < COUNT_OF(tests); i++) {
		pss_text(out, tests[i].v);
		assert_string_equal(out, tests[i].text);
		pss_change(out, tests[i].v);
		assert_string_equal(out, tests[i].change);
		pss_exact(out, tests[i].v);
		assert_string_equal(out, tests[i].exact);
	}
}

static bool keep(void *ctx, const void *data, size_t size)
{
	text_add(ctx, (struct str){ data, size });
	return true;
}

static void check_markdown(const char *text, size_t most, const char *want)
{
	struct text t = { 0 };
	struct sink s = { .to = { keep, &t } };
	markdown_code(&s, text, most);
	sink_flush(&s);
	text_add_char(&t, '\0');
	assert_string_equal(t.p, want);
	text_release(&t);
}

static void names_are_no_markup(void **state)
{
	(void)state;
	check_markdown("a<b>|c", 99, "`a<b>\\|c`");
	check_markdown("_x_ *y*\n@you #1 [l](u) &amp;", 99, "`_x_ *y*\\n@you #1 [l](u) &amp;`");
	check_markdown("`a``b", 99, "``` `a``b ```");
	check_markdown("", 99, "`  `");
	check_markdown("\xc3\xa9\xc3\xa9", 3, "`\xc3\xa9...`");
	check_markdown("abc", 3, "`abc`");
	check_markdown("abcd", 3, "`abc...`");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(absolute_paths_are_one_finding),
		cmocka_unit_test(sums_must_be_the_stated_size),
		cmocka_unit_test(shares_out_of_the_ordinary_are_told),
		cmocka_unit_test(sizes_in_parts_of_bytes_read_well),
		cmocka_unit_test(names_are_no_markup),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
