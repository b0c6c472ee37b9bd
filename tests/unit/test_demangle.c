#include "names/demangle.h"

#include "names/itanium.h"
#include "names/rust.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

struct row {
	const char *raw, *shorter, *full; /* full NULL: the demangler's matter */
};

static void expect(struct demangler *d, const char *raw, enum heft_demangle style,
		   const char *expected)
{
	const struct str got = demangle(d, str_of(raw), style);
	char text[2000];
	assert_true(got.len < sizeof text);
	memcpy(text, got.p, got.len);
	text[got.len] = 0;
	if (strcmp(text, expected) != 0)
		print_message("of %s\n", raw);
	assert_string_equal(text, expected);
}

static void expect_rows(const struct row *rows, size_t count)
{
	struct demangler d = { 0 };
	for (size_t i = 0; i < count; i++) {
		expect(&d, rows[i].raw, HEFT_NAMES_RAW, rows[i].raw);
		expect(&d, rows[i].raw, HEFT_NAMES_SHORT, rows[i].shorter);
#ifdef HEFT_HAVE_CXXABI
		if (rows[i].full)
			expect(&d, rows[i].raw, HEFT_NAMES_FULL, rows[i].full);
#endif
	}
	demangler_release(&d);
}

#define EXPECT_ROWS(...)                                                                           \
	do {                                                                                       \
		static const struct row rows[] = { __VA_ARGS__ };                                  \
		expect_rows(rows, COUNT_OF(rows));                                                 \
	} while (0)

static void cxx_names_lose_parameters_arguments_and_return_types_when_short(void **state)
{
	(void)state;
	EXPECT_ROWS({ "_Z3barIiEvT_", "bar<>()", "void bar<int>(int)" },
		    { "_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<>::push_back()",
		      "std::vector<int, std::allocator<int>>::push_back(int const&)" },
		    { "_ZN1AB5cxx113fooEv", "A[abi:cxx11]::foo()", "A[abi:cxx11]::foo()" },
		    { "_ZN3FooIJidcEE1gEv", "Foo<>::g()", "Foo<int, double, char>::g()" },
		    { "_Z1fIiEPFvcET_", "f<>()", "void (*f<int>(int))(char)" },
		    { "_Z1fIiERA3_cT_", "f<>()", "char (&f<int>(int)) [3]" },
		    { "_Z1fIiEDTplfp_fp_ET_", "f<>()", "decltype(fp + fp) f<int>(int)" },
		    { "_Z1fB5cxx11v", "f[abi:cxx11]()", "f[abi:cxx11]()" },
		    { "_ZN12_GLOBAL__N_11fEi", "(anonymous namespace)::f()",
		      "(anonymous namespace)::f(int)" }, );
}

static void tables_guards_and_thunks_carry_the_name_of_what_they_serve(void **state)
{
	(void)state;
	EXPECT_ROWS({ "_ZTV4Base", "Base", "vtable for Base" },
		    { "_ZTI4Base", "Base", "typeinfo for Base" },
		    { "_ZTS4Base", "Base", "typeinfo name for Base" },
		    { "_ZTIPKc", "char const*", "typeinfo for char const*" },
		    { "_ZTIFvvE", "void ()", "typeinfo for void ()" },
		    { "_ZGVZ4mainE1x", "main::x", "guard variable for main::x" },
		    { "_ZTv0_n24_N3Foo3barEv", "Foo::bar()", "virtual thunk to Foo::bar()" },
		    { "_ZThn8_N3Foo3barEv", "Foo::bar()", "non-virtual thunk to Foo::bar()" },
		    { "_ZTC1A0_1B", "B", "construction vtable for B-in-A" }, );
}

static void operators_keep_their_sign_and_the_type_they_convert_to(void **state)
{
	(void)state;
	EXPECT_ROWS(
		{ "_ZN3FoocviEv", "Foo::operator int()", "Foo::operator int()" },
		{ "_Znwm", "operator new()", "operator new(unsigned long)" },
		{ "_ZdaPv", "operator delete[]()", "operator delete[](void*)" },
		{ "_ZltIiEbT_S0_", "operator<<>()", "bool operator<<int>(int, int)" },
		{ "_ZltILN1EE1EEvv", "operator<<>()", "void operator<<(E)1>()" },
		{ "_ZlsIiEvT_", "operator<<<>()", "void operator<<<int>(int)" },
		{ "_ZlsRK1AS1_", "operator<<()", "operator<<(A const&, A const&)" },
		{ "_ZN1AssERKS_", "A::operator<=>()", "A::operator<=>(A const&)" },
		{ "_ZN1AptEv", "A::operator->()", "A::operator->()" },
		{ "_ZN1ApmEv", "A::operator->*()", "A::operator->*()" },
		{ "_ZN1AclEi", "A::operator()()", "A::operator()(int)" },
		{ "_ZN1AixEi", "A::operator[]()", "A::operator[](int)" },
		{ "_Zli3_kby", "operator\"\" _kb()", "operator\"\" _kb(unsigned long long)" },
		{ "_ZNK1AcvPFivEEv", "A::operator int (*)()()", "A::operator int (*)()() const" },
		{ "_ZN12_GLOBAL__N_11AcvNS_1BIiEEEv",
		  "(anonymous namespace)::A::operator (anonymous namespace)::B<>()",
		  "(anonymous namespace)::A::operator (anonymous namespace)::B<int>()" },
		{ "_Z1fIXadL_ZltRK1AS2_EEEvv", "f<>()", NULL }, );
}

static void what_is_local_to_a_function_keeps_the_function_without_its_parameters(void **state)
{
	(void)state;
	EXPECT_ROWS({ "_ZZ1fiE1x", "f()::x", "f(int)::x" },
		    { "_ZZ1fIiEPFvcET_E1x", "f<>()::x", "void (*f<int>(int))(char)::x" },
		    { "_ZZNK1A1fEvE1x", "A::f()::x", "A::f() const::x" },
		    { "_ZZ4mainENKUliE_clEi", "main::{lambda()#1}::operator()()",
		      "main::'lambda'(int)::operator()(int) const" },
		    { "_ZZ4mainENKUliE0_clEi", "main::{lambda()#2}::operator()()",
		      "main::'lambda0'(int)::operator()(int) const" },
		    { "_ZZ1fIiEvT_ENKUlS0_E_clEi", "f<>()::{lambda()#1}::operator()()", NULL },
		    { "_ZTSZ4mainEUliE_", "main::{lambda()#1}",
		      "typeinfo name for main::'lambda'(int)" }, );
}

#ifdef HEFT_HAVE_CXXABI
static void constraints_are_left_out(void **state)
{
	(void)state;
	EXPECT_ROWS({ "_Z1fIiEvT_Q2C1IS0_E", "f<>()", "void f<int>(int) requires C1<int>" },
		    { "_ZZ1fIiEvT_Q2C1IS0_EENKUlvE_clEv", "f<>()::{lambda()#1}::operator()()",
		      NULL }, );
}

static void blocks_of_apple_carry_the_name_of_their_function(void **state)
{
	(void)state;
	EXPECT_ROWS({ "___Z1fv_block_invoke", "f()", "invocation function for block in f()" }, );
}
#endif

static void clone_suffixes_stand_in_parentheses_or_are_dropped(void **state)
{
	(void)state;
	EXPECT_ROWS({ "_Z3fooi.cold", "foo()", "foo(int) (.cold)" },
		    { "_ZN3Foo3barEv.isra.0.cold", "Foo::bar()", "Foo::bar() (.isra.0.cold)" },
		    { "_Z3fooi.llvm.123", "foo()", "foo(int) (.llvm.123)" },
		    { "_Znwm@GLIBCXX_3.4", "operator new()",
		      "operator new(unsigned long) (@GLIBCXX_3.4)" },
		    { "_Znwm@@GLIBCXX_3.4", "operator new()",
		      "operator new(unsigned long) (@@GLIBCXX_3.4)" }, );
}

static void an_underscore_of_mach_o_is_taken_off(void **state)
{
	(void)state;
	EXPECT_ROWS({ "__Z3fooi", "foo()", "foo(int)" }, { "__RNvC3foo3bar", "foo::bar", NULL }, );
}

static void names_without_a_scheme_stay_as_they_are(void **state)
{
	static const char *const names[] = { "main",       "",
					     "_",          "_Z",
					     "__Z",        "_R",
					     "_D",         "foo.cold",
					     "foo.part.0", "switch.table.foo",
					     ".Lanon.1",   "memcpy@@GLIBC_2.14",
					     "_ZZZZ",      "_Zfoo",
					     "_Rust",      "_DYNAMIC",
					     "_init",      "?test@@YAXXQ",
					     "?",          "??@0123456789abcdef@" };
	struct demangler d = { 0 };
	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		expect(&d, names[i], HEFT_NAMES_SHORT, names[i]);
		expect(&d, names[i], HEFT_NAMES_FULL, names[i]);
	}
	demangler_release(&d);
}

static void rust_legacy_names_lose_the_hash(void **state)
{
	(void)state;
	EXPECT_ROWS(
		{ "_ZN4core3ptr13drop_in_place17h86fd0123456789abE", "core::ptr::drop_in_place",
		  "core::ptr::drop_in_place" },
		{ "_ZN4core3ptr85drop_in_place$LT$std..rt..lang_start$LT$$LP$$RP$$GT$..$u7b$$u7b$"
		  "closure$u7d$$u7d$$GT$17h0123456789abcdefE.llvm.99",
		  "core::ptr::drop_in_place<>",
		  "core::ptr::drop_in_place<std::rt::lang_start<()>::{{closure}}> (.llvm.99)" },
		{ "_ZN63_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$foo..Bar$LT$u8$GT$$GT$"
		  "3fmt17h0123456789abcdefE",
		  "<alloc::vec::Vec<> as foo::Bar<>>::fmt",
		  "<alloc::vec::Vec<T> as foo::Bar<u8>>::fmt" },
		/* not a hash: too few different digits, so it is C++ */
		{ "_ZN3foo17h0000000000000000E", "foo::h0000000000000000",
		  "foo::h0000000000000000" }, );
}

static void rust_v0_names_follow_the_rfc(void **state)
{
	(void)state;
	EXPECT_ROWS(
		{ "_RINvC3foo3barE", "foo::bar::<>", "foo::bar::<>" },
		{ "_RNvCs1234_7mycrate3foo", "mycrate::foo", "mycrate::foo" },
		{ "_RINvC1a1fTjmEE", "a::f::<>", "a::f::<(usize, u32)>" },
		{ "_RINvC1a1fTjEE", "a::f::<>", "a::f::<(usize,)>" },
		{ "_RNCNvC1a4main0", "a::main::{closure#0}", "a::main::{closure#0}" },
		{ "_RNCNvC1a4mains_0", "a::main::{closure#1}", "a::main::{closure#1}" },
		{ "_RNvMC1aNtB2_1S1f", "<a::S>::f", "<a::S>::f" },
		{ "_RNvXC1aINtB2_1SmENtB2_1T1f", "<a::S<> as a::T>::f", "<a::S<u32> as a::T>::f" },
		{ "_RINvC1a1fFUKCRmEuE", "a::f::<>", "a::f::<unsafe extern \"C\" fn(&u32)>" },
		{ "_RINvC1a1fFG_RL0_mEhE", "a::f::<>", "a::f::<for<'a> fn(&'a u32) -> u8>" },
		{ "_RINvC1a1fDNtB2_1Tp1AmEL_E", "a::f::<>", "a::f::<dyn a::T<A = u32>>" },
		{ "_RINvC1a1fKj7b_E", "a::f::<>", "a::f::<123>" },
		{ "_RINvC1a1fKan1_Kb1_Kc3c_Kc27_E", "a::f::<>", "a::f::<-1, true, '<', '\\''>" },
		{ "_RINvC1a1fAhj4_SlQPhE", "a::f::<>", "a::f::<[u8; 4], [i32], &mut *const u8>" },
		{ "_RNvC1au4f_9Z", "a::punycode{f_9Z}", NULL },
		{ "_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y",
		  "utf8_idents::"
		  "\xe1\x83\xa1\xe1\x83\x90\xe1\x83\xad\xe1\x83\x9b\xe1\x83\x94\xe1\x83"
		  "\x9a\xe1\x83\x90\xe1\x83\x93_\xe1\x83\x92\xe1\x83\x94\xe1\x83\x9b\xe1\x83\xa0"
		  "\xe1\x83\x98\xe1\x83\x94\xe1\x83\x9a\xe1\x83\x98_"
		  "\xe1\x83\xa1\xe1\x83\x90\xe1\x83"
		  "\x93\xe1\x83\x98\xe1\x83\x9a\xe1\x83\x98",
		  NULL },
		{ "_RNvC1a1f.llvm.12", "a::f", "a::f (.llvm.12)" },
		{ "_RNvC1a1fC1b", "a::f", "a::f" }, );
}

static void d_names_lose_parameters_and_arguments_when_short(void **state)
{
	(void)state;
	EXPECT_ROWS({ "_Dmain", "D main", "D main" },
		    { "_D3std5stdio4File6__ctorMFAyaZS3std5stdio4File", "std.stdio.File.this()",
		      "std.stdio.File.this(immutable(char)[])" },
		    { "_D8demangle__T4testTaZv", "demangle.test!()", NULL },
		    { "_D6object9Throwable8toStringMxFZAya", "object.Throwable.toString()",
		      "object.Throwable.toString() const" }, );
}

static void names_of_microsofts_scheme_read_as_undname_has_them(void **state)
{
	(void)state;
	EXPECT_ROWS({ "?f@@YAHXZ", "f()", "int __cdecl f(void)" },
		    { "?x@ns@@3PEBHEB", "ns::x", "int const *ns::x" },
		    { "?f@A@@QEBAHPEADAEAV1@@Z", "A::f()",
		      "public: int __cdecl A::f(char *, class A &) const" },
		    { "??0?$A@H$00@ns@@QEAA@XZ", "ns::A<>::A()",
		      "public: __cdecl ns::A<int, 1>::A<int, 1>(void)" },
		    { "??1A@@UEAA@XZ", "A::~A()", "public: virtual __cdecl A::~A(void)" },
		    { "??6A@@QEAAAEAV0@H@Z", "A::operator<<()",
		      "public: class A & __cdecl A::operator<<(int)" },
		    { "??BA@@QEAAPEAHXZ", "A::operator int *()",
		      "public: int * __cdecl A::operator int *(void)" },
		    { "??_7A@@6BB@@@", "A", "const A::`vftable'{for `B'}" },
		    { "??_R0?AVA@@@8", "A", "class A `RTTI Type Descriptor'" },
		    { "?st@?1??f@@YAXXZ@4HA", "f()::st", "int `void __cdecl f(void)'::`2'::st" },
		    { "?f@?A0x1234ABCD@@YAXXZ", "(anonymous namespace)::f()",
		      "void __cdecl (anonymous namespace)::f(void)" },
		    { "?f@@YAP6AXD@ZH@Z", "f()", "void (__cdecl * __cdecl f(int))(char)" },
		    { "?f@@YAXAEAY02$$CBHP8A@@EAAXXZ@Z", "f()",
		      "void __cdecl f(int const (&)[3], void (__cdecl A::*)(void))" },
		    { "??_C@_05CJBACGMB@hello?$AA@", "\"hello\"", "\"hello\"" },
		    { "??_C@_0CB@NLEIHNFJ@a?5b?3?6?2@", "\"a b:\\n\\\\\"...", NULL },
		    { "??_C@_13KDLDGPGJ@?$AA?7?$AA?$AA@", "L\"\\t\"", "L\"\\t\"" },
		    { "?f@@YA_NPEA_K_J_W@Z", "f()",
		      "bool __cdecl f(unsigned __int64 *, __int64, wchar_t)" },
		    { "?f@@YAXXZ.cold", "f()", "void __cdecl f(void) (.cold)" }, );
}

/* Of msvcp140.dll: digits count the name of the function, an instance of a template. */
static void microsofts_compiler_counts_more_names_than_clang(void **state)
{
	(void)state;
	EXPECT_ROWS(
		{ "??$sinh@M@std@@YA?AV?$complex@M@1@AEBV21@@Z", "std::sinh<>()",
		  "class std::complex<float> __cdecl std::sinh<float>(class std::complex<float> "
		  "const &)" }, );
}

static void repeat(char *to, const char *lead, const char *unit, size_t size, const char *tail)
{
	size_t at = strlen(lead);
	memcpy(to, lead, at);
	for (; at + strlen(unit) + strlen(tail) < size; at += strlen(unit))
		memcpy(to + at, unit, strlen(unit));
	memcpy(to + at, tail, strlen(tail) + 1);
}

/* Each is as long as is accepted, then far longer; the threads of the suite have 8 MB. */
static void hostile_nesting_neither_crashes_nor_hangs(void **state)
{
	static const char *const shapes[][3] = {
		{ "_Z1f", "P", "i" },
		{ "_Z", "Z", "1fvE1x" },
		{ "_Z", "ZZ", "" },
		{ "_Z1f", "1AI", "i" },
		{ "_Z1fI", "J", "EEvv" },
		{ "_Z1f", "PF", "v" },
		{ "_Z1fIX", "pp", "LiE1" },
		{ "_Z", "ZUl", "E_" },
		{ "_Z1f", "M1A", "i" },
		{ "_Z1f", "S_", "" },
		{ "_RINvC1a1f", "T", "E" },
		{ "_R", "Nv", "C1a" },
		{ "_RINvC1a1f", "B2_", "E" },
		{ "_RINvC1a1f", "R", "h" },
		{ "_D1f", "FP", "i" },
		{ "_D3fooF", "P", "iZv" },
		{ "_D3fooF", "H", "iZv" },
		{ "_D1aF", "Qb", "Z" },
		{ "_ZN", "1a", "17h0123456789abcdefE" },
		{ "?f@@YAX", "PA", "H@Z" },
		{ "?f@@YAX", "P6AX", "@Z" },
		{ "?f@@YAX", "V?$A@", "H@@@Z" },
		{ "?x@", "?1??x@", "@9" },
		{ "??$f@", "$1??$f@", "@9" },
		{ "?f@@YAX", "Y0A@", "H@Z" },
		{ "?x", "@x", "@@9" },
		{ "?f@@YAX", "H", "@Z" },
	};
	static const size_t sizes[] = { 1000, 8190, 70000 };
	struct demangler d = { 0 };
	char *const raw = mem_alloc(70001);
	(void)state;
	for (size_t i = 0; i < COUNT_OF(shapes); i++) {
		for (size_t s = 0; s < COUNT_OF(sizes); s++) {
			repeat(raw, shapes[i][0], shapes[i][1], sizes[s], shapes[i][2]);
			for (int style = HEFT_NAMES_SHORT; style <= HEFT_NAMES_FULL; style++) {
				const struct str got = demangle(&d, str_of(raw),
								(enum heft_demangle)style);
				assert_true(got.p == raw || got.len <= NAME_MAX_SIZE);
				assert_null(memchr(got.p, 0, got.len));
			}
		}
	}
	mem_free(raw);
	demangler_release(&d);
}

/* f(A<int>, A<A<int>, A<int>>, ...): every parameter is twice as long as the one before. */
static void doubling(char *to, unsigned levels)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	to += sprintf(to, "_Z1f1AIiE");
	for (unsigned i = 0; i < levels; i++)
		to += sprintf(to, "S_IS%c_S%c_E", digits[i], digits[i]);
}

static void a_name_that_doubles_itself_is_left_alone_and_costs_no_memory(void **state)
{
	struct demangler d = { 0 };
	char raw[600];
	(void)state;
	doubling(raw, 3);
	expect(&d, raw, HEFT_NAMES_SHORT, "f()");
	doubling(raw, 30);
	assert_ptr_equal(demangle(&d, str_of(raw), HEFT_NAMES_FULL).p, raw);
	assert_true(d.library_capacity <= 4 * NAME_MAX_SIZE);
	demangler_release(&d);
}

static void references_of_microsofts_scheme_cannot_double_without_end(void **state)
{
	struct demangler d = { 0 };
	char raw[400], *to = raw + sprintf(raw, "?f@@YAXPAH");
	(void)state;
	for (int i = 0; i < 9; i++)
		to += sprintf(to, "P6AX%d%d%d%d%d%d%d%d@Z", i, i, i, i, i, i, i, i);
	sprintf(to, "@Z");
	expect(&d, raw, HEFT_NAMES_SHORT, "f()");
	assert_ptr_equal(demangle(&d, str_of(raw), HEFT_NAMES_FULL).p, raw);
	demangler_release(&d);
}

static void references_in_rust_names_cannot_double_without_end(void **state)
{
	struct demangler d = { 0 };
	char raw[1000] = "_RINvC1a1fThhE";
	(void)state;
	/* (u8, u8), then pairs of the one before: 2^40 in all */
	size_t last = strlen("INvC1a1f");
	for (int i = 0; i < 40; i++) {
		const size_t here = strlen(raw) - 2;
		char ref[8] = "B_";
		if (last > 0) {
			static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz"
						     "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
			const size_t n = last - 1;
			if (n < 62)
				sprintf(ref, "B%c_", digits[n]);
			else
				sprintf(ref, "B%c%c_", digits[n / 62], digits[n % 62]);
		}
		sprintf(raw + strlen(raw), "T%s%sE", ref, ref);
		last = here;
	}
	strcat(raw, "E");
	assert_ptr_equal(demangle(&d, str_of(raw), HEFT_NAMES_FULL).p, raw);
	demangler_release(&d);
}

static void references_in_d_names_cannot_double_without_end(void **state)
{
	struct demangler d = { 0 };
	char raw[1000] = "_D3fooFHii";
	(void)state;
	for (int i = 0; i < 60; i++) /* a map from the map before to the map before */
		strcat(raw, i == 0 ? "HQdQf" : "HQfQh");
	strcat(raw, "Zv");
	const struct str got = demangle(&d, str_of(raw), HEFT_NAMES_FULL);
	assert_true(got.p == raw || got.len <= NAME_MAX_SIZE);
	demangler_release(&d);
}

static void the_bound_is_never_below_the_text(void **state)
{
	struct demangler d = { 0 };
	char raw[600];
	(void)state;
	for (unsigned levels = 1; levels < 12; levels++) {
		doubling(raw, levels);
		const struct str full = demangle(&d, str_of(raw), HEFT_NAMES_FULL);
		assert_true(itanium_bound(str_of(raw)) >= full.len);
	}
	demangler_release(&d);
}

static void a_name_with_a_nul_stays_raw(void **state)
{
	static const char raw[] = "_Z1f\0v";
	struct demangler d = { 0 };
	(void)state;
	assert_ptr_equal(demangle(&d, (struct str){ raw, 6 }, HEFT_NAMES_FULL).p, raw);
	demangler_release(&d);
}

static void the_scratch_is_reused(void **state)
{
	struct demangler d = { 0 };
	(void)state;
	expect(&d, "_Z3barIiEvT_", HEFT_NAMES_SHORT, "bar<>()");
	const struct demangler before = d;
	for (int i = 0; i < 100; i++)
		expect(&d, "_Z3bazIcEvT_", HEFT_NAMES_SHORT, "baz<>()");
	assert_memory_equal(&before, &d, sizeof d);
	demangler_release(&d);
	assert_null(d.buffer);
}

static void languages_with_modules_have_readable_names(void **state)
{
	static const struct row rows[] = {
		{ "camlStdlib__List__map_123", "Stdlib.List.map_123", "Stdlib.List.map_123" },
		{ "camlShape__$2b$21_86", "Shape.+!_86", "Shape.+!_86" },
		{ "camlStdlib__List.map_123", "Stdlib.List.map_123", "Stdlib.List.map_123" },
		{ "camlShape", "Shape", "Shape" },
		{ "__shapes_MOD_area", "shapes::area", "shapes::area" },
		{ "_QMshapesParea", "shapes::area", "shapes::area" },
		{ "_QMshapesEscale", "shapes::scale", "shapes::scale" },
		{ "SYSUTILS_$$_INTTOSTR$QWORD$$ANSISTRING", "SYSUTILS.INTTOSTR",
		  "SYSUTILS.INTTOSTR(QWORD): ANSISTRING" },
		{ "SHAPES$_$TSQUARE_$__$$_AREA$LONGINT$CHAR$$LONGINT", "SHAPES.TSQUARE.AREA",
		  "SHAPES.TSQUARE.AREA(LONGINT, CHAR): LONGINT" },
		{ "SHAPES$_$TWICE$LONGINT$$LONGINT_$$_INNER$LONGINT", "SHAPES.TWICE.INNER",
		  "SHAPES.TWICE.INNER(LONGINT)" },
		{ "SYSTEM_$$_$assign$WORD$$OLEVARIANT", "SYSTEM.$assign",
		  "SYSTEM.$assign(WORD): OLEVARIANT" },
		{ "RTTI_$SHAPES_$$_TSQUARE$indirect", "SHAPES.TSQUARE", "SHAPES.TSQUARE (RTTI)" },
		{ "U_$P$HELLO_$$_S", "HELLO.S", "HELLO.S (U)" },
		{ "SYSTEM_$$_INIT$", "SYSTEM.INIT", "SYSTEM.INIT" },
		{ "_$SHAPES$_Ld100", "SHAPES.Ld100", "SHAPES.Ld100" },
		{ "$s4main3fooyyF", "main.foo", "main.foo (yyF)" },
		{ "_$s4main3AppC3baryyF", "main.App.bar", "main.App.bar (yyF)" },
		/* Types of the standard library, and what is added to them elsewhere. */
		{ "$sSS4mainE3fooyyF", "main.String.foo", "main.String.foo (yyF)" },
		{ "$sSa4mainE3fooyyF", "main.Array.foo", "main.Array.foo (yyF)" },
		{ "$sSa6appendyyxnF", "Swift.Array.append", "Swift.Array.append (yyxnF)" },
		{ "$sSS6appendyySSF", "Swift.String.append", "Swift.String.append (yySSF)" },
		{ "$sScT6cancelyyF", "Swift.Task.cancel", "Swift.Task.cancel (yyF)" },
		{ "$sSo8NSStringC4mainE3fooyyF", "main.NSString.foo", "main.NSString.foo (yyF)" },
		{ "$sSaMa", "Swift.Array (Ma)", "Swift.Array (Ma)" },
		{ "$s3lib5ShapeV4mainE4areaSdvg", "main.Shape.area", "main.Shape.area (Sdvg)" },
		{ "$s4main1SVMa", "main.S (Ma)", "main.S (Ma)" },
		{ "$s4main0A3FooV3baryyF", "main.mainFoo.bar", "main.mainFoo.bar (yyF)" },
		{ "$s4main11ViewFactoryC0b4MakeC0yyF", "main.ViewFactory.ViewMakeFactory",
		  "main.ViewFactory.ViewMakeFactory (yyF)" },
		{ "$ss5print_9separator10terminatoryypd_S2StF", "Swift.print",
		  "Swift.print (_9separator10terminatoryypd_S2StF)" },
		{ "base_GHCziList_drop_info", "base:GHC.List.drop", "base:GHC.List.drop (info)" },
		{ "ghczmprim_GHCziTuple_Z2T_con_info", "ghc-prim:GHC.Tuple.Z2T",
		  "ghc-prim:GHC.Tuple.Z2T (con_info)" },
		{ "splitzm0zi2zi3zmDXkzzOmykyJE7KmI3yfeZZnL_DataziList_zdfEq1_closure",
		  "split-0.2.3:Data.List.$fEq1", "split-0.2.3:Data.List.$fEq1 (closure)" },
		{ "ZCMain_main_closure", "main::Main.main", "main::Main.main (closure)" },
	};
	(void)state;
	expect_rows(rows, COUNT_OF(rows));
}

static void names_that_only_look_like_those_of_modules_stay(void **state)
{
	static const char *const names[] = { "caml_alloc",
					     "caml",
					     "X",
					     "_OBJC_CLASS_$_NSObject",
					     "nm_Type_get_info",
					     "___MOD_",
					     "_Q",
					     "_Qfoo",
					     "_QMP",
					     "_$$_x",
					     "x_$$_",
					     "$s",
					     "$s99999a",
					     "$s0A",
					     "zlib_info",
					     "z_Z_info",
					     "z__info",
					     "[section .z_info]",
					     "_$$_Ld",
					     "$$" };
	struct demangler d = { 0 };
	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++)
		expect(&d, names[i], HEFT_NAMES_FULL, names[i]);
	demangler_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(languages_with_modules_have_readable_names),
		cmocka_unit_test(names_that_only_look_like_those_of_modules_stay),
		cmocka_unit_test(cxx_names_lose_parameters_arguments_and_return_types_when_short),
		cmocka_unit_test(tables_guards_and_thunks_carry_the_name_of_what_they_serve),
		cmocka_unit_test(operators_keep_their_sign_and_the_type_they_convert_to),
		cmocka_unit_test(
			what_is_local_to_a_function_keeps_the_function_without_its_parameters),
#ifdef HEFT_HAVE_CXXABI
		cmocka_unit_test(constraints_are_left_out),
		cmocka_unit_test(blocks_of_apple_carry_the_name_of_their_function),
#endif
		cmocka_unit_test(clone_suffixes_stand_in_parentheses_or_are_dropped),
		cmocka_unit_test(an_underscore_of_mach_o_is_taken_off),
		cmocka_unit_test(names_without_a_scheme_stay_as_they_are),
		cmocka_unit_test(rust_legacy_names_lose_the_hash),
		cmocka_unit_test(rust_v0_names_follow_the_rfc),
		cmocka_unit_test(d_names_lose_parameters_and_arguments_when_short),
		cmocka_unit_test(hostile_nesting_neither_crashes_nor_hangs),
		cmocka_unit_test(a_name_that_doubles_itself_is_left_alone_and_costs_no_memory),
		cmocka_unit_test(names_of_microsofts_scheme_read_as_undname_has_them),
		cmocka_unit_test(microsofts_compiler_counts_more_names_than_clang),
		cmocka_unit_test(references_of_microsofts_scheme_cannot_double_without_end),
		cmocka_unit_test(references_in_rust_names_cannot_double_without_end),
		cmocka_unit_test(references_in_d_names_cannot_double_without_end),
		cmocka_unit_test(the_bound_is_never_below_the_text),
		cmocka_unit_test(a_name_with_a_nul_stays_raw),
		cmocka_unit_test(the_scratch_is_reused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
