/* Budgets: the format of their files, what is measured, who is named. */
#include "query/budget.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../lib/snapmaker.h"

static const char sort[] = "std::sort<int>(int*)";
static const struct made old[] = {
	{ ".text", 0x1000, 1000, 0, sort, "net/a.cc", "out/libnet.a/a.o", "Net", 0 },
	{ ".text", 0x2000, 600, 100, "main", "app/main.cc", "out/main.o", "App", 2 },
	{ ".text", 0x2000, 600, 100, "same", "net/b.cc", NULL, "Net", 0 },
	{ ".data", 0x3000, 50, 0, "table", "network/t.cc", NULL, "", 0 },
	{ ".bss", 0x4000, 9000, 0, "heap", "net/a.cc", NULL, "Net", 0 },
};
static const struct made now[] = {
	{ ".text", 0x1000, 1400, 0, sort, "net/a.cc", "out/libnet.a/a.o", "Net", 0 },
	{ ".text", 0x2000, 600, 100, "main", "app/main.cc", "out/main.o", "App", 2 },
	{ ".text", 0x2000, 600, 100, "same", "net/b.cc", NULL, "Net", 0 },
	{ ".data", 0x3000, 50, 0, "table", "network/t.cc", NULL, "", 0 },
	{ ".bss", 0x4000, 9000, 0, "heap", "net/a.cc", NULL, "Net", 0 },
};

/* Two regions, of which the second has .bss. */
static void add_regions(struct snapshot *s, uint64_t used)
{
	static const char *const names[] = { "REGION_START/FLASH", "REGION_SIZE/FLASH",
					     "REGION_USED/FLASH",  "REGION_START/RAM",
					     "REGION_SIZE/RAM",    "REGION_USED/RAM",
					     "SIZE/.text" };
	const uint64_t values[] = { 0x1000, 0x2800, used, 0x4000, 16384, 9000, 1 };
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		const char *value = arena_format(&s->arena, "%" PRIu64, values[i]);
		const struct snap_metric m = { "fw.elf", names[i], value };
		vec_push(&s->containers.data[0].metrics, m);
	}
}

struct fixture {
	struct snapshot now, old;
	struct budget budget;
	struct budget_result result;
};

/* Checks the rules against the two snapshots, or `now` alone. */
static void setup(struct fixture *f, const char *rules, bool base)
{
	struct heft_err err;
	memset(f, 0, sizeof *f);
	snapmaker_make(&f->now, now, COUNT_OF(now));
	snapmaker_make(&f->old, old, COUNT_OF(old));
	add_regions(&f->now, 8400);
	add_regions(&f->old, 8000);
	f->now.by_heft = f->old.by_heft = true;
	if (!budget_parse(&f->budget, "b.txt", str_of(rules), &err))
		fail_msg("%s", err.text);
	const struct budget_input in = { &f->now, base ? &f->old : NULL };
	budget_check(&f->result, &f->budget, &in);
}

static void teardown(struct fixture *f)
{
	budget_result_release(&f->result);
	budget_release(&f->budget);
	snapshot_release(&f->now);
	snapshot_release(&f->old);
}

static void check_size(const char *rule, double want)
{
	struct fixture f;
	setup(&f, rule, true);
	assert_int_equal(f.result.rows.count, 1);
	if (f.result.rows.data[0].now < want - 1e-6 || f.result.rows.data[0].now > want + 1e-6)
		fail_msg("%s: %f, not %f", rule, f.result.rows.data[0].now, want);
	teardown(&f);
}

static void each_subject_measures_its_bytes(void **state)
{
	(void)state;
	/* Shared bytes once, padding, and not what takes no room in the file. */
	check_size("file max 1", 1400 + 700 + 50);
	check_size("file without debug max 1", 1400 + 700 + 50);
	check_size("debug info max 1", 0);
	check_size("vm max 1", 1400 + 700 + 50 + 9000);
	check_size("section .text max 1", 2100);
	check_size("section .bss max 1", 9000);
	check_size("section .gone max 1", 0);
	/* Without the padding in front. */
	check_size("symbol ^main$ max 1", 300);
	check_size("symbol \"^(main|same)$\" max 1", 600);
	check_size("symbol heap max 1", 9000);
	check_size("source net max 1", 1400 + 300);
	check_size("source net/ max 1", 1400 + 300);
	check_size("source net/a.cc max 1", 1400);
	check_size("source net*/*.cc max 1", 1400 + 300 + 50);
	check_size("source ne max 1", 0);
	check_size("component Net max 1", 1400 + 300);
	check_size("directory net max 1", 1400 + 300);
	check_size("object out max 1", 1400 + 300);
	check_size("object out/main.o max 1", 300);
	check_size("object main.o max 1", 300);
	check_size("object libnet.a/a.o max 1", 1400);
	check_size("object ain.o max 1", 0);
	check_size("object /main.o max 1", 0);
	check_size("library libnet.a max 1", 1400);
	check_size("library out max 1", 300);
	check_size("namespace std max 1", 1400);
	check_size("namespace st max 1", 0);
	/* Up to the last byte in use, whoever has it. */
	check_size("region FLASH max 1", 8400);
	check_size("region RAM free at least 1", 9000);
}

static void debug_sections_are_measured_apart(void **state)
{
	static const char *const rules[] = { "file max 1", "file without debug max 1",
					     "debug info max 1", "debug info\tgrowth 5" };
	static const double want[] = { 2150 + 77, 2150, 77, 77 };
	static const struct made line = { ".debug_line", 0, 77, 0, "", NULL, NULL, NULL, 0 };
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		struct fixture f;
		struct heft_err err;
		memset(&f, 0, sizeof f);
		snapmaker_make(&f.now, now, COUNT_OF(now));
		snapmaker_add(&f.now, &line, 0);
		snapmaker_make(&f.old, now, COUNT_OF(now));
		assert_true(budget_parse(&f.budget, "b.txt", str_of(rules[i]), &err));
		budget_check(&f.result, &f.budget, &(struct budget_input){ &f.now, &f.old });
		assert_int_equal(f.result.rows.data[0].state, HEFT_BUDGET_BROKEN);
		assert_true(fabs(f.result.rows.data[0].now - want[i]) < 1e-6);
		teardown(&f);
	}
}

static void check_state(const char *rule, bool base, enum heft_budget_state want)
{
	struct fixture f;
	setup(&f, rule, base);
	assert_int_equal(f.result.rows.data[0].state, want);
	teardown(&f);
}

static void limits_hold_up_to_their_very_value(void **state)
{
	(void)state;
	check_state("section .text max 2100", false, HEFT_BUDGET_KEPT);
	check_state("section .text max 2099", false, HEFT_BUDGET_BROKEN);
	check_state("section .text max 2.05KiB", false, HEFT_BUDGET_BROKEN); /* 2099.2 */
	check_state("section .text max 2.051 KiB", false, HEFT_BUDGET_KEPT);
	check_state("section .text max 2.1 KB", false, HEFT_BUDGET_KEPT);
	check_state("section .text max 2.051Ki", false, HEFT_BUDGET_KEPT);
	check_state("section .text max 2.05K", false, HEFT_BUDGET_BROKEN);
	check_state("section .text max 1M, growth 1Gi", true, HEFT_BUDGET_KEPT);
	check_state("section .text max 2,100, growth 400", true, HEFT_BUDGET_KEPT);
	check_state("section .text max 2,099 B", false, HEFT_BUDGET_BROKEN);
	check_state("section .text max 1,234,567", false, HEFT_BUDGET_KEPT);
	check_state("section .text growth 400", true, HEFT_BUDGET_KEPT);
	check_state("section .text growth 399 bytes", true, HEFT_BUDGET_BROKEN);
	check_state("section .text growth 23.529 %", true, HEFT_BUDGET_BROKEN);
	check_state("section .text growth 23.53%", true, HEFT_BUDGET_KEPT);
	check_state("section .text growth 0", false, HEFT_BUDGET_SKIPPED);
	check_state("section .data growth 0", true, HEFT_BUDGET_KEPT);
	check_state("region FLASH growth 5%", true, HEFT_BUDGET_KEPT);
	check_state("region FLASH growth 399", true, HEFT_BUDGET_BROKEN);
	check_state("region RAM max 9000, free at least 1", false, HEFT_BUDGET_KEPT);
	check_state("region RAM free at least 7384", false, HEFT_BUDGET_KEPT);
	check_state("region RAM free at least 7385", false, HEFT_BUDGET_BROKEN);
	/* More than there is, ever. */
	check_state("region RAM free at least 17 KiB", false, HEFT_BUDGET_BROKEN);
}

static void a_limit_that_matches_nothing_is_not_kept(void **state)
{
	(void)state;
	check_state("section .gone growth 1%", true, HEFT_BUDGET_UNMATCHED);
	check_state("section .gone max 1", false, HEFT_BUDGET_UNMATCHED);
	check_state("source ne max 1", false, HEFT_BUDGET_UNMATCHED);
	check_state("component Nett max 1", false, HEFT_BUDGET_UNMATCHED);
	check_state("symbol ^nothing$ max 1", false, HEFT_BUDGET_UNMATCHED);
	check_state("region CCM max 1", false, HEFT_BUDGET_UNMATCHED);
	check_state("namespace boost max 1", false, HEFT_BUDGET_UNMATCHED);
	check_state("library libx.a max 1", false, HEFT_BUDGET_UNMATCHED);
	/* Empty is not absent. */
	check_state("section .data growth 0", false, HEFT_BUDGET_SKIPPED);
}

static void a_mistaken_name_has_a_near_one(void **state)
{
	(void)state;
	static const char *const pairs[][2] = {
		{ "section .txet max 1", ".text" },     { "source nett max 1", "net" },
		{ "source net/b.c max 1", "net/b.cc" }, { "component Nett max 1", "Net" },
		{ "region FLSH max 1", "FLASH" },       { "object out/mian.o max 1", "out/main.o" },
		{ "object mian.o max 1", "main.o" },    { "library libnte.a max 1", "libnet.a" }
	};
	for (size_t i = 0; i < COUNT_OF(pairs); i++) {
		struct fixture f;
		setup(&f, pairs[i][0], false);
		assert_non_null(f.result.rows.data[0].nearest);
		assert_string_equal(f.result.rows.data[0].nearest, pairs[i][1]);
		teardown(&f);
	}
}

static void a_broken_limit_names_who_broke_it(void **state)
{
	struct fixture f;
	(void)state;
	setup(&f, "# a comment\n\n  section .text  max 1 KiB ,  growth 100   # why\r\n", true);
	assert_int_equal(f.result.rows.count, 2);
	const struct heft_budget_row *max = &f.result.rows.data[0], *growth = max + 1;
	assert_string_equal(max->rule, "section .text max 1 KiB");
	assert_string_equal(growth->rule, "section .text growth 100");
	assert_int_equal(max->line, 3);
	assert_int_equal(max->part_count, 3);
	assert_string_equal(max->parts[0].label, "std::sort<int>(int*)");
	assert_string_equal(max->parts[0].path, "net/a.cc");
	assert_int_equal(growth->part_count, 1);
	assert_int_equal((int)(growth->parts[0].now - growth->parts[0].base), 400);
	teardown(&f);
}

static void a_broken_region_names_what_is_in_it(void **state)
{
	struct fixture f;
	(void)state;
	setup(&f, "region RAM max 8 KiB", false);
	const struct heft_budget_row *row = &f.result.rows.data[0];
	assert_string_equal(row->subject, "region");
	assert_int_equal(row->part_count, 1);
	assert_string_equal(row->parts[0].label, "heap");
	teardown(&f);
}

static const char *unknown(const struct fixture *f)
{
	const struct heft_budget_row *row = &f->result.rows.data[0];
	assert_int_equal(row->state, HEFT_BUDGET_UNKNOWN);
	return row->reason;
}

static void regions_must_be_known_of_both_sides(void **state)
{
	struct fixture f;
	(void)state;
	setup(&f, "region RAM growth 1", true);
	const struct budget_input both = { &f.now, &f.old }, other = { &f.old, &f.now };
	f.old.containers.data[0].metrics.count = 0;
	budget_result_release(&f.result);
	budget_check(&f.result, &f.budget, &both);
	assert_non_null(strstr(unknown(&f), "no memory regions are known of the base"));
	budget_result_release(&f.result);
	budget_check(&f.result, &f.budget, &other);
	assert_non_null(strstr(unknown(&f), "no memory regions are known: "));
	teardown(&f);
}

/* The limit behind it is checked all the same. */
static void the_size_of_the_image_must_be_known(void **state)
{
	struct fixture f;
	struct heft_err err;
	(void)state;
	setup(&f, "file max 1", false);
	budget_release(&f.budget);
	budget_result_release(&f.result);
	assert_true(budget_parse(&f.budget, "b", STR("vm max 1\nfile max 1\n"), &err));
	f.now.by_heft = false; /* a file of SuperSize */
	const struct budget_input in = { &f.now, NULL };
	budget_check(&f.result, &f.budget, &in);
	assert_non_null(strstr(unknown(&f), "VM image"));
	assert_int_equal(f.result.rows.data[1].state, HEFT_BUDGET_BROKEN);
	teardown(&f);
}

static void a_bad_rule_is_told_with_its_place(void **state)
{
	static const struct {
		const char *text, *place;
	} tests[] = {
		{ "file max 1\nfle max 1", "b.txt:2:1: 'fle' is none of" },
		{ "file", "b.txt:1:5: 'max' or 'growth' is missing" },
		{ "file least 2", "b.txt:1:6: 'least' is neither" },
		{ "file without max 1", "b.txt:1:6: 'without' is neither" },
		{ "debug max 1", "b.txt:1:1: 'debug' is none of" },
		{ "file max", "b.txt:1:9: a size is missing" },
		{ "file max # 2", "b.txt:1:10: a size is missing" },
		{ "file max big", "b.txt:1:10: 'big' is no size" },
		{ "file max -1", "b.txt:1:10: '-1' is no size" },
		{ "file max 1 Kib", "b.txt:1:12: 'Kib' is no unit" },
		{ "file max 1.2.3", "b.txt:1:13: '.3' is no unit" },
		{ "file max 5%", "b.txt:1:10: a percentage is" },
		{ "file max 1 KiB growth 2", "b.txt:1:16: a comma or the end" },
		{ "file max 99999999999999999999", "b.txt:1:10: " },
		{ "file max 99999999999999 GiB", "b.txt:1:10: the size is too large" },
		{ "section max 1 KiB", "b.txt:1:13: '1' is neither" },
		{ "section \".text max 1", "b.txt:1:9: a closing" },
		{ "symbol \"(\" max 1", "b.txt:1:8: " },
		{ "symbol a max 1, growth", "b.txt:1:23: a size is missing" },
		{ "file max 1,23", "b.txt:1:12: '23' is neither" },
		{ "file max 1,2345", "b.txt:1:12: '2345' is neither" },
		{ "file max 1,", "b.txt:1:12: 'max' or 'growth' is missing" },
		{ "file free at least 1", "b.txt:1:6: 'free' is a limit of memory regions" },
		{ "region R free 1", "b.txt:1:15: 'free at least' is wanted" },
		{ "region R free at most 1", "b.txt:1:18: 'free at least' is wanted" },
		{ "region R free at", "b.txt:1:17: 'at least' is missing" },
		{ "region R free at least 5%", "b.txt:1:24: a percentage is" },
		{ "region", "b.txt:1:7: the name of a memory region is missing" },
		{ ",", "b.txt:1:1: what is limited is missing" },
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(tests); i++) {
		struct budget b;
		struct heft_err err;
		if (budget_parse(&b, "b.txt", str_of(tests[i].text), &err))
			fail_msg("taken: %s", tests[i].text);
		assert_int_equal(err.code, HEFT_EFORMAT);
		if (strncmp(err.text, tests[i].place, strlen(tests[i].place)) != 0)
			fail_msg("%s: %s", tests[i].text, err.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_subject_measures_its_bytes),
		cmocka_unit_test(debug_sections_are_measured_apart),
		cmocka_unit_test(limits_hold_up_to_their_very_value),
		cmocka_unit_test(a_limit_that_matches_nothing_is_not_kept),
		cmocka_unit_test(a_mistaken_name_has_a_near_one),
		cmocka_unit_test(a_broken_limit_names_who_broke_it),
		cmocka_unit_test(a_broken_region_names_what_is_in_it),
		cmocka_unit_test(regions_must_be_known_of_both_sides),
		cmocka_unit_test(the_size_of_the_image_must_be_known),
		cmocka_unit_test(a_bad_rule_is_told_with_its_place),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
