/* The version of the header, of the library and of the build are the same.
 * usage: test_version VERSION */
#include "heft.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static const char *built;

static void header_library_and_build_agree(void **state)
{
	char text[40];
	(void)state;
	snprintf(text, sizeof text, "%d.%d.%d", HEFT_VERSION_MAJOR, HEFT_VERSION_MINOR,
		 HEFT_VERSION_PATCH);
	assert_string_equal(text, built);
	assert_string_equal(heft_version(), built);
}

static void numbers_are_ordered_as_versions(void **state)
{
	(void)state;
	assert_int_equal(HEFT_VERSION_NUMBER, HEFT_VERSION_MAJOR * 1000000 +
						      HEFT_VERSION_MINOR * 1000 +
						      HEFT_VERSION_PATCH);
	assert_int_equal(heft_version_number(), HEFT_VERSION_NUMBER);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(header_library_and_build_agree),
		cmocka_unit_test(numbers_are_ordered_as_versions),
	};
	built = argc == 2 ? argv[1] : "";
	return cmocka_run_group_tests(tests, NULL, NULL);
}
