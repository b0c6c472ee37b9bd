#include "names/signature.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void expect(enum sig_language language, unsigned keep, const char *full,
		   const char *expected)
{
	char *const out = mem_alloc(SIGNATURE_ROOM(strlen(full)) + 1);
	const size_t len = signature_cut(str_of(full), language, keep, out);
	assert_true(len <= SIGNATURE_ROOM(strlen(full)));
	out[len] = 0;
	if (strcmp(out, expected) != 0)
		print_message("of %s\n", full);
	assert_string_equal(out, expected);
	mem_free(out);
}

static void expect_short(const char *full, const char *expected)
{
	expect(SIG_CXX, SIG_PARENS, full, expected);
}

static void expect_template(const char *full, const char *expected)
{
	expect(SIG_CXX, SIG_ARGUMENTS, full, expected);
}

static void expect_rust(const char *full, const char *expected)
{
	expect(SIG_RUST, SIG_PARENS, full, expected);
}

static void the_template_form_keeps_arguments_and_drops_parameters(void **state)
{
	(void)state;
	expect_template("bool foo::Bar<unsigned int, int>::Do<unsigned int>(unsigned int)",
			"foo::Bar<unsigned int, int>::Do<unsigned int>");
	expect_template("b::Impl<long long, std::numeric_limits, (b::Integer)1>::Check(long long)",
			"b::Impl<long long, std::numeric_limits, (b::Integer)1>::Check");
	expect_template("std::_Function_handler<void (int), main::{lambda(int)#1}>::_M_invoke("
			"std::_Any_data const&, int&&)",
			"std::_Function_handler<void (int), main::{lambda(int)#1}>::_M_invoke");
	expect_template("operator delete(void*)", "operator delete");
	expect_template("B::B(void (*)(), void (*)(B const*))", "B::B");
	expect_template("foo<char []>::operator[][abi:v1500]<Bar[99]>()",
			"foo<char []>::operator[][abi:v1500]<Bar[99]>");
	expect_template("A::operator()(int) const", "A::operator()");
	expect_template("H::find(char const*)::list", "H::find::list");
	expect(SIG_D, SIG_ARGUMENTS, "a.f!(int).f(int)", "a.f!(int).f");
	expect(SIG_RUST, SIG_ARGUMENTS, "a::f::<u8>", "a::f::<u8>");
}

static void the_return_type_goes(void **state)
{
	(void)state;
	expect_short("decltype(auto) f<int>(int)", "f<>()");
	expect_short("decltype ({parm#1}((N::NoOp)())) R::Record::visit<S::Draw&>(S::Draw&) const",
		     "R::Record::visit<>()");
	expect_short("void (*get(int))(char)", "get()");
	expect_short("void (*(*get<int>(int))(int))(char)", "get<>()");
	expect_short("int (A<int>::*get<int>())(char) const", "get<>()");
	expect_short("char const* const& f<int>()", "f<>()");
	expect_short("std::enable_if<(1) < (2), int>::type f<int>()", "f<>()");
	expect_short("std::function<void (int)> f<int>(std::function<void (int)>)", "f<>()");
	expect_short("auto A::f()::'lambda'<typename $T>($T)::operator()<int>($T)",
		     "A::f()::{lambda()#1}::operator()<>()");
	expect_short("_BitInt(7) f<int>()", "f<>()");
	expect_short("A::friend f(int)", "A::f()");
}

static void signs_in_arguments_are_no_brackets(void **state)
{
	(void)state;
	expect_short("f<&A::operator<(int)>::g()", "f<>::g()");
	expect_short("f<&A::operator<<(int)>::g()", "f<>::g()");
	expect_short("f<&A::operator->(int)>::g()", "f<>::g()");
	expect_short("f<&A::operator>>(int)>::g()", "f<>::g()");
	expect_short("f<&A::operator<=>(int)>::g()", "f<>::g()");
	expect_short("f<&A::operator>>::g()", "f<>::g()");
	expect_short("f<&A::operator-->::g()", "f<>::g()");
	expect_short("f<(a > b), (c >> d)>::g()", "f<>::g()");
	expect_short("f<a < b>::g()", "f<>::g()");
	expect_short("f<a <= b, c << d>::g()", "f<>::g()");
	expect_short("f<decltype(a->b)>::g()", "f<>::g()");
	expect_short("f<{lambda(int)#1}>::g()", "f<>::g()");
	expect_short("f<A<B<int> > >::g()", "f<>::g()");
	expect_short("f<S{1, (a > b)}>::g()", "f<>::g()");
}

static void libiberty_names_are_cut_alike(void **state)
{
	(void)state;
	expect_short("bool operator< <int>(int, int)", "operator<<>()");
	expect_short("std::ostream& std::operator<< <char>(std::ostream&)", "std::operator<<<>()");
	expect_short("main::{lambda(int)#1}::operator()(int) const",
		     "main::{lambda()#1}::operator()()");
	expect_short("f(int)::{default arg#1}::{lambda()#1}::operator()() const",
		     "f()::{default arg#1}::{lambda()#1}::operator()()");
	expect_short("TLS init function for A::x", "A::x");
	expect_short("reference temporary #0 for kX", "kX");
}

static void qualifiers_and_constraints_behind_the_parameters_go(void **state)
{
	(void)state;
	expect_short("A::f() const", "A::f()");
	expect_short("A::f() const volatile &&", "A::f()");
	expect_short("A::f() const::x", "A::f()::x");
	expect_short("A::f() &::x", "A::f()::x");
	expect_short("void f<int>(int) requires C<int> && (D<int>)", "f<>()");
	expect_short("f(int) [enable_if:(a)]", "f()");
}

static void the_special_word_can_be_asked_for(void **state)
{
	struct str name = STR("non-virtual thunk to A::f(int)");
	(void)state;
	assert_true(str_eq(signature_special(&name), STR("non-virtual thunk")));
	assert_true(str_eq(name, STR("A::f(int)")));
	assert_true(str_eq(signature_special(&name), STR("")));
	assert_true(str_eq(name, STR("A::f(int)")));
	name = STR("vtable for ");
	assert_true(str_eq(signature_special(&name), STR("")));
	name = STR("reference temporary #12 for x");
	assert_true(str_eq(signature_special(&name), STR("reference temporary #12")));
	assert_true(str_eq(name, STR("x")));
}

static void rust_keeps_the_type_and_trait_of_an_impl(void **state)
{
	(void)state;
	expect_rust("core::ptr::drop_in_place<alloc::string::String>",
		    "core::ptr::drop_in_place<>");
	expect_rust("alloc::vec::Vec<T,A>::push", "alloc::vec::Vec<>::push");
	expect_rust("<alloc::vec::Vec<u8> as core::fmt::Debug>::fmt",
		    "<alloc::vec::Vec<> as core::fmt::Debug>::fmt");
	expect_rust("<&[A<u8>] as B<fn(u8) -> C<u8>>>::f::<u8>::{closure#0}",
		    "<&[A<>] as B<>>::f::<>::{closure#0}");
	expect_rust("<<A<u8> as B>::C as D<u8>>::m", "<<A<> as B>::C as D<>>::m");
	expect_rust("core::fmt::num::<impl core::fmt::Debug for Vec<u32>>::fmt",
		    "core::fmt::num::<impl core::fmt::Debug for Vec<>>::fmt");
	expect_rust("core::slice::driftsort::<u32, fn(&u32) -> bool>",
		    "core::slice::driftsort::<>");
	expect_rust("<dyn for<'a> F<(&'a u8,)> as G>::h", "<dyn for<'a> F<> as G>::h");
	expect_rust("a::f::<'>', '\\'', \"\\\"<\">::g", "a::f::<>::g");
	expect_rust("a::f::<'a, '_>::g", "a::f::<>::g");
	expect_rust("<fn() -> A<u8> as B>::f", "<fn() -> A<> as B>::f");
}

static void d_literals_hide_brackets(void **state)
{
	(void)state;
	expect(SIG_D, SIG_PARENS, "a.sort!(\"a) < (b\", int[]).sort(int[]) const",
	       "a.sort!().sort()");
	expect(SIG_D, SIG_PARENS, "a.f(int).g(char) shared const", "a.f().g()");
	expect(SIG_D, SIG_PARENS, "initializer for a.B!(int).B", "a.B!().B");
}

static void brackets_that_do_not_match_give_nothing(void **state)
{
	static const char *const names[] = { "f(",         "f)", "f<", "f>", "f<(>",
					     "f<{>",       "f[", "f{", "f}", "f()::'lambda'(",
					     "operator<<(" };
	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++)
		expect_short(names[i], "");
	expect_rust("a<", "");
	expect_rust("<a", "");
	expect_rust("a>", "");
	expect_rust(">a", "");
	expect(SIG_D, SIG_PARENS, "a!(", "");
	expect_short("", "");
	expect_short("operator", "operator");
	expect_short("operator ", "operator ");
}

static void a_form_is_its_own_short_form(void **state)
{
	static const char *const names[] = { "f()",
					     "std::vector<>::push_back()",
					     "(anonymous namespace)::f<>()::x",
					     "main::{lambda()#1}::operator()()",
					     "operator<<<>()",
					     "A::operator B<>()",
					     "A::operator()()",
					     "A[abi:cxx11]::operator<=>()" };
	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++)
		expect_short(names[i], names[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_template_form_keeps_arguments_and_drops_parameters),
		cmocka_unit_test(the_return_type_goes),
		cmocka_unit_test(signs_in_arguments_are_no_brackets),
		cmocka_unit_test(libiberty_names_are_cut_alike),
		cmocka_unit_test(qualifiers_and_constraints_behind_the_parameters_go),
		cmocka_unit_test(the_special_word_can_be_asked_for),
		cmocka_unit_test(rust_keeps_the_type_and_trait_of_an_impl),
		cmocka_unit_test(d_literals_hide_brackets),
		cmocka_unit_test(brackets_that_do_not_match_give_nothing),
		cmocka_unit_test(a_form_is_its_own_short_form),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
