#include "base/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static const uint8_t eight[] = { 1, 2, 3, 4, 5, 6, 7, 0x88 };

static void numbers_are_read_in_both_byte_orders(void **state)
{
	struct reader le = reader_make(eight, 8, false), be = reader_make(eight, 8, true);
	(void)state;
	assert_int_equal(read_u64(&le), 0x8807060504030201);
	assert_int_equal(read_u64(&be), 0x0102030405060788);
	reader_seek(&le, 0);
	reader_seek(&be, 0);
	assert_int_equal(read_u32(&le), 0x04030201);
	assert_int_equal(read_u32(&be), 0x01020304);
	assert_int_equal(read_u16(&le), 0x0605);
	assert_int_equal(read_u16(&be), 0x0506);
	assert_int_equal(read_u8(&le), 7);
	assert_int_equal(read_i8(&le), -120);
	assert_true(reader_ok(&le));
	assert_int_equal(reader_left(&le), 0);
}

static void signed_numbers_keep_their_sign(void **state)
{
	static const uint8_t ones[] = { 0xff, 0xff, 0xff, 0xfe, 0xff, 0xff, 0xff, 0xff };
	struct reader r = reader_make(ones, 8, true);
	(void)state;
	assert_int_equal(read_i16(&r), -1);
	reader_seek(&r, 0);
	assert_int_equal(read_i32(&r), -2);
	reader_seek(&r, 4);
	assert_int_equal(read_i32(&r), -1);
	r = reader_make(ones, 8, false);
	assert_true(read_i64(&r) < 0);
}

static void numbers_of_a_width_known_at_run_time(void **state)
{
	struct reader r = reader_make(eight, 8, true);
	(void)state;
	assert_int_equal(read_uint(&r, 1), 1);
	assert_int_equal(read_uint(&r, 2), 0x0203);
	assert_int_equal(read_uint(&r, 4), 0x04050607);
	assert_true(reader_ok(&r));
	assert_int_equal(read_uint(&r, 3), 0);
	assert_false(reader_ok(&r));
}

static void the_first_failed_read_sticks(void **state)
{
	struct reader r = reader_make(eight, 8, false);
	(void)state;
	read_skip(&r, 5);
	assert_int_equal(read_u32(&r), 0);
	assert_false(reader_ok(&r));
	assert_int_equal(r.bad, 5);
	assert_int_equal(reader_left(&r), 0);
	assert_int_equal(read_u8(&r), 0);
	assert_null(read_take(&r, 1));
	assert_int_equal(r.bad, 5);
}

static void lengths_that_would_wrap_fail(void **state)
{
	struct reader r = reader_make(eight, 8, false);
	(void)state;
	read_skip(&r, 3);
	assert_null(read_take(&r, UINT64_MAX));
	assert_false(reader_ok(&r));
	r = reader_make(eight, 8, false);
	reader_seek(&r, 9);
	assert_false(reader_ok(&r));
	r = reader_make(eight, 8, false);
	reader_seek(&r, 8);
	assert_true(reader_ok(&r));
}

static void an_empty_reader_has_nothing(void **state)
{
	struct reader r = reader_make(NULL, 0, false);
	(void)state;
	read_skip(&r, 0);
	assert_true(reader_ok(&r));
	assert_int_equal(read_uleb(&r), 0);
	assert_int_equal(read_sleb(&r), 0);
	assert_int_equal(read_cstr(&r).len, 0);
	assert_false(reader_ok(&r));
}

struct leb {
	uint8_t bytes[12];
	uint64_t size, u;
	int64_t s;
};

static void leb128_numbers_are_read(void **state)
{
	static const struct leb cases[] = {
		{ { 0x02 }, 1, 2, 2 },
		{ { 0x7f }, 1, 127, -1 },
		{ { 0x80, 0x01 }, 2, 128, 128 },
		{ { 0xff, 0x7e }, 2, 16255, -129 },
		{ { 0xe5, 0x8e, 0x26 }, 3, 624485, 624485 },
		{ { 0x80, 0x80, 0x00 }, 3, 0, 0 },
		{ { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01 },
		  10,
		  UINT64_MAX,
		  -1 },
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct reader r = reader_make(cases[i].bytes, cases[i].size, false);
		assert_int_equal(read_uleb(&r), cases[i].u);
		assert_true(reader_ok(&r));
		assert_int_equal(reader_left(&r), 0);
		if (cases[i].size == 10) /* its last byte says "positive" */
			continue;
		r = reader_make(cases[i].bytes, cases[i].size, false);
		assert_int_equal(read_sleb(&r), cases[i].s);
		assert_true(reader_ok(&r));
	}
}

static void an_uleb128_of_more_than_64_bits_fails(void **state)
{
	static const uint8_t over[] = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02
	};
	static const uint8_t padded[] = { 0x81, 0x80, 0x80, 0x80, 0x80, 0x80,
					  0x80, 0x80, 0x80, 0x80, 0x80, 0x00 };
	struct reader r = reader_make(over, sizeof over, false);
	(void)state;
	read_uleb(&r);
	assert_false(reader_ok(&r));
	r = reader_make(padded, sizeof padded, false);
	assert_int_equal(read_uleb(&r), 1);
	assert_true(reader_ok(&r));
	r = reader_make(padded, sizeof padded - 1, false);
	read_uleb(&r);
	assert_false(reader_ok(&r));
}

static void strings_end_at_their_nul(void **state)
{
	struct reader r = reader_make("ab\0\0cd", 6, false);
	(void)state;
	assert_true(str_eq(read_cstr(&r), STR("ab")));
	assert_true(str_eq(read_cstr(&r), STR("")));
	assert_true(reader_ok(&r));
	assert_int_equal(read_cstr(&r).len, 0);
	assert_false(reader_ok(&r));
}

static void a_reader_over_a_part_ends_with_the_part(void **state)
{
	struct reader r = reader_make(eight, 8, true);
	(void)state;
	read_skip(&r, 2);
	struct reader part = read_sub(&r, 4);
	assert_int_equal(read_u32(&part), 0x03040506);
	assert_int_equal(read_u8(&part), 0);
	assert_false(reader_ok(&part));
	assert_true(reader_ok(&r));
	assert_int_equal(read_u8(&r), 7);
	part = read_sub(&r, 2);
	assert_false(reader_ok(&r));
	assert_false(reader_ok(&part));
}

static void strings_of_a_table_are_found_by_offset(void **state)
{
	const struct bytes table = { (const uint8_t *)"\0one\0two", 8 };
	struct str s;
	(void)state;
	assert_true(bytes_cstr(table, 0, &s));
	assert_int_equal(s.len, 0);
	assert_true(bytes_cstr(table, 2, &s));
	assert_true(str_eq(s, STR("ne")));
	assert_false(bytes_cstr(table, 5, &s)); /* no NUL follows */
	assert_false(bytes_cstr(table, 8, &s));
	assert_false(bytes_cstr(table, UINT64_MAX, &s));
}

static void a_part_that_leaves_the_bytes_is_empty(void **state)
{
	const struct bytes b = { eight, 8 };
	(void)state;
	assert_int_equal(bytes_sub(b, 2, 6).size, 6);
	assert_int_equal(bytes_sub(b, 2, 6).p[0], 3);
	assert_int_equal(bytes_sub(b, 2, 7).size, 0);
	assert_int_equal(bytes_sub(b, 9, 0).size, 0);
	assert_int_equal(bytes_sub(b, UINT64_MAX, 2).size, 0);
	assert_int_equal(bytes_sub(b, 4, UINT64_MAX).size, 0);
}

/* 100,000 As with an end, behind "ab". */
static struct bytes long_table(uint8_t *room, size_t size)
{
	memset(room, 'A', size);
	memcpy(room, "ab", 3);
	room[size - 1] = 0;
	return (struct bytes){ room, size };
}

static void a_string_inside_another_one_is_shorter_than_64_KiB(void **state)
{
	static uint8_t room[100004];
	const struct bytes table = long_table(room, sizeof room);
	struct str s;
	(void)state;
	assert_true(bytes_cstr(table, 3, &s));
	assert_int_equal(s.len, 100000);
	assert_false(bytes_cstr(table, 4, &s));
	assert_true(bytes_cstr(table, sizeof room - (64 << 10), &s));
	assert_int_equal(s.len, (64 << 10) - 1);
	assert_true(has_long_string(table));
	assert_false(has_long_string((struct bytes){ room, 2000 }));
}

static void names_take_what_is_left(void **state)
{
	static uint8_t room[100004];
	const struct bytes table = long_table(room, sizeof room);
	uint64_t left = 100500;
	struct str s;
	(void)state;
	assert_true(names_take(table, 0, &left, &s)); /* short ones are free */
	assert_int_equal(s.len, 2);
	assert_true(names_take(table, 3, &left, &s));
	assert_int_equal(left, 500);
	assert_true(names_take(table, sizeof room - 401, &left, &s));
	assert_int_equal(left, 100);
	assert_false(names_take(table, sizeof room - 401, &left, &s));
	assert_int_equal(left, 0);
	assert_false(names_take(table, sizeof room - 257, &left, &s));
	assert_true(names_take(table, sizeof room - 256, &left, &s));
	assert_int_equal(s.len, 255);
	assert_false(names_take(table, sizeof room, &left, &s));
	assert_int_equal(names_left(UINT64_MAX), UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_read_in_both_byte_orders),
		cmocka_unit_test(signed_numbers_keep_their_sign),
		cmocka_unit_test(numbers_of_a_width_known_at_run_time),
		cmocka_unit_test(the_first_failed_read_sticks),
		cmocka_unit_test(lengths_that_would_wrap_fail),
		cmocka_unit_test(an_empty_reader_has_nothing),
		cmocka_unit_test(leb128_numbers_are_read),
		cmocka_unit_test(an_uleb128_of_more_than_64_bits_fails),
		cmocka_unit_test(strings_end_at_their_nul),
		cmocka_unit_test(a_reader_over_a_part_ends_with_the_part),
		cmocka_unit_test(strings_of_a_table_are_found_by_offset),
		cmocka_unit_test(a_part_that_leaves_the_bytes_is_empty),
		cmocka_unit_test(a_string_inside_another_one_is_shorter_than_64_KiB),
		cmocka_unit_test(names_take_what_is_left),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
