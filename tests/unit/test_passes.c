/* The table of attribution passes. */
#include "attr/passes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static bool runs_before(size_t end, struct str name, unsigned owners)
{
	for (size_t i = 0; i < end; i++)
		if (str_eq(str_of(attr_pass_at(i)->name), name))
			return (attr_pass_at(i)->owners & owners) != 0;
	return false;
}

static void passes_run_after_what_they_need(void **state)
{
	size_t compared = 0;
	(void)state;
	for (size_t i = 0; attr_pass_at(i); i++) {
		const struct attr_pass *p = attr_pass_at(i);
		for (const char *s = p->needs; s; compared++) {
			const char *end = strstr(s, ", ");
			const struct str name = { s, end ? (size_t)(end - s) : strlen(s) };
			assert_true(runs_before(i, name, p->owners));
			s = end ? end + 2 : NULL;
		}
	}
	assert_true(compared > 0);
}

static void every_partner_is_joined(void **state)
{
	bool open = false;
	(void)state;
	for (size_t i = 0; attr_pass_at(i); i++) {
		const struct attr_pass *p = attr_pass_at(i);
		assert_true(p->owners != 0 && p->run && p->why);
		open = (open || p->beside) && !p->join;
	}
	assert_false(open);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(passes_run_after_what_they_need),
		cmocka_unit_test(every_partner_is_joined),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
