/* Hand-assembled language-specific data. */
#include "../lib/blob.h"
#include "unwind/lsda.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define OMIT 0xff

/* The header: no landing pad base, types `type_size` bytes before TTBase's end (or OMIT as
 * encoding), call sites of `site_size` bytes. */
static void header(struct blob *b, uint8_t type_encoding, uint8_t type_size, uint8_t site_encoding,
		   uint8_t site_size)
{
	blob_u8(b, OMIT);
	blob_u8(b, type_encoding);
	if (type_encoding != OMIT)
		blob_u8(b, type_size);
	blob_u8(b, site_encoding);
	blob_u8(b, site_size);
}

/* A call site of LEB128 numbers. */
static void site(struct blob *b, uint8_t action)
{
	blob_u8(b, 5);
	blob_u8(b, 9);
	blob_u8(b, 20);
	blob_u8(b, action);
}

static void action(struct blob *b, int filter, int step)
{
	blob_u8(b, (uint8_t)filter & 0x7f);
	blob_u8(b, (uint8_t)step & 0x7f);
}

static void expect_size(const struct blob *b, uint64_t want)
{
	uint64_t size = 0;
	assert_true(lsda_size(blob_bytes(b), 8, b->big_endian, LSDA_SPECS_ULEB, &size));
	assert_int_equal(size, want);
}

/* The table must end at the present size, whatever follows. */
static void expect_end(struct blob *b)
{
	const uint64_t want = b->size;
	expect_size(b, want);
	while (b->size < want + 16)
		blob_u8(b, 0x55);
	expect_size(b, want);
}

static void expect_damaged(const struct blob *b)
{
	uint64_t size;
	assert_false(lsda_size(blob_bytes(b), 8, b->big_endian, LSDA_SPECS_ULEB, &size));
}

static void a_header_alone_is_the_smallest_table(void **state)
{
	(void)state;
	struct blob b = { .size = 0 };
	header(&b, OMIT, 0, 1, 0);
	expect_end(&b);
}

static void call_sites_without_actions_end_the_table(void **state)
{
	(void)state;
	struct blob b = { .size = 0 };
	header(&b, OMIT, 0, 1, 8);
	site(&b, 0);
	site(&b, 0);
	expect_end(&b);
}

static void call_sites_of_four_bytes_are_read_in_both_byte_orders(void **state)
{
	(void)state;
	for (unsigned big = 0; big < 2; big++) {
		struct blob b = { .big_endian = big != 0 };
		header(&b, OMIT, 0, 3, 13);
		for (unsigned i = 0; i < 3; i++)
			blob_u32(&b, 0x1234);
		blob_u8(&b, 1);
		action(&b, 0, 0);
		expect_end(&b);
	}
}

static void a_landing_pad_base_is_skipped(void **state)
{
	(void)state;
	struct blob b = { .size = 0 };
	blob_u8(&b, 0x1b);
	blob_u32(&b, 0xfffffff0);
	blob_u8(&b, OMIT);
	blob_u8(&b, 1);
	blob_u8(&b, 4);
	site(&b, 0);
	expect_end(&b);
}

static void actions_reach_as_far_as_their_chains(void **state)
{
	(void)state;
	struct blob b = { .size = 0 };
	header(&b, OMIT, 0, 1, 8);
	site(&b, 1);
	site(&b, 3);
	action(&b, 0, 5);  /* to the fourth */
	action(&b, 0, -3); /* to the first */
	action(&b, 0, 0);
	action(&b, 0, 0);
	expect_end(&b);
}

static void a_short_chain_hides_no_later_action(void **state)
{
	(void)state;
	struct blob b = { .size = 0 };
	header(&b, OMIT, 0, 1, 8);
	site(&b, 1);
	site(&b, 5);
	action(&b, 0, 1); /* to the second */
	action(&b, 0, 0);
	action(&b, 0, 0);
	expect_end(&b);
}

static void a_chain_in_a_circle_ends(void **state)
{
	(void)state;
	struct blob b = { .size = 0 };
	header(&b, OMIT, 0, 1, 4);
	site(&b, 1);
	action(&b, 1, 1);
	action(&b, 1, -3);
	expect_end(&b);
}

static void types_end_the_table(void **state)
{
	(void)state;
	struct blob b = { .size = 0 };
	header(&b, 0x9b, 2 + 4 + 2 + 1 + 4, 1, 4);
	site(&b, 1);
	action(&b, 1, 0);
	blob_u8(&b, 0); /* padding */
	blob_u32(&b, 0x12345678);
	expect_end(&b);
}

static void types_in_use_are_not_taken_for_actions(void **state)
{
	(void)state;
	struct blob b = { .size = 0 };
	header(&b, 0x9b, 2 + 4 + 2 + 4, 1, 4);
	site(&b, 1);
	action(&b, 1, 0);
	blob_u32(&b, 0x7e); /* as an action: specification 2 */
	const uint64_t want = b.size;
	blob_zeros(&b, 8);
	expect_size(&b, want);
}

static void specifications_behind_the_types_belong_to_the_table(void **state)
{
	(void)state;
	struct blob b = { .size = 0 };
	header(&b, 0x9b, 2 + 8 + 4 + 8, 1, 8);
	site(&b, 1);
	site(&b, 3);
	action(&b, -1, 0);
	action(&b, -4, 0);
	blob_u32(&b, 2);
	blob_u32(&b, 1);
	blob_uint(&b, 0x000102, 3);   /* list 1: types 2, 1 */
	blob_uint(&b, 0x00028182, 4); /* list 4: types 130, 2 ... */
	expect_end(&b);
}

static void specifications_of_removed_call_sites_still_count(void **state)
{
	(void)state;
	struct blob b = { .size = 0 };
	header(&b, 0x9b, 2 + 2 + 1, 1, 0);
	action(&b, -1, 0);
	blob_u8(&b, 0); /* padding */
	blob_u8(&b, 0); /* the empty list */
	expect_end(&b);
}

static void types_without_actions_are_not_taken_for_actions(void **state)
{
	(void)state;
	struct blob b = { .size = 0 };
	header(&b, 0x9b, 2 + 12, 1, 0);
	blob_u32(&b, 0x7f747d4c);
	blob_u32(&b, 0x7f747d4c);
	blob_u32(&b, 0x7f747d4c);
	expect_end(&b);
}

static void damaged_tables_are_refused(void **state)
{
	(void)state;
	static const struct {
		uint8_t size, bytes[12];
	} cases[] = {
		{ 0, { 0 } },
		{ 3, { OMIT, OMIT, 1 } },                    /* no size of call sites */
		{ 4, { OMIT, OMIT, 1, 1 } },                 /* call sites leave the bytes */
		{ 5, { OMIT, 0x9b, 4, 1, 0 } },              /* types leave the bytes */
		{ 6, { OMIT, OMIT, 1, 2, 5, 9 } },           /* half a call site */
		{ 9, { OMIT, OMIT, 5, 4, 1, 1, 1, 0, 0 } },  /* reserved encoding */
		{ 8, { OMIT, OMIT, 1, 4, 5, 9, 20, 1 } },    /* no action */
		{ 9, { OMIT, OMIT, 1, 4, 5, 9, 20, 1, 0 } }, /* half an action */
		/* chains that leave the table */
		{ 10, { OMIT, OMIT, 1, 4, 5, 9, 20, 1, 0, 0x10 } },
		{ 10, { OMIT, OMIT, 1, 4, 5, 9, 20, 1, 0, 0x40 } },
		{ 10, { OMIT, OMIT, 1, 4, 5, 9, 20, 1, 0, 0x7b } },
		/* a specification without types, one without an end */
		{ 10, { OMIT, OMIT, 1, 4, 5, 9, 20, 1, 0x7f, 0 } },
		{ 12, { OMIT, 0x9b, 8, 1, 4, 5, 9, 20, 1, 0x7f, 0, 1 } },
	};
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct blob b = { .size = 0 };
		for (uint8_t k = 0; k < cases[i].size; k++)
			blob_u8(&b, cases[i].bytes[k]);
		expect_damaged(&b);
	}
}

static void every_cut_of_a_table_is_damaged(void **state)
{
	(void)state;
	struct blob b = { .size = 0 };
	header(&b, 0x9b, 2 + 4 + 4 + 4, 1, 4);
	site(&b, 3);
	action(&b, 1, 0);
	action(&b, -1, -3);
	blob_u32(&b, 1);
	blob_uint(&b, 1, 2);
	expect_size(&b, b.size);
	while (b.size-- > 0)
		expect_damaged(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_header_alone_is_the_smallest_table),
		cmocka_unit_test(call_sites_without_actions_end_the_table),
		cmocka_unit_test(call_sites_of_four_bytes_are_read_in_both_byte_orders),
		cmocka_unit_test(a_landing_pad_base_is_skipped),
		cmocka_unit_test(actions_reach_as_far_as_their_chains),
		cmocka_unit_test(a_short_chain_hides_no_later_action),
		cmocka_unit_test(a_chain_in_a_circle_ends),
		cmocka_unit_test(types_end_the_table),
		cmocka_unit_test(types_in_use_are_not_taken_for_actions),
		cmocka_unit_test(specifications_behind_the_types_belong_to_the_table),
		cmocka_unit_test(specifications_of_removed_call_sites_still_count),
		cmocka_unit_test(types_without_actions_are_not_taken_for_actions),
		cmocka_unit_test(damaged_tables_are_refused),
		cmocka_unit_test(every_cut_of_a_table_is_damaged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
