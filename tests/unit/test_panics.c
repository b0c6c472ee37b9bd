/* Who is told to be of what crate by the places where it can panic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "attr/panics.h"

#include <string.h>

#define A "/usr/share/cargo/registry/first-1.0.0/src/lib.rs"
#define B "/usr/share/cargo/registry/second-2.0.0/src/lib.rs"
#define C "library/core/src/str/mod.rs"

enum { PLACES = 64, FUNCTIONS = 32 };

/* Places of A in lines 1 to 20, of B in 21 to 40, of C in the rest; the place of line n is at
 * 24 * n. */
static struct panics make_places(void)
{
	struct panics p = { 0 };
	for (uint32_t line = 1; line < PLACES; line++) {
		const char *const file = line <= 20 ? A : line <= 40 ? B : C;
		panics_add(&p, &(struct panic_place){ .addr = UINT64_C(24) * line, .size = 24 },
			   str_of(file), line, 1);
	}
	return p;
}

static void use(struct panics *p, label_id function, uint32_t line)
{
	panics_use(p, function, UINT64_C(24) * line);
}

static const char *crate_of(const struct panics *p, label_id function)
{
	static char text[64];
	struct panic_owners o;
	panics_tell(p, FUNCTIONS, &o);
	const uint32_t crate = o.of_function[function];
	const struct str s = crate == PANIC_NO_CRATE ? STR("") : intern_get(&o.crates, crate);
	assert_true(s.len < sizeof text);
	memcpy(text, s.p, s.len);
	text[s.len] = '\0';
	panic_owners_release(&o);
	return text;
}

static void four_places_of_one_crate_tell_it(void **state)
{
	struct panics p = make_places();
	(void)state;
	for (uint32_t line = 1; line <= 3; line++)
		use(&p, 5, line);
	use(&p, 5, 3);
	assert_string_equal(crate_of(&p, 5), "");
	use(&p, 5, 4);
	assert_string_equal(crate_of(&p, 5), "first 1.0.0");
	use(&p, 5, 50);
	assert_string_equal(crate_of(&p, 5), "first 1.0.0");
	use(&p, 5, 21);
	assert_string_equal(crate_of(&p, 5), "");
	panics_clear(&p);
}

/* Function i refers to line i + 1, from 0 to 8, and 4 to what is given. */
static struct panics make_row(uint32_t line)
{
	struct panics p = make_places();
	for (uint32_t i = 0; i < 9; i++)
		use(&p, i, i == 4 ? line : i + 1);
	return p;
}

static void neighbours_tell_it_by_places_of_their_own(void **state)
{
	struct panics p = make_row(5);
	(void)state;
	assert_string_equal(crate_of(&p, 4), "first 1.0.0");
	panics_clear(&p);
	p = make_row(21);
	assert_string_equal(crate_of(&p, 4), "");
	assert_string_equal(crate_of(&p, 3), "first 1.0.0");
	panics_clear(&p);
	p = make_places();
	for (uint32_t i = 0; i < 9; i++)
		use(&p, i, 5);
	assert_string_equal(crate_of(&p, 4), "");
	panics_clear(&p);
}

static void what_many_refer_to_tells_nothing(void **state)
{
	struct panics p = make_row(5);
	(void)state;
	use(&p, 20, 5);
	assert_string_equal(crate_of(&p, 4), "first 1.0.0");
	use(&p, 21, 5);
	assert_string_equal(crate_of(&p, 4), "");
	panics_clear(&p);
}

static void as_many_places_of_another_crate_leave_it_open(void **state)
{
	struct panics p = make_row(5);
	(void)state;
	use(&p, 4, 21);
	assert_string_equal(crate_of(&p, 4), "");
	use(&p, 4, 6);
	assert_string_equal(crate_of(&p, 4), "first 1.0.0");
	panics_clear(&p);
}

static void the_library_is_told_among_its_own(void **state)
{
	struct panics p = make_places();
	(void)state;
	for (uint32_t i = 0; i < 9; i++)
		use(&p, i, 41 + i);
	assert_string_equal(crate_of(&p, 4), "core");
	assert_string_equal(crate_of(&p, 30), "");
	panics_clear(&p);
}

static void addresses_that_are_no_place_are_passed_over(void **state)
{
	struct panics p = { 0 };
	(void)state;
	panics_use(&p, 1, 24);
	assert_string_equal(crate_of(&p, 1), "");
	p = make_places();
	panics_use(&p, 1, 0);
	panics_use(&p, 1, 25);
	panics_use(&p, 1, UINT64_MAX);
	assert_int_equal(p.uses.count, 0);
	panics_clear(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(four_places_of_one_crate_tell_it),
		cmocka_unit_test(neighbours_tell_it_by_places_of_their_own),
		cmocka_unit_test(what_many_refer_to_tells_nothing),
		cmocka_unit_test(as_many_places_of_another_crate_leave_it_open),
		cmocka_unit_test(the_library_is_told_among_its_own),
		cmocka_unit_test(addresses_that_are_no_place_are_passed_over),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
