/* Whose a reference to the byte behind a section is. */
#include "attr/attr_refs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { DATA = 0x1000, ZEROS = 0x2000, ROOM = 0x3000, FAR = 0x5000, SIZE = 0x1000 };
enum { CLEARS = 7, USES = 8 };

static const struct section sections[] = { { .addr = DATA, .size = SIZE },
					   { .addr = ZEROS, .size = SIZE },
					   { .addr = ROOM, .size = SIZE },
					   { .addr = FAR, .size = SIZE } };
static const struct section *const by_addr[] = { &sections[0], &sections[1], &sections[2],
						 &sections[3] };

static void put(target_vec *v, uint64_t addr, label_id label)
{
	vec_push(v, (struct target){ addr, label, 0, 0 });
}

static void code_that_goes_through_a_section_is_not_sure_to_own_the_next(void **state)
{
	target_vec targets = { 0 };
	pointer_parts none = { 0 };
	(void)state;
	put(&targets, ROOM, CLEARS);
	put(&targets, ROOM, USES);
	put(&targets, ZEROS, CLEARS);
	attr_bounds(by_addr, 4, &targets, &none);
	assert_true(targets.data[0].weak);
	assert_false(targets.data[1].weak);
	assert_false(targets.data[2].weak);
	vec_release(&targets);
}

static void places_that_are_patched_count_as_code_does(void **state)
{
	target_vec targets = { 0 };
	pointer_parts parts = { 0 };
	pointer_vec list = { 0 };
	(void)state;
	put(&targets, ROOM, LABEL_NONE);
	vec_push(&list, (struct pointer){ 0x10, ROOM, CLEARS });
	vec_push(&list, (struct pointer){ 0x20, ZEROS, CLEARS });
	vec_push(&list, (struct pointer){ 0x30, ROOM, LABEL_NONE });
	vec_push(&list, (struct pointer){ 0x40, ROOM, USES });
	vec_push(&parts, list);
	attr_bounds(by_addr, 4, &targets, &parts);
	assert_int_equal(parts.data[0].data[0].owner, LABEL_NONE);
	assert_int_equal(parts.data[0].data[1].owner, CLEARS);
	assert_int_equal(parts.data[0].data[3].owner, USES);
	vec_release(&parts.data[0]);
	vec_release(&parts);
	vec_release(&targets);
}

static void sections_that_do_not_meet_have_no_common_bound(void **state)
{
	target_vec targets = { 0 };
	pointer_parts none = { 0 };
	(void)state;
	put(&targets, ROOM, CLEARS);
	put(&targets, FAR, CLEARS);
	put(&targets, DATA - 1, CLEARS);
	put(&targets, UINT64_MAX, CLEARS);
	attr_bounds(by_addr, 4, &targets, &none);
	for (size_t i = 0; i < targets.count; i++)
		assert_false(targets.data[i].weak);
	attr_bounds(NULL, 0, &targets, &none);
	vec_release(&targets);
}

static bool continues(uint64_t start, uint64_t end, label_id label)
{
	const struct data_piece last = { DATA, DATA + 0x70, USES, WHY_AFTER, 0, false },
				p = { start, end, label, WHY_CODE_REF, 0, false };
	return piece_continues(&last, &p);
}

static void the_inside_of_a_table_that_others_use_begins_no_object(void **state)
{
	(void)state;
	assert_true(continues(DATA + 0x70, DATA + 0xa0, CLEARS));
	assert_true(continues(DATA + 0x70, DATA + 0x78, USES));
	assert_false(continues(DATA + 0x70, DATA + 0x98, CLEARS)); /* may be a small variable */
	assert_false(continues(DATA + 0x80, DATA + 0x100, CLEARS));
	assert_false(continues(DATA + 0x78, DATA + 0x100, CLEARS));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_that_goes_through_a_section_is_not_sure_to_own_the_next),
		cmocka_unit_test(places_that_are_patched_count_as_code_does),
		cmocka_unit_test(the_inside_of_a_table_that_others_use_begins_no_object),
		cmocka_unit_test(sections_that_do_not_meet_have_no_common_bound),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
