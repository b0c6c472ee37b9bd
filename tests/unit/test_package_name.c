#include "names/generic.h"
#include "names/package_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void assert_package_in(unsigned languages, const char *raw, const char *wanted)
{
	const struct namespaces none = { 0 };
	struct demangler d = { 0 };
	struct str s = STR("");
	if (package_of(&none, &d, &(struct package_of){ str_of(raw), NULL, languages }, &s) ==
	    PACKAGE_NONE)
		s = STR("");
	if (!str_eq(s, str_of(wanted)))
		fail_msg("%s: '%.*s', not '%s'", raw, (int)s.len, s.p, wanted);
	demangler_release(&d);
}

static void assert_package(const char *raw, bool go, const char *wanted)
{
	assert_package_in(go ? LANGUAGE_GO : 0, raw, wanted);
}

static void assert_generic(const char *raw, const char *wanted)
{
	struct demangler d = { 0 };
	struct text room = { 0 };
	const struct str s = generic_name(&d, str_of(raw), &room);
	if (!str_eq(s, str_of(wanted)))
		fail_msg("%s: '%.*s', not '%s'", raw, (int)s.len, s.p, wanted);
	text_release(&room);
	demangler_release(&d);
}

static void instances_of_a_generic_have_one_name(void **state)
{
	(void)state;
	assert_generic("_RINvNtC3std3mem8align_ofjE", "std::mem::align_of");
	assert_generic("_ZN3foo3BarIiE3addEj", "foo::Bar<>::add()");
	assert_generic("main.pairs[go.shape.string_0,a.b/c.D]", "main.pairs[...]");
	assert_generic("main.pair[[]int].String", "main.pair[...].String");
}

static void both_manglings_of_rust_have_one_name(void **state)
{
	(void)state;
	assert_generic("_RINvNtCs1_4core3ptr13drop_in_placejE", "core::ptr::drop_in_place");
	assert_generic("_ZN4core3ptr24drop_in_place$LT$u64$GT$17h0123456789abcdefE",
		       "core::ptr::drop_in_place");
	assert_generic("_RNvMs_NtCs1_5alloc7raw_vecINtB4_6RawVecjE8grow_one",
		       "alloc::raw_vec::RawVec<>::grow_one");
	assert_generic("_ZN5alloc7raw_vec19RawVec$LT$T$C$A$GT$8grow_one17h0123456789abcdefE",
		       "alloc::raw_vec::RawVec<>::grow_one");
	assert_generic("_RINvMs_NtCs1_5alloc7raw_vecINtB5_6RawVecjE4growhE",
		       "alloc::raw_vec::RawVec<>::grow");
	/* With the underscore of Mach-O. */
	assert_generic("__RINvNtCs1_4core3ptr13drop_in_placejE", "core::ptr::drop_in_place");
	/* A type that is no path keeps its brackets, and so does one with a trait. */
	assert_generic("_RINvMNtCs1_4core5sliceSh4findjE", "<[u8]>::find");
	assert_generic("_RNvXCs1_1aINtB2_1BjENtB2_1C1d", "<a::B<> as a::C>::d");
}

static void what_is_no_instance_has_its_full_name(void **state)
{
	(void)state;
	assert_generic("_ZN3foo3Bar3addEj", "foo::Bar::add(unsigned int)");
	assert_generic("main", "main");
	assert_generic("[section .text]", "[section .text]");
	assert_generic("-[NSString length]", "-[NSString length]");
	assert_generic("a]b[c", "a]b[c");
	assert_generic("", "");
}

static void methods_of_primitive_types_are_of_their_crate(void **state)
{
	(void)state;
	assert_package("_RNvMs3_NtCslNYArtu3iFV_5alloc3stre12to_lowercase", false, "alloc");
	assert_package("_RNvMNtNtCsgEmfK2I1SDS_4core4char7methodsc16escape_debug_ext", false,
		       "core");
	assert_package(
		"_RNvXs_NvMs_NtNtCs1_5alloc3ffi5c_strNtB9_7CString3newRShNtB4_11SpecNewImpl13"
		"spec_new_impl",
		false, "alloc");
	assert_package("_RNvMs3_Nt", false, "");
	assert_package("_RNvMs3_NtCs1_999alloc", false, "");
}

static void what_drops_a_value_is_of_the_crate_of_its_type(void **state)
{
	(void)state;
	assert_package(
		"_RINvNtCs1_4core3ptr13drop_in_placeINtNtCs2_5alloc3vec3VecNtCs3_5regex5RegexEE",
		false, "regex");
	assert_package("_RINvNtCs1_4core3ptr13drop_in_placeNtNtCs2_5alloc6string6StringE", false,
		       "core");
	assert_package("_RINvNtCs1_4core3ptr13drop_in_placejE", false, "core");
	assert_package(
		"_ZN4core3ptr42drop_in_place$LT$alloc..string..String$GT$17h0123456789abcdefE",
		false, "core");
	assert_package("_ZN4core3ptr53drop_in_place$LT$alloc..vec..Vec$LT$regex..Re$GT$$GT$"
		       "17h0123456789abcdefE",
		       false, "regex");
}

static void names_of_go_have_an_import_path(void **state)
{
	(void)state;
	assert_package("main.main", true, "main");
	assert_package("net/http.(*Server).Serve", true, "net/http");
	assert_package("gopkg.in/yaml%2ev2.Unmarshal", true, "gopkg.in/yaml%2ev2");
	assert_package("main.pairs[go.shape.string_0,a.b/c.D]", true, "main");
	assert_package("net/http.(*conn).serve.func1", true, "net/http");
	assert_package("go.uber.org/zap.New", true, "go.uber.org/zap");
}

static void what_gos_compiler_makes_is_of_the_first_type_with_a_path(void **state)
{
	(void)state;
	assert_package("type:*net/http.Client", true, "net/http");
	assert_package("type..eq.net/http.Foo", true, "net/http");
	assert_package("type:.hash.[2]os.File", true, "os");
	assert_package("go:itab.*os.File,io.Reader", true, "os");
	assert_package("type:func(...string) a/b.C", true, "a/b");
	assert_package("type:map[string]int", true, "");
	assert_package("type:.importpath.a/b.", true, "a/b");
	assert_package("type..namedata.*http.Client-", true, "");
	assert_package("go.link.pkghashbytes.gopkg.in/yaml%2ev2", true, "gopkg.in/yaml%2ev2");
	assert_package("go:string.*", true, "");
	assert_package("type:", true, "");
}

static void names_of_c_tell_nothing_beside_go_too(void **state)
{
	(void)state;
	assert_package("main", false, "");
	assert_package("x_cgo_init", true, "");
	assert_package("_cgo_topofstack", true, "");
	assert_package("counter.0", true, "");
	assert_package("f.part.0", true, "");
	assert_package("f.cold", true, "");
	assert_package("f.constprop.0.isra.0", true, "");
	assert_package("main.partial", true, "main");
	assert_package("main.main", false, "");
	assert_package(".L1", true, "");
	assert_package("", true, "");
}

static void names_of_rust_have_a_crate(void **state)
{
	(void)state;
	assert_package("_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE", false, "core");
	assert_package("_RNvNtCslNYArtu3iFV_5alloc5btree4leaf", false, "alloc");
	assert_package("__rust_alloc", false, "std");
	assert_package("rust_eh_personality", false, "std");
}

static void names_of_cxx_have_their_outermost_namespace(void **state)
{
	(void)state;
	assert_package("_ZN4llvm3sys4PathEv", false, "llvm");
	assert_package("_ZN12_GLOBAL__N_11fEv", false, "");
	assert_package("_ZN12_GLOBAL__N_13abc1fEv", false, "abc");
	assert_package("_ZNSt6vectorIiSaIiEE9push_backERKi", false, "std");
	assert_package("_Z4mainv", false, "");
}

static void escapes_of_import_paths_are_undone(void **state)
{
	char out[64];
	(void)state;
	const struct str path = STR("gopkg.in/yaml%2ev2"), cut = STR("a%2"), odd = STR("a%zz%00b");
	assert_int_equal(go_package_text(path, out), 16);
	assert_memory_equal(out, "gopkg.in/yaml.v2", 16);
	assert_int_equal(go_package_text(cut, out), 3);
	assert_int_equal(go_package_text(odd, out), odd.len);
	assert_memory_equal(out, odd.p, odd.len);
}

static void assert_version(const char *path, const char *name, const char *version)
{
	struct str n, v;
	const bool found = crate_version(str_of(path), &n, &v);
	assert_int_equal(found, name != NULL);
	if (found && !(str_eq(n, str_of(name)) && str_eq(v, str_of(version))))
		fail_msg("%s: %.*s %.*s", path, (int)n.len, n.p, (int)v.len, v.p);
}

static void paths_of_cargo_tell_a_crates_version(void **state)
{
	(void)state;
	assert_version("index.crates.io-1949cf8c6b5b557f/serde-1.0.193/src/lib.rs", "serde",
		       "1.0.193");
	assert_version("github.com-1ecc6299db9ec823/proc-macro2-1.0.70/src/x.rs", "proc-macro2",
		       "1.0.70");
	assert_version("gimli-0.32.3/src/read/abbrev.rs", "gimli", "0.32.3");
	assert_version("index/wasi-0.11.0+wasi-snapshot-preview1/src", "wasi",
		       "0.11.0+wasi-snapshot-preview1");
	assert_version("index/no version/x", NULL, NULL);
	assert_version("gimli-0.32.3\n/x", NULL, NULL);
	assert_version("object-0.37.3", "object", "0.37.3");
	assert_version("index/", NULL, NULL);
	assert_version("a", NULL, NULL);
	assert_version("", NULL, NULL);
}

static void hashes_tell_crates_of_one_name_apart(void **state)
{
	char out[CRATE_HASH_ROOM];
	const struct str v0 = STR("_RNvNtCslNYArtu3iFV_5alloc5btree4leaf");
	(void)state;
	assert_true(crate_hash(v0, STR("alloc"), out));
	assert_string_equal(out, "lNYArtu3iFV");
	assert_false(crate_hash(v0, STR("btree"), out));
	assert_false(crate_hash(STR("_ZN4core3fmt17h0123456789abcdefE"), STR("core"), out));
	assert_false(crate_hash(STR("_RCs"), STR("a"), out));
	assert_false(crate_hash(STR("_RC"), STR("a"), out));
}

static void modules_are_packages(void **state)
{
	(void)state;
	assert_package("camlStdlib__List__map_123", false, "Stdlib");
	assert_package("__shapes_MOD_area", false, "shapes");
	assert_package("SHAPES$_$TSQUARE_$__$$_AREA", false, "SHAPES");
	assert_package("$s4main3AppC3baryyF", false, "main");
	assert_package("splitzm0zi2zi3zmDXkzzOmykyJE7KmI3yfeZZnL_DataziList_zdfEq1_closure", false,
		       "split-0.2.3");
}

static void some_languages_are_told_by_their_program(void **state)
{
	(void)state;
	assert_int_equal(language_marked(STR("NimMain")), LANGUAGE_NIM);
	assert_int_equal(language_marked(STR("stg_upd_frame_info")), LANGUAGE_GHC);
	assert_int_equal(language_marked(STR("std.start.callMain")), LANGUAGE_ZIG);
	assert_int_equal(language_marked(STR("main")), 0);
	assert_package_in(0, "area__shape_10", "");
	assert_package_in(LANGUAGE_NIM, "area__shape_10", "shape");
	assert_package_in(LANGUAGE_NIM, "area__shape_u10", "shape");
	assert_package_in(LANGUAGE_NIM, "f__stdZprivateZdigitsutils_1", "stdZprivateZdigitsutils");
	assert_package_in(LANGUAGE_NIM, "__shape_1", "");
	assert_package_in(LANGUAGE_NIM, "area_10", "");
	assert_package_in(LANGUAGE_NIM, "7", "");
	assert_package_in(LANGUAGE_GHC, "Shape_area_info", "main");
	assert_package_in(0, "Shape_area_info", "");
	assert_package_in(LANGUAGE_ZIG, "std.fmt.format", "std");
	assert_package_in(LANGUAGE_ZIG, "memcpy", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modules_are_packages),
		cmocka_unit_test(some_languages_are_told_by_their_program),
		cmocka_unit_test(instances_of_a_generic_have_one_name),
		cmocka_unit_test(both_manglings_of_rust_have_one_name),
		cmocka_unit_test(what_is_no_instance_has_its_full_name),
		cmocka_unit_test(methods_of_primitive_types_are_of_their_crate),
		cmocka_unit_test(what_drops_a_value_is_of_the_crate_of_its_type),
		cmocka_unit_test(names_of_go_have_an_import_path),
		cmocka_unit_test(what_gos_compiler_makes_is_of_the_first_type_with_a_path),
		cmocka_unit_test(names_of_c_tell_nothing_beside_go_too),
		cmocka_unit_test(names_of_rust_have_a_crate),
		cmocka_unit_test(names_of_cxx_have_their_outermost_namespace),
		cmocka_unit_test(escapes_of_import_paths_are_undone),
		cmocka_unit_test(paths_of_cargo_tell_a_crates_version),
		cmocka_unit_test(hashes_tell_crates_of_one_name_apart),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
