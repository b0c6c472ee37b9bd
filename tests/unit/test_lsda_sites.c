/* Hand-assembled call sites. */
#include "../lib/blob.h"
#include "unwind/lsda.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { FUNC = 0x1000, FUNC_SIZE = 0x80, TABLE = 0x5000 };

static void site(struct blob *b, uint8_t start, uint8_t size, uint8_t pad)
{
	blob_u8(b, start);
	blob_u8(b, size);
	blob_u8(b, pad);
	blob_u8(b, 0);
}

static bool open_sites(struct lsda_sites *s, const struct blob *b)
{
	return lsda_sites_open(s, reader_of((struct bytes){ b->data, b->size }, false), TABLE, 8,
			       FUNC, FUNC_SIZE);
}

static void sites_count_from_the_start_of_the_function(void **state)
{
	struct blob b = { 0 };
	struct lsda_sites s;
	struct lsda_site got;
	(void)state;
	blob_u8(&b, 0xff);
	blob_u8(&b, 0xff);
	blob_u8(&b, 1);
	blob_u8(&b, 8);
	site(&b, 5, 9, 20);
	site(&b, 16, 4, 0);
	blob_u8(&b, 1); /* an action */
	assert_true(open_sites(&s, &b));
	assert_true(lsda_sites_next(&s, &got));
	assert_int_equal(got.addr, FUNC + 5);
	assert_int_equal(got.size, 9);
	assert_int_equal(got.pad, FUNC + 20);
	assert_true(lsda_sites_next(&s, &got));
	assert_int_equal(got.addr, FUNC + 16);
	assert_int_equal(got.pad, 0); /* none, whatever the base */
	assert_false(lsda_sites_next(&s, &got));
}

static void pads_count_from_their_own_base_if_there_is_one(void **state)
{
	struct blob b = { 0 };
	struct lsda_sites s;
	struct lsda_site got;
	(void)state;
	blob_u8(&b, 0x1b); /* pcrel, sdata4: from the place of the number */
	blob_u32(&b, (uint32_t)-0x100);
	blob_u8(&b, 0xff);
	blob_u8(&b, 1);
	blob_u8(&b, 4);
	site(&b, 5, 9, 20);
	assert_true(open_sites(&s, &b));
	assert_true(lsda_sites_next(&s, &got));
	assert_int_equal(got.pad, TABLE + 1 - 0x100 + 20);
}

static void sites_that_fall_or_leave_the_function_end_the_list(void **state)
{
	static const uint8_t bad[][2] = { { 4, 2 }, { 0x7f, 2 } };
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct blob b = { 0 };
		struct lsda_sites s;
		struct lsda_site got;
		blob_u8(&b, 0xff);
		blob_u8(&b, 0xff);
		blob_u8(&b, 1);
		blob_u8(&b, 8);
		site(&b, 5, 9, 20);
		site(&b, bad[i][0], bad[i][1], 20);
		assert_true(open_sites(&s, &b));
		assert_true(lsda_sites_next(&s, &got));
		assert_false(lsda_sites_next(&s, &got));
	}
}

static void a_header_cut_off_is_told(void **state)
{
	struct blob b = { 0 };
	struct lsda_sites s;
	(void)state;
	blob_u8(&b, 0xff);
	blob_u8(&b, 0xff);
	blob_u8(&b, 1);
	assert_false(open_sites(&s, &b));
	blob_u8(&b, 9); /* more than there is */
	assert_false(open_sites(&s, &b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sites_count_from_the_start_of_the_function),
		cmocka_unit_test(pads_count_from_their_own_base_if_there_is_one),
		cmocka_unit_test(sites_that_fall_or_leave_the_function_end_the_list),
		cmocka_unit_test(a_header_cut_off_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
