/* Hand-assembled .ARM.exidx and .ARM.extab. */
#include "../lib/blob.h"
#include "unwind/unwind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define ADDR UINT64_C(0x20000)

static struct unwind_section section_of(const struct blob *b)
{
	return (struct unwind_section){
		.bytes = blob_bytes(b), .addr = ADDR, .address_size = 4, .big_endian = b->big_endian
	};
}

static uint32_t prel31(uint64_t target, uint64_t place)
{
	return (uint32_t)(target - place) & 0x7fffffff;
}

static void expect_entry(const struct unwind_section *s, uint64_t i, uint64_t want_func,
			 uint64_t want_extab)
{
	uint64_t func, extab;
	assert_true(exidx_get(s, i, &func, &extab));
	assert_int_equal(func, want_func);
	assert_int_equal(extab, want_extab);
}

static void entries_are_inline_elsewhere_or_cannot_unwind(void **state)
{
	(void)state;
	for (unsigned big = 0; big < 2; big++) {
		struct blob b = { .big_endian = big != 0 };
		uint64_t func, extab;
		blob_u32(&b, prel31(0x10000, ADDR));
		blob_u32(&b, 1);
		blob_u32(&b, prel31(0x10100, ADDR + 8));
		blob_u32(&b, 0x80b0b0b0);
		blob_u32(&b, prel31(0x30000, ADDR + 16));
		blob_u32(&b, prel31(0x1f000, ADDR + 20));
		blob_u32(&b, 0); /* half an entry */
		const struct unwind_section s = section_of(&b);
		expect_entry(&s, 0, 0x10000, 0);
		expect_entry(&s, 1, 0x10100, 0);
		expect_entry(&s, 2, 0x30000, 0x1f000);
		assert_false(exidx_get(&s, 3, &func, &extab));
		assert_false(exidx_get(&s, UINT64_MAX / 8, &func, &extab));
	}
}

static void in_objects_the_relocations_say_where(void **state)
{
	(void)state;
	struct blob b = { .size = 0 };
	blob_u32(&b, 0);
	blob_u32(&b, 0);
	blob_u32(&b, 0);
	blob_u32(&b, 0x80b0b0b0);
	const struct unwind_fixup fixups[] = { { 0, UINT64_C(3) << 40 },
					       { 4, (UINT64_C(4) << 40) + 12 },
					       { 8, (UINT64_C(3) << 40) + 0x40 } };
	struct unwind_section s = section_of(&b);
	s.addr = UINT64_C(5) << 40;
	s.fixups = fixups;
	s.fixup_count = COUNT_OF(fixups);
	expect_entry(&s, 0, UINT64_C(3) << 40, (UINT64_C(4) << 40) + 12);
	expect_entry(&s, 1, (UINT64_C(3) << 40) + 0x40, 0);
}

static void expect_size(const struct blob *b, uint64_t want)
{
	uint64_t size = 0;
	assert_true(extab_size(blob_bytes(b), b->big_endian, &size));
	assert_int_equal(size, want);
}

static void compact_entries_end_with_a_zero_word(void **state)
{
	(void)state;
	for (unsigned big = 0; big < 2; big++) {
		struct blob b = { .big_endian = big != 0 };
		blob_u32(&b, 0x8102b0b0); /* routine 1, two further words */
		blob_u32(&b, 0);
		blob_u32(&b, 0xb0b0b0b0);
		blob_u32(&b, 0x00080004); /* a cleanup */
		blob_u32(&b, 0x7fffff00);
		blob_u32(&b, 0);
		blob_u32(&b, 0x80b0b0b0);
		blob_u32(&b, 0);
		expect_size(&b, 24);
		b.size = 16; /* no end in sight: no descriptors */
		expect_size(&b, 12);
	}
}

static void generic_entries_count_words_and_language_data(void **state)
{
	(void)state;
	struct blob b = { .big_endian = true };
	blob_u32(&b, 0x7fff0000); /* personality */
	blob_u32(&b, 0x01b0b0b0); /* one further word */
	blob_u32(&b, 0xb0b0b0b0);
	expect_size(&b, 12);
	const uint8_t lsda[] = { 0xff, 0x00, 10, 1, 4, 5, 9, 20, 1, 0x7e, 0, 0, 0 };
	for (size_t i = 0; i < sizeof lsda; i++)
		blob_u8(&b, lsda[i]);
	/* Specification 2 begins at the second word: one type, then the end. */
	blob_u32(&b, 0x01000000);
	blob_u32(&b, 0x02000000);
	blob_u32(&b, 0);
	expect_size(&b, b.size);
	blob_u32(&b, 0x7fff0000);
	expect_size(&b, b.size - 4);
}

static void damaged_entries_are_refused(void **state)
{
	(void)state;
	static const uint32_t words[] = {
		0x83000000, /* no such personality routine */
		0x90000000, /* reserved */
		0x82ff0000, /* more words than there are */
		0x7fff0000, /* no unwinding instructions */
	};
	uint64_t size;
	for (size_t i = 0; i < COUNT_OF(words); i++) {
		struct blob b = { .size = 0 };
		assert_false(extab_size(blob_bytes(&b), false, &size));
		blob_u32(&b, words[i]);
		assert_false(extab_size(blob_bytes(&b), false, &size));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_are_inline_elsewhere_or_cannot_unwind),
		cmocka_unit_test(in_objects_the_relocations_say_where),
		cmocka_unit_test(compact_entries_end_with_a_zero_word),
		cmocka_unit_test(generic_entries_count_words_and_language_data),
		cmocka_unit_test(damaged_entries_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
