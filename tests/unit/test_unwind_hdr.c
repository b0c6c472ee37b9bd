/* Hand-assembled .eh_frame_hdr. */
#include "../lib/blob.h"
#include "unwind/unwind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define ADDR UINT64_C(0x10000)

struct table {
	struct blob blob;
	struct unwind_section section;
	struct notes notes;
};

static struct table hdr_make(bool big_endian, uint8_t table_encoding, uint32_t count)
{
	struct table t = { .blob.big_endian = big_endian };
	t.section = (struct unwind_section){
		.addr = ADDR, .address_size = 8, .big_endian = big_endian, .path = "test"
	};
	blob_u8(&t.blob, 1);
	blob_u8(&t.blob, 0x1b);
	blob_u8(&t.blob, 0x03);
	blob_u8(&t.blob, table_encoding);
	blob_u32(&t.blob, 0x8000 - (ADDR + 4));
	blob_u32(&t.blob, count);
	return t;
}

static bool hdr_parse(struct table *t, struct unwind_hdr *h)
{
	notes_init(&t->notes);
	t->section.bytes = blob_bytes(&t->blob);
	t->section.notes = &t->notes;
	return unwind_hdr_parse(h, &t->section);
}

static void the_usual_table_is_relative_to_its_section(void **state)
{
	(void)state;
	for (unsigned big = 0; big < 2; big++) {
		struct table t = hdr_make(big != 0, 0x3b, 2);
		struct unwind_hdr h;
		uint64_t func, fde;
		blob_u32(&t.blob, 0x5000 - ADDR);
		blob_u32(&t.blob, 0x8018 - ADDR);
		blob_u32(&t.blob, 0x15000 - ADDR);
		blob_u32(&t.blob, 0x8030 - ADDR);
		assert_true(hdr_parse(&t, &h));
		assert_int_equal(h.eh_frame_addr, 0x8000);
		assert_int_equal(h.table_off, 12);
		assert_int_equal(h.entry_size, 8);
		assert_int_equal(h.count, 2);
		assert_true(unwind_hdr_get(&h, 1, &func, &fde));
		assert_int_equal(func, 0x15000);
		assert_int_equal(fde, 0x8030);
		assert_true(unwind_hdr_get(&h, 0, &func, &fde));
		assert_int_equal(func, 0x5000);
		assert_false(unwind_hdr_get(&h, 2, &func, &fde));
		assert_int_equal(t.notes.count, 0);
		notes_release(&t.notes);
	}
}

static void absolute_tables_of_8_bytes_are_read(void **state)
{
	(void)state;
	struct table t = hdr_make(true, 0x04, 1);
	struct unwind_hdr h;
	uint64_t func, fde;
	blob_u64(&t.blob, 0x123456789000);
	blob_u64(&t.blob, 0x8018);
	assert_true(hdr_parse(&t, &h));
	assert_int_equal(h.entry_size, 16);
	assert_true(unwind_hdr_get(&h, 0, &func, &fde));
	assert_int_equal(func, 0x123456789000);
	assert_int_equal(fde, 0x8018);
	notes_release(&t.notes);
}

static void relative_tables_of_8_bytes_are_read(void **state)
{
	(void)state;
	for (unsigned pcrel = 0; pcrel < 2; pcrel++) {
		struct table t = hdr_make(false, pcrel ? 0x1c : 0x3c, 1);
		struct unwind_hdr h;
		uint64_t func, fde;
		blob_u64(&t.blob, 0x5000 - (ADDR + (pcrel ? 12 : 0)));
		blob_u64(&t.blob, 0x8018 - (ADDR + (pcrel ? 20 : 0)));
		assert_true(hdr_parse(&t, &h));
		assert_true(unwind_hdr_get(&h, 0, &func, &fde));
		assert_int_equal(func, 0x5000);
		assert_int_equal(fde, 0x8018);
		notes_release(&t.notes);
	}
}

static void a_count_that_lies_is_clipped(void **state)
{
	(void)state;
	struct table t = hdr_make(false, 0x3b, 0x7fffffff);
	struct unwind_hdr h;
	blob_zeros(&t.blob, 8 * 3 + 5);
	assert_true(hdr_parse(&t, &h));
	assert_int_equal(h.count, 3);
	assert_int_equal(t.notes.count, 1);
	notes_release(&t.notes);
}

static void a_header_without_a_table_is_fine(void **state)
{
	(void)state;
	struct table t = hdr_make(false, 0xff, 5);
	struct unwind_hdr h;
	assert_true(hdr_parse(&t, &h));
	assert_int_equal(h.count, 0);
	assert_int_equal(h.entry_size, 0);
	assert_int_equal(t.notes.count, 0);
	notes_release(&t.notes);
}

static void damaged_headers_are_refused_with_a_note(void **state)
{
	(void)state;
	static const struct {
		uint64_t off, value;
		uint64_t size;
	} cases[] = {
		{ 0, 2, 12 },    /* version */
		{ 3, 0x31, 12 }, /* table of LEB128 numbers */
		{ 3, 0x4b, 12 }, /* relative to a function */
		{ 3, 0x0f, 12 }, /* reserved */
		{ 0, 1, 3 },     /* cut short */
		{ 0, 1, 11 },
	};
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct table t = hdr_make(false, 0x3b, 1);
		struct unwind_hdr h;
		blob_patch(&t.blob, cases[i].off, cases[i].value, 1);
		t.blob.size = cases[i].size;
		assert_false(hdr_parse(&t, &h));
		assert_int_equal(h.count, 0);
		assert_int_equal(t.notes.count, 1);
		notes_release(&t.notes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_usual_table_is_relative_to_its_section),
		cmocka_unit_test(absolute_tables_of_8_bytes_are_read),
		cmocka_unit_test(relative_tables_of_8_bytes_are_read),
		cmocka_unit_test(a_count_that_lies_is_clipped),
		cmocka_unit_test(a_header_without_a_table_is_fine),
		cmocka_unit_test(damaged_headers_are_refused_with_a_note),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
