/* Samples as text. */
#include "blocks/perftext.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

struct fixture {
	struct notes notes;
	struct perftext text;
};

static void fixture_open(struct fixture *f, enum perftext_form form, const char *text)
{
	notes_init(&f->notes);
	perftext_open(&f->text, "test", (struct bytes){ (const uint8_t *)text, strlen(text) }, form,
		      &f->notes);
}

static void fixture_close(struct fixture *f)
{
	perftext_close(&f->text);
	notes_release(&f->notes);
}

static void branches_of_perf_script_are_read(void **state)
{
	struct perf_event e;
	struct fixture f;
	(void)state;
	fixture_open(&f, PERFTEXT_SCRIPT,
		     "     401136  0x401150/0x401130/P/-/-/0  0x401140/0x401148/M/-/-/12/COND \r\n"
		     "\n  0x10/0x20/-/-/-/0\n 7f541f7a3c78 \n");
	assert_true(perftext_next(&f.text, &e));
	assert_true(e.type == PERF_SAMPLE && e.has_ip && e.ip == 0x401136 && e.weight == 1);
	assert_int_equal(e.branch_count, 2);
	const struct perf_branch first = perf_branch_get(&e, 0), second = perf_branch_get(&e, 1);
	assert_true(first.from == 0x401150 && first.to == 0x401130 && !first.mispredicted);
	assert_true(second.from == 0x401140 && second.to == 0x401148 && second.mispredicted);
	assert_true(perftext_next(&f.text, &e));
	assert_true(!e.has_ip && e.branch_count == 1);
	assert_true(perftext_next(&f.text, &e));
	assert_true(e.has_ip && e.ip == 0x7f541f7a3c78 && !e.has_branches);
	assert_false(perftext_next(&f.text, &e));
	perftext_rewind(&f.text);
	assert_true(perftext_next(&f.text, &e));
	assert_int_equal(f.notes.count, 0);
	fixture_close(&f);
}

static void mappings_of_perf_script_are_read(void **state)
{
	struct perf_event e;
	struct fixture f;
	(void)state;
	fixture_open(
		&f, PERFTEXT_SCRIPT,
		"PERF_RECORD_MMAP -1/0: [0xffffffff81000000(0x12) @ 0xffffffff81000000]: x "
		"[kernel.kallsyms]_text\n"
		"w 3 1.2: PERF_RECORD_MMAP2 27175/27175: [0x556167b1b000(0x1000) @ 0x3000 fe:00 "
		"11027513 753334433]: r-xp /tmp/a b\n"
		"PERF_RECORD_COMM exec: w:27175/27175\n"
		"PERF_RECORD_MMAP2 7/7: [0x1000(0x2000) @ 0 <0a1b>]: r-xp /x\n");
	assert_true(perftext_next(&f.text, &e));
	assert_true(e.type == PERF_MAP && e.addr == 0xffffffff81000000 && e.size == 0x12);
	assert_true(str_eq(e.name, STR("[kernel.kallsyms]_text")));
	assert_true(perftext_next(&f.text, &e));
	assert_true(e.type == PERF_MAP && e.addr == 0x556167b1b000 && e.file_off == 0x3000);
	assert_true(str_eq(e.name, STR("/tmp/a b")) && e.build_id.size == 0);
	assert_true(perftext_next(&f.text, &e));
	assert_true(str_eq(e.name, STR("/x")) && e.build_id.size == 2);
	assert_memory_equal(e.build_id.p, "\x0a\x1b", 2);
	assert_false(perftext_next(&f.text, &e));
	assert_int_equal(f.notes.count, 0);
	fixture_close(&f);
}

static void addresses_may_have_counts_and_comments(void **state)
{
	struct perf_event e;
	struct fixture f;
	(void)state;
	fixture_open(&f, PERFTEXT_ADDRESSES,
		     "# list\n1f0\n0x200 12\n\nDEADBEEF 3 # dead\nxyz\n"
		     "10000000000000000\n1 2x");
	assert_true(perftext_next(&f.text, &e));
	assert_true(e.ip == 0x1f0 && e.weight == 1);
	assert_true(perftext_next(&f.text, &e));
	assert_true(e.ip == 0x200 && e.weight == 12);
	assert_true(perftext_next(&f.text, &e));
	assert_true(e.ip == 0xdeadbeef && e.weight == 3);
	assert_false(perftext_next(&f.text, &e));
	assert_int_equal(f.notes.count, 1);
	assert_int_equal(f.notes.data[0].count, 3);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(branches_of_perf_script_are_read),
		cmocka_unit_test(mappings_of_perf_script_are_read),
		cmocka_unit_test(addresses_may_have_counts_and_comments),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
