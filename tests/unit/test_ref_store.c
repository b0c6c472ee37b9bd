/* References of code, kept as a stream of numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "code/ref_store.h"

static void what_was_kept_is_read_again(void **state)
{
	(void)state;
	const struct code_ref list[] = {
		{ .from = 0x401000, .to = 0x402000, .kind = REF_CALL },
		{ .from = 0x401005, .to = 0x400000, .kind = REF_MEM },
		{ .from = 0x401004, .to = UINT64_MAX, .kind = REF_IMM },
		{ .from = UINT64_MAX - 8, .to = 0, .kind = REF_JUMP },
		{ .from = UINT64_MAX - 4, .to = UINT64_C(1) << 63, .kind = REF_ADDR },
	};
	const size_t half = 3;
	struct ref_part p = { 0 };
	struct kept_ref ref = { 0 };
	ref_part_begin(&p, 0x401000, 0x123);
	for (size_t i = 0; i < half; i++)
		ref_part_add(&p, &list[i]);
	ref_part_begin(&p, UINT64_MAX - 15, 15);
	for (size_t i = half; i < COUNT_OF(list); i++)
		ref_part_add(&p, &list[i]);
	size_t at = 0;
	for (size_t i = 0; i < COUNT_OF(list); i++) {
		if (i == 0 || i == half) {
			assert_true(ref_part_next(&p, &at, &ref));
			assert_int_equal(ref.kind, 0);
			assert_true(ref.from == (i == 0 ? 0x401000 : UINT64_MAX - 15));
			assert_true(ref.to == (i == 0 ? 0x401123 : UINT64_MAX));
		}
		assert_true(ref_part_next(&p, &at, &ref));
		assert_int_equal(ref.kind, list[i].kind);
		assert_true(ref.from == list[i].from && ref.to == list[i].to);
	}
	assert_false(ref_part_next(&p, &at, &ref));
	vec_release(&p.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_kept_is_read_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
