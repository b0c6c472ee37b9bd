#include "names/namespace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void assert_space(const struct namespaces *n, const char *raw, const char *wanted)
{
	struct demangler d = { 0 };
	const struct str s = namespace_of(n, &d, str_of(raw));
	if (s.len != strlen(wanted) || memcmp(s.p, wanted, s.len) != 0)
		fail_msg("%s: '%.*s', not '%s'", raw, (int)s.len, s.p, wanted);
	demangler_release(&d);
}

static void learn(struct namespaces *n, const char *raw)
{
	struct demangler d = { 0 };
	namespaces_learn(n, &d, str_of(raw));
	demangler_release(&d);
}

static void names_of_c_are_in_none(void **state)
{
	const struct namespaces none = { 0 };
	(void)state;
	assert_space(&none, "main", "");
	assert_space(&none, "_start", "");
	assert_space(&none, "_Z4mainv", "");
	assert_space(&none, "", "");
}

static void all_parts_before_the_last_count_where_nothing_is_known(void **state)
{
	const struct namespaces none = { 0 };
	(void)state;
	assert_space(&none, "_ZN1a1b1fEi", "a::b");
	assert_space(&none, "_ZN1a1bL1xE", "a::b");
	assert_space(&none, "_ZN12_GLOBAL__N_11fEv", "(anonymous namespace)");
	/* operators and conversions are last, whatever they hold */
	assert_space(&none, "_ZN1alsERKNS_1BES2_", "a");
}

static void template_arguments_make_a_class(void **state)
{
	const struct namespaces none = { 0 };
	(void)state;
	assert_space(&none, "_ZNSt6vectorIiSaIiEE9push_backERKi", "std");
	assert_space(&none, "_ZN1a3BoxIiE1fEv", "a");
}

static void tables_and_type_information_are_those_of_a_class(void **state)
{
	const struct namespaces none = { 0 };
	(void)state;
	assert_space(&none, "_ZTVN1a1b1CE", "a::b");
	assert_space(&none, "_ZTI1C", "");
}

static void lambdas_and_static_variables_are_where_their_function_is(void **state)
{
	const struct namespaces none = { 0 };
	(void)state;
	assert_space(&none, "_ZZN1a1fEvE1x", "a");
	assert_space(&none, "_ZGVZN1a1fEvE1x", "a");
	assert_space(&none, "_ZZN1a1fEvENKUlvE_clEv", "a");
}

static void other_symbols_tell_classes(void **state)
{
	struct namespaces n = { 0 };
	(void)state;
	assert_space(&n, "_ZN1a1B1fEv", "a::B");
	learn(&n, "_ZN1a1BC1Ev");
	learn(&n, "_ZNK1a1C3getEv");
	learn(&n, "_ZTV1D");
	assert_space(&n, "_ZN1a1B1fEv", "a");
	assert_space(&n, "_ZN1a1C1fEv", "a");
	assert_space(&n, "_ZN1D1fEv", "");
	assert_space(&n, "_ZN1a1B5Inner1fEv", "a");
	assert_space(&n, "_ZN1a1fEv", "a");
	namespaces_release(&n);
}

static void debug_info_has_the_last_word(void **state)
{
	struct namespaces n = { 0 };
	(void)state;
	namespaces_add(&n, STR("a"), false);
	namespaces_add(&n, STR("a::b"), false);
	namespaces_add(&n, STR("G"), true);
	assert_space(&n, "_ZN1a1b1C1fEv", "a::b");
	assert_space(&n, "_ZN1a1C1fEv", "a");
	assert_space(&n, "_ZN1G1fEv", "");
	/* a library that was built without debug info */
	assert_space(&n, "_ZN5other1fEv", "other");
	namespaces_release(&n);
}

static void rust_has_crates_and_modules(void **state)
{
	const struct namespaces none = { 0 };
	(void)state;
	assert_space(&none, "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt");
	assert_space(&none, "_ZN4main4main17h0123456789abcdefE", "main");
	assert_space(&none, "_ZN5alloc3vec16Vec$LT$T$C$A$GT$4push17h0123456789abcdefE",
		     "alloc::vec");
	assert_space(&none,
		     "_ZN3std2rt10lang_start28_$u7b$$u7b$closure$u7d$$u7d$"
		     "17h0123456789abcdefE",
		     "std::rt");
	assert_space(&none,
		     "_ZN58_$LT$alloc..string..String$u20$as$u20$core..fmt..Debug$GT$3fmt"
		     "17h0123456789abcdefE",
		     "alloc::string");
	assert_space(&none, "_ZN43_$LT$u8$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE",
		     "core::fmt");
	assert_space(&none, "_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo");
	assert_space(&none, "_RINvNtCs1234_7mycrate3foo3barhE", "mycrate::foo");
	assert_space(&none, "_RNvXCs1234_7mycrateNtB2_1TNtB2_5Trait1f", "mycrate");
}

static void d_and_fortran_have_modules(void **state)
{
	const struct namespaces none = { 0 };
	(void)state;
	assert_space(&none, "_D3std5stdio7writelnFZv", "std.stdio");
	assert_space(&none, "_D8demangle4testFZv", "demangle");
	assert_space(&none, "__solver_MOD_step", "solver");
	assert_space(&none, "__x_y_MOD_z", "x_y");
	assert_space(&none, "___MOD_", "");
}

static void the_qualifier_is_what_stands_before_the_last_component(void **state)
{
	static const struct {
		const char *name, *qualifier;
	} rows[] = { { "a::b::f<c::d>(e::g)", "a::b" },
		     { "f(e::g)", "" },
		     { "a::operator<", "a" },
		     { "a::operator->", "a" },
		     { "a::operator b::c", "a" },
		     { "<a::b as c::d>::f", "<a::b as c::d>" },
		     { "", "" },
		     { "\"cannot create std::vector\"", "" },
		     { "f::{lambda(a::b)#1}", "f" } };
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_true(
			str_eq(name_qualifier(str_of(rows[i].name)), str_of(rows[i].qualifier)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_qualifier_is_what_stands_before_the_last_component),
		cmocka_unit_test(names_of_c_are_in_none),
		cmocka_unit_test(all_parts_before_the_last_count_where_nothing_is_known),
		cmocka_unit_test(template_arguments_make_a_class),
		cmocka_unit_test(tables_and_type_information_are_those_of_a_class),
		cmocka_unit_test(lambdas_and_static_variables_are_where_their_function_is),
		cmocka_unit_test(other_symbols_tell_classes),
		cmocka_unit_test(debug_info_has_the_last_word),
		cmocka_unit_test(rust_has_crates_and_modules),
		cmocka_unit_test(d_and_fortran_have_modules),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
