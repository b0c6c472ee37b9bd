/* The three forms of names, as the original has them and mended. */
#include "names/supersize.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

struct name_case {
	const char *input, *full, *template_name, *plain;
	unsigned how, flags;
};

static void check(const struct name_case *c, unsigned how)
{
	struct supersize_name n = { 0 };
	supersize_split(&n, str_of(c->input), c->how | how);
	if (!str_eq(n.full, str_of(c->full)) ||
	    !str_eq(n.template_name, str_of(c->template_name)) ||
	    !str_eq(n.plain, str_of(c->plain)) || n.flags != c->flags)
		fail_msg("'%s'%s: got '" STR_FMT "' | '" STR_FMT "' | '" STR_FMT "' %x", c->input,
			 how ? " (exact)" : "", STR_ARG(n.full), STR_ARG(n.template_name),
			 STR_ARG(n.plain), n.flags);
	supersize_name_release(&n);
}

#define ANON  SUPERSIZE_ANONYMOUS
#define CLONE SUPERSIZE_CLONE
#define TEXT  SUPERSIZE_TEXT

/* The same in both ways. */
static const struct name_case both[] = {
	{ "bool foo::Bar<unsigned int, int>::Do<unsigned int>(unsigned int)",
	  "foo::Bar<unsigned int, int>::Do<unsigned int>(unsigned int)",
	  "foo::Bar<unsigned int, int>::Do<unsigned int>", "foo::Bar<>::Do<>", 0, 0 },
	{ "b::CheckedNumeric<int>& b::CheckedNumeric<int>::operator+=<int>(int)",
	  "b::CheckedNumeric<int>::operator+=<int>(int)", "b::CheckedNumeric<int>::operator+=<int>",
	  "b::CheckedNumeric<>::operator+=<>", 0, 0 },
	{ "(anonymous namespace)::GetBridge(long long)", "GetBridge(long long)", "GetBridge",
	  "GetBridge", 0, ANON },
	{ "operator delete(void*)", "operator delete(void*)", "operator delete", "operator delete",
	  0, 0 },
	{ "b::Impl<long long, std::numeric_limits, (b::Integer)1>::Check(long long)",
	  "b::Impl<long long, std::numeric_limits, (b::Integer)1>::Check(long long)",
	  "b::Impl<long long, std::numeric_limits, (b::Integer)1>::Check", "b::Impl<>::Check", 0,
	  0 },
	{ "cc::It::operator cc::Pos const() const", "cc::It::operator cc::Pos const() const",
	  "cc::It::operator cc::Pos const const", "cc::It::operator cc::Pos const const", 0, 0 },
	{ "decltype ({parm#1}((N::NoOp)())) R::Record::visit<S::Draw&>(S::Draw&) const",
	  "R::Record::visit<S::Draw&>(S::Draw&) const", "R::Record::visit<S::Draw&> const",
	  "R::Record::visit<> const", 0, 0 },
	{ "B::B(void (*)(), void (*)(B const*))", "B::B(void (*)(), void (*)(B const*))", "B::B",
	  "B::B", 0, 0 },
	{ "int std::atomic_load<int>(std::<int> volatile*, std::memory_order)",
	  "std::atomic_load<int>(std::<int> volatile*, std::memory_order)", "std::atomic_load<int>",
	  "std::atomic_load<>", 0, 0 },
	{ "std::basic_ostream<char>& std::operator<< <std::char_traits<char> "
	  ">(std::basic_ostream<char>&, "
	  "char)",
	  "std::operator<< <std::char_traits<char> >(std::basic_ostream<char>&, char)",
	  "std::operator<< <std::char_traits<char> >", "std::operator<< <>", 0, 0 },
	{ "std::basic_istream<char>::operator>>(unsigned int&)",
	  "std::basic_istream<char>::operator>>(unsigned int&)",
	  "std::basic_istream<char>::operator>>", "std::basic_istream<>::operator>>", 0, 0 },
	{ "std::operator><std::allocator<char> >()", "std::operator><std::allocator<char> >()",
	  "std::operator><std::allocator<char> >", "std::operator><>", 0, 0 },
	{ "std::operator>><std::allocator<char> >(std::basic_istream<char>&)",
	  "std::operator>><std::allocator<char> >(std::basic_istream<char>&)",
	  "std::operator>><std::allocator<char> >", "std::operator>><>", 0, 0 },
	{ "std::basic_istream<char>::operator>(unsigned int&)",
	  "std::basic_istream<char>::operator>(unsigned int&)",
	  "std::basic_istream<char>::operator>", "std::basic_istream<>::operator>", 0, 0 },
	{ "WTF::StringAppend<A, B>::operator WTF::String() const",
	  "WTF::StringAppend<A, B>::operator WTF::String() const",
	  "WTF::StringAppend<A, B>::operator WTF::String const",
	  "WTF::StringAppend<>::operator WTF::String const", 0, 0 },
	{ "Foo() [virtual thunk]", "Foo() [virtual thunk]", "Foo [virtual thunk]",
	  "Foo [virtual thunk]", 0, 0 },
	{ "A::For<A::Pre()::{lambda(F&)#2}>(A::Pre()::{lambda(F&)#2} const&)",
	  "A::For<A::Pre()::{lambda(F&)#2}>(A::Pre()::{lambda(F&)#2} const&)",
	  "A::For<A::Pre()::{lambda(F&)#2}>", "A::For<>", 0, 0 },
	{ "int Foo<int()>::bar<a<b> >()", "Foo<int()>::bar<a<b> >()", "Foo<int()>::bar<a<b> >",
	  "Foo<>::bar<>", 0, 0 },
	{ "cc::{lambda(cc::PaintOp*)#63}::_FUN(cc::PaintOp*)", "cc::$lambda#63(cc::PaintOp*)",
	  "cc::$lambda#63", "cc::$lambda#63", 0, 0 },
	{ "cc::$_63::__invoke(cc::PaintOp*)", "cc::$lambda#63(cc::PaintOp*)", "cc::$lambda#63",
	  "cc::$lambda#63", 0, 0 },
	{ "H::findValueImpl(char const*)::value_word_list",
	  "H::findValueImpl(char const*)::value_word_list", "H::findValueImpl::value_word_list",
	  "H::findValueImpl::value_word_list", 0, 0 },
	{ "foo::Bar<Z<Y> >::foo<bar>(abc)::var<baz>", "foo::Bar<Z<Y> >::foo<bar>(abc)::var<baz>",
	  "foo::Bar<Z<Y> >::foo<bar>::var<baz>", "foo::Bar<>::foo<>::var<>", 0, 0 },
	{ "std::make_unique[abi:v15000]<Foo>(Bar const*&)",
	  "std::make_unique[abi:v15000]<Foo>(Bar const*&)", "std::make_unique<Foo>",
	  "std::make_unique<>", 0, 0 },
	{ "foo::kBar[abi:baz]", "foo::kBar[abi:baz]", "foo::kBar", "foo::kBar", 0, 0 },
	{ "foo::operator[](abc)", "foo::operator[](abc)", "foo::operator[]", "foo::operator[]", 0,
	  0 },
	{ "foo<char []>::operator[][abi:v1500]<Bar[99]>()",
	  "foo<char []>::operator[][abi:v1500]<Bar[99]>()", "foo<char []>::operator[]<Bar[99]>",
	  "foo<>::operator[]<>", 0, 0 },
	{ "vtable for Foo<int>", "Foo<int> [vtable]", "Foo<int> [vtable]", "Foo<> [vtable]", 0, 0 },
	{ "typeinfo name for std::foo", "std::foo [typeinfo name]", "std::foo [typeinfo name]",
	  "std::foo [typeinfo name]", 0, 0 },
	{ "construction vtable for A-in-B", "A-in-B [construction vtable]",
	  "A-in-B [construction vtable]", "A-in-B [construction vtable]", 0, 0 },
	{ "virtual thunk to Foo::bar()", "Foo::bar() [virtual thunk]", "Foo::bar [virtual thunk]",
	  "Foo::bar [virtual thunk]", 0, 0 },
	{ "non-virtual thunk to Foo::bar(int) const", "Foo::bar(int) const [non-virtual thunk]",
	  "Foo::bar const [non-virtual thunk]", "Foo::bar const [non-virtual thunk]", 0, 0 },
	{ "guard variable for foo()::x", "foo()::x [guard variable]", "foo::x [guard variable]",
	  "foo::x [guard variable]", 0, 0 },
	{ "reference temporary #0 for kX", "kX [reference temporary #0]",
	  "kX [reference temporary #0]", "kX [reference temporary #0]", 0, 0 },
	{ "TLS wrapper function for a::b", "a::b [TLS wrapper function]",
	  "a::b [TLS wrapper function]", "a::b [TLS wrapper function]", 0, 0 },
	{ "Switch table for foo(int)", "foo(int) [Switch table]", "foo [Switch table]",
	  "foo [Switch table]", 0, 0 },
	{ "foo(int) [clone .isra.5] [clone .constprop.3]", "foo(int)", "foo", "foo", TEXT, CLONE },
	{ "_foo.11064", "_foo", "_foo", "_foo", TEXT, CLONE },
	{ "cfun.constprop.0", "cfun", "cfun", "cfun", TEXT, CLONE },
	{ "foo.lto_priv.0", "foo", "foo", "foo", TEXT, CLONE },
	{ "cfun.isra.0.cold", "cfun.isra.0.cold", "cfun.isra.0.cold", "cfun.isra.0.cold", TEXT, 0 },
	{ "main.cold", "main.cold", "main.cold", "main.cold", TEXT, 0 },
	{ "__tcf_0.12", "__tcf_0.12", "__tcf_0.12", "__tcf_0.12", TEXT, 0 },
	{ "startup.33", "startup.33", "startup.33", "startup.33", TEXT, 0 },
	{ "counter.1234", "counter.1234", "counter.1234", "counter.1234", 0, 0 },
	{ "CSWTCH.12", "CSWTCH.12", "CSWTCH.12", "CSWTCH.12", 0, 0 },
	{ "a::(anonymous namespace)::B<(anonymous namespace)::C>::d()", "a::B<C>::d()",
	  "a::B<C>::d", "a::B<>::d", 0, ANON },
	{ "f(a::(anonymous namespace)::X*)", "f(a::X*)", "f", "f", 0, 0 },
	{ "bool operator==<int>(A<int> const&, A<int> const&)",
	  "operator==<int>(A<int> const&, A<int> const&)", "operator==<int>", "operator==<>", 0,
	  0 },
	{ "A::operator<(A const&) const", "A::operator<(A const&) const", "A::operator< const",
	  "A::operator< const", 0, 0 },
	{ "std::_Function_handler<void (int), main::{lambda(int)#1}>::_M_invoke(std::_Any_data "
	  "const&, "
	  "int&&)",
	  "std::_Function_handler<void (int), main::{lambda(int)#1}>::_M_invoke(std::_Any_data "
	  "const&, "
	  "int&&)",
	  "std::_Function_handler<void (int), main::{lambda(int)#1}>::_M_invoke",
	  "std::_Function_handler<>::_M_invoke", 0, 0 },
	{ "core::ptr::drop_in_place<alloc::string::String>",
	  "core::ptr::drop_in_place<alloc::string::String>",
	  "core::ptr::drop_in_place<alloc::string::String>", "core::ptr::drop_in_place<>", 0, 0 },
	{ "alloc::vec::Vec<T,A>::push", "alloc::vec::Vec<T,A>::push", "alloc::vec::Vec<T,A>::push",
	  "alloc::vec::Vec<>::push", 0, 0 },
	{ "core::slice::sort::merge_sort::{{closure}}",
	  "core::slice::sort::merge_sort::{{closure}}",
	  "core::slice::sort::merge_sort::{{closure}}",
	  "core::slice::sort::merge_sort::{{closure}}", 0, 0 },
};

/* As the original has them ... */
static const struct name_case exact[] = {
	{ "typeinfo for bool (*)(llvm::SDValue)", "(*)(llvm::SDValue) [typeinfo]", "(*) [typeinfo]",
	  "(*) [typeinfo]", 0, 0 },
	{ "(anonymous namespace)::Foo::Baz() const::GLSLFP::onData(Foo, Bar)",
	  "Foo::Baz() const::GLSLFP::onData(Foo, Bar)", "Foo::Baz", "Foo::Baz", 0, ANON },
	{ "void foo<A<1> >::bar()::{lambda()#1}::operator()() const",
	  "foo<A<1> >::bar()::{lambda()#1}::operator()() const", "foo<A<1> >::bar const",
	  "foo<>::bar const", 0, 0 },
	{ "<alloc::vec::Vec<u8> as core::fmt::Debug>::fmt",
	  "<alloc::vec::Vec<u8> as core::fmt::Debug>::fmt",
	  "<alloc::vec::Vec<u8> as core::fmt::Debug>::fmt", "<>::fmt", 0, 0 },
	{ "A::operator()(int) const", "A::operator()(int) const", "A::operator const",
	  "A::operator const", 0, 0 },
	{ "A::operator->() const", "A::operator->() const", "A::operator->() const",
	  "A::operator->() const", 0, 0 },
	{ "decltype(auto) f<int>(int)", "decltype(auto) f<int>(int)", "decltype", "decltype", 0,
	  0 },
	{ "void (*get_fn(int))(char)", "(*get_fn(int))(char)", "(*get_fn(int))", "(*get_fn(int))",
	  0, 0 },
	{ "operator\"\" _kb(unsigned long long)", "_kb(unsigned long long)", "_kb", "_kb", 0, 0 },
	{ "core::slice::driftsort::<u32, fn(&u32) -> bool>",
	  "core::slice::driftsort::<u32, fn(&u32) -> bool>",
	  "core::slice::driftsort::<u32, fn(&u32) -> bool>", "core::slice::driftsort::<> bool>", 0,
	  0 },
	{ "aligned_alloc@GLIBC_2.16", "aligned_alloc@GLIBC_2", "aligned_alloc@GLIBC_2",
	  "aligned_alloc@GLIBC_2", TEXT, CLONE },
	{ "std::sort<A, B for >()", ">() [std::sort<A, B]", ">() [std::sort<A, B]",
	  ">() [std::sort<A, B]", 0, 0 },
};

/* ... and mended. */
static const struct name_case mended[] = {
	{ "public: virtual void * __cdecl A<int>::`vector deleting dtor'(unsigned int)",
	  "A<int>::`vector deleting dtor'(unsigned int)", "A<int>::`vector deleting dtor'",
	  "A<>::`vector deleting dtor'", 0, 0 },
	{ "void __cdecl `dynamic initializer for 'x''(void)", "`dynamic initializer for 'x''(void)",
	  "`dynamic initializer for 'x''", "`dynamic initializer for 'x''", 0, 0 },
	{ "go:itab.*x.y,interface { F() error }", "go:itab.*x.y,interface { F() error }",
	  "go:itab.*x.y,interface { F() error }", "go:itab.*x.y,interface { F() error }", 0, 0 },
	{ "int go::f(int)", "go::f(int)", "go::f", "go::f", 0, 0 },
	{ "a/b.f[go.shape.interface { Size() int; Write([]uint8) (int, error) }].func1",
	  "a/b.f[go.shape.interface { Size() int; Write([]uint8) (int, error) }].func1",
	  "a/b.f[go.shape.interface { Size() int; Write([]uint8) (int, error) }].func1",
	  "a/b.f[go.shape.interface { Size() int; Write([]uint8) (int, error) }].func1", TEXT, 0 },
	{ "typeinfo for bool (*)(llvm::SDValue)", "bool (*)(llvm::SDValue) [typeinfo]",
	  "bool (*)(llvm::SDValue) [typeinfo]", "bool (*)(llvm::SDValue) [typeinfo]", 0, 0 },
	{ "(anonymous namespace)::Foo::Baz() const::GLSLFP::onData(Foo, Bar)",
	  "Foo::Baz() const::GLSLFP::onData(Foo, Bar)", "Foo::Baz::GLSLFP::onData",
	  "Foo::Baz::GLSLFP::onData", 0, ANON },
	{ "void foo<A<1> >::bar()::{lambda()#1}::operator()() const",
	  "foo<A<1> >::bar()::{lambda()#1}::operator()() const",
	  "foo<A<1> >::bar::{lambda()#1}::operator() const",
	  "foo<>::bar::{lambda()#1}::operator() const", 0, 0 },
	{ "<alloc::vec::Vec<u8> as core::fmt::Debug>::fmt",
	  "<alloc::vec::Vec<u8> as core::fmt::Debug>::fmt",
	  "<alloc::vec::Vec<u8> as core::fmt::Debug>::fmt",
	  "<alloc::vec::Vec<> as core::fmt::Debug>::fmt", 0, 0 },
	{ "A::operator()(int) const", "A::operator()(int) const", "A::operator() const",
	  "A::operator() const", 0, 0 },
	{ "A::operator->() const", "A::operator->() const", "A::operator-> const",
	  "A::operator-> const", 0, 0 },
	{ "decltype(auto) f<int>(int)", "f<int>(int)", "f<int>", "f<>", 0, 0 },
	{ "void (*get_fn(int))(char)", "get_fn(int)", "get_fn", "get_fn", 0, 0 },
	{ "operator\"\" _kb(unsigned long long)", "operator\"\" _kb(unsigned long long)",
	  "operator\"\" _kb", "operator\"\" _kb", 0, 0 },
	{ "core::slice::driftsort::<u32, fn(&u32) -> bool>",
	  "core::slice::driftsort::<u32, fn(&u32) -> bool>",
	  "core::slice::driftsort::<u32, fn(&u32) -> bool>", "core::slice::driftsort::<>", 0, 0 },
	{ "std::sort<A, B for >()", "std::sort<A, B for >()", "std::sort<A, B for >", "std::sort<>",
	  0, 0 },
	{ "aligned_alloc@GLIBC_2.16", "aligned_alloc@GLIBC_2.16", "aligned_alloc@GLIBC_2.16",
	  "aligned_alloc@GLIBC_2.16", TEXT, 0 },
	{ "bool operator<=><int>(A<int> const&, A<int> const&)",
	  "operator<=><int>(A<int> const&, A<int> const&)", "operator<=><int>", "operator<=><>", 0,
	  0 },
};

static void names_are_split_alike_in_both_ways(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(both); i++) {
		check(&both[i], SUPERSIZE_EXACT);
		check(&both[i], 0);
	}
}

static void the_exact_way_keeps_the_weaknesses(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(exact); i++)
		check(&exact[i], SUPERSIZE_EXACT);
}

static void the_other_way_mends_them(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(mended); i++)
		check(&mended[i], 0);
}

static void splitting_twice_changes_nothing(void **state)
{
	(void)state;
	struct supersize_name once = { 0 }, twice = { 0 };
	for (size_t i = 0; i < COUNT_OF(both); i++) {
		supersize_split(&once, str_of(both[i].input), both[i].how | SUPERSIZE_EXACT);
		supersize_split(&twice, once.full, both[i].how | SUPERSIZE_EXACT);
		if (!str_eq(once.full, twice.full))
			fail_msg("'%s' twice: '" STR_FMT "'", both[i].input, STR_ARG(twice.full));
	}
	supersize_name_release(&once);
	supersize_name_release(&twice);
}

static void check_derived(const struct name_case *c)
{
	struct supersize_name n = { 0 };
	supersize_derive(&n, str_of(c->full), c->how);
	if (!str_eq(n.full, str_of(c->full)) ||
	    !str_eq(n.template_name, str_of(c->template_name)) ||
	    !str_eq(n.plain, str_of(c->plain)))
		fail_msg("'%s' gives '" STR_FMT "', '" STR_FMT "'", c->full,
			 STR_ARG(n.template_name), STR_ARG(n.plain));
	supersize_name_release(&n);
}

static void a_full_form_alone_gives_the_other_forms(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(both); i++)
		check_derived(&both[i]);
	for (size_t i = 0; i < COUNT_OF(mended); i++)
		check_derived(&mended[i]);
}

/* Any text is split without harm. */
static void odd_texts_are_fine(void **state)
{
	(void)state;
	static const char *const odd[] = { "",
					   "(",
					   "()",
					   "<",
					   ">",
					   "<>",
					   ")(",
					   "operator",
					   "operator<",
					   " for ",
					   " to ",
					   "a for ",
					   "((((",
					   "<<<<",
					   "f(<)>",
					   "}::_FUN(x)",
					   "$::__invoke(x)",
					   "[abi:",
					   ".1",
					   "x.1.2" };
	struct supersize_name n = { 0 };
	for (size_t i = 0; i < COUNT_OF(odd); i++)
		for (unsigned how = 0; how < 4; how++)
			supersize_split(&n, str_of(odd[i]), how);
	supersize_name_release(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_split_alike_in_both_ways),
		cmocka_unit_test(the_exact_way_keeps_the_weaknesses),
		cmocka_unit_test(the_other_way_mends_them),
		cmocka_unit_test(splitting_twice_changes_nothing),
		cmocka_unit_test(a_full_form_alone_gives_the_other_forms),
		cmocka_unit_test(odd_texts_are_fine),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
