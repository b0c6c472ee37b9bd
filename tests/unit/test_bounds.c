/* Whose a reference to the byte behind a section is. */
#include "../lib/pclntab_made.h"
#include "attr/attr_refs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { DATA = 0x1000, ZEROS = 0x2000, SPACE = 0x3000, FAR = 0x5000, SIZE = 0x1000 };
enum { CLEARS = 7, USES = 8 };

static const struct section sections[] = { { .addr = DATA, .size = SIZE },
					   { .addr = ZEROS, .size = SIZE },
					   { .addr = SPACE, .size = SIZE },
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
	put(&targets, SPACE, CLEARS);
	put(&targets, SPACE, USES);
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
	put(&targets, SPACE, LABEL_NONE);
	vec_push(&list, (struct pointer){ 0x10, SPACE, CLEARS });
	vec_push(&list, (struct pointer){ 0x20, ZEROS, CLEARS });
	vec_push(&list, (struct pointer){ 0x30, SPACE, LABEL_NONE });
	vec_push(&list, (struct pointer){ 0x40, SPACE, USES });
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
	put(&targets, SPACE, CLEARS);
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

/* Returns how many bytes of [DATA, DATA + size) a sure owner of its start surely has. `places`:
 * pointers in the data, by address */
static uint64_t surely_owned(const uint32_t *words, size_t size, const struct pointer_place *places,
			     size_t count)
{
	const struct data_piece p = { DATA, DATA + size, USES, WHY_CODE_ORDER, 0, false };
	struct image im;
	struct notes notes;
	struct attr a = { .im = &im };
	notes_init(&notes);
	make_image(&im, ".data", DATA, (struct bytes){ (const uint8_t *)words, size }, 64, false,
		   &notes);
	struct vtables v = { .im = &im };
	for (size_t i = 0; i < count; i++)
		vec_push(&v.places, places[i]);
	ends_claim(&a, &v, &p, USES);
	uint64_t sure = 0, all = 0;
	vec_each(const struct claim, c, &a.vm_claims.list) {
		sure += c->why == WHY_CODE_ORDER ? c->size : 0;
		all += c->size;
	}
	assert_int_equal(all, size);
	vec_release(&a.vm_claims.list);
	vec_release(&v.places);
	image_release(&im);
	notes_release(&notes);
	return sure;
}

static void what_follows_padding_may_be_an_object_that_nobody_uses(void **state)
{
	static const uint32_t padded[] = { 1, 2, 3, 0, 4, 5, 6, 7 },
			      field[] = { 1, 0, 3, 4, 5, 6, 7, 8 },
			      fields[] = { 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0 },
			      zeros[8] = { 0 }, pointers[] = { 1, 2, 0, 0, 0, 0, 4, 5 };
	const struct pointer_place at_8 = { DATA + 8, POINTEE_DATA },
				   at_16 = { DATA + 16, POINTEE_DATA };
	(void)state;
	assert_int_equal(surely_owned(padded, sizeof padded, NULL, 0), 16);
	assert_int_equal(surely_owned(field, sizeof field, NULL, 0), sizeof field);
	assert_int_equal(surely_owned(fields, sizeof fields, NULL, 0), sizeof fields);
	assert_int_equal(surely_owned(zeros, sizeof zeros, NULL, 0), sizeof zeros);
	assert_int_equal(surely_owned(pointers, sizeof pointers, &at_8, 1), sizeof pointers);
	assert_int_equal(surely_owned(pointers, sizeof pointers, &at_16, 1), 16);
	assert_int_equal(surely_owned(padded, 20, NULL, 0), 20); /* too small for an array */
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_that_goes_through_a_section_is_not_sure_to_own_the_next),
		cmocka_unit_test(places_that_are_patched_count_as_code_does),
		cmocka_unit_test(the_inside_of_a_table_that_others_use_begins_no_object),
		cmocka_unit_test(what_follows_padding_may_be_an_object_that_nobody_uses),
		cmocka_unit_test(sections_that_do_not_meet_have_no_common_bound),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
