/* Crates by the paths of their files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "names/crate_path.h"

#include <stdio.h>
#include <string.h>

/* `wanted`: "NAME VERSION", "NAME", "" for one's own. */
static void assert_crate(const char *path, const char *wanted)
{
	char told[256];
	const struct crate_path c = crate_of_path(str_of(path));
	snprintf(told, sizeof told, STR_FMT "%s" STR_FMT, STR_ARG(c.name),
		 c.version.len > 0 ? " " : "", STR_ARG(c.version));
	assert_string_equal(told, wanted);
	assert_int_equal(c.kind == CRATE_OWN, wanted[0] == '\0');
}

static void assert_library(const char *path, const char *wanted)
{
	assert_crate(path, wanted);
	assert_int_equal(crate_of_path(str_of(path)).kind, CRATE_LIBRARY);
}

static void registries_state_a_version(void **state)
{
	(void)state;
	assert_crate("/home/me/.cargo/registry/src/index-6f17d22bba15001f/"
		     "regex-automata-0.4.3/src/util/pool.rs",
		     "regex-automata 0.4.3");
	assert_crate("C:\\Users\\me\\.cargo\\registry\\src\\index-1ecc6299db9ec823\\"
		     "bytes-1.2.1\\src\\lib.rs",
		     "bytes 1.2.1");
	assert_crate("/usr/share/cargo/registry/clap-2.34.0/src/app/help.rs", "clap 2.34.0");
	assert_crate("/build/fd-8.6/debian/cargo_registry/regex-1.7.0/src/dfa.rs", "regex 1.7.0");
	assert_crate("/rust/deps/toml-0.9.11+spec-1.1.0/src/de.rs", "toml 0.9.11+spec-1.1.0");
	assert_crate("/usr/share/cargo/registry/winapi-x86_64-pc-windows-gnu-0.4.0/src/lib.rs",
		     "winapi-x86_64-pc-windows-gnu 0.4.0");
}

static void copies_may_state_one(void **state)
{
	(void)state;
	assert_crate("/build/librsvg-2.54/vendor/encoding-index/src/lib.rs", "encoding-index");
	assert_crate("/usr/src/rustc-1.56.0/vendor/gimli-0.25.0/src/read/unit.rs", "gimli 0.25.0");
	assert_crate("vendor/time/src/lib.rs", "time");
}

static void bazel_puts_its_rule_in_front(void **state)
{
	(void)state;
	assert_crate("external/rules_rust++crate+crates_vendor__regex-syntax-0.8.11/src/ast/mod.rs",
		     "regex-syntax 0.8.11");
	assert_crate("external/crates__zlib-rs-0.6.8/src/inflate.rs", "zlib-rs 0.6.8");
	assert_crate("external/serde-1.0.1/src/lib.rs", "serde 1.0.1");
	assert_crate("external/x__-1.0.1/src/lib.rs", "x__ 1.0.1");
}

static void checkouts_have_a_hash(void **state)
{
	(void)state;
	assert_crate("/home/me/.cargo/git/checkouts/ring-1234567890abcdef/0a1b2c3/src/aead.rs",
		     "ring");
	assert_crate("/home/me/.cargo/git/checkouts/tokio-1234567890abcdef/0a1b2c3/tokio-util/src/"
		     "codec.rs",
		     "tokio-util");
	assert_crate("/x/git/checkouts/plain/0a1b2c3/lib.rs", "plain");
}

static void build_scripts_write_files(void **state)
{
	(void)state;
	assert_crate("/w/target/release/build/typenum-0123456789abcdef/out/consts.rs", "typenum");
	assert_crate("/w/build/short-01/out/consts.rs", "");
}

static void the_library_has_paths_of_its_own(void **state)
{
	(void)state;
	assert_library(
		"/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/str/mod.rs",
		"core");
	assert_library("/rustc/59807616e1fa\\library\\alloc\\src\\vec\\mod.rs", "alloc");
	assert_library("library/std/src/io/mod.rs", "std");
	assert_library("/usr/src/rustc-1.63.0/library/alloc/src/slice.rs", "alloc");
	assert_library("/rustc/0123456789abcdef/src/libstd/thread/local.rs", "std");
	assert_library("library/stdarch/crates/core_arch/src/x86/sse.rs", "core");
	assert_library("library/std/../backtrace/src/lib.rs", "std");
	assert_crate("library/proc_macro/src/bridge/client.rs", "proc_macro");
	assert_crate("/rustc/0123456789abcdef/compiler/rustc_span/src/lib.rs", "rustc_span");
}

static void other_files_are_of_the_folder_around_src(void **state)
{
	(void)state;
	assert_crate("src/main.rs", "");
	assert_crate("src/bin/cargo/commands/build.rs", "");
	assert_crate("main.rs", "");
	assert_crate("crates/core/main.rs", "");
	assert_crate("crates/core/src/main.rs", "");
	assert_crate("/usr/src/main.rs", "");
	assert_crate("crates/grep-cli/src/lib.rs", "grep-cli");
	assert_crate("/home/me/mylibrary/library/core/main.rs", "");
	assert_crate("/build/sd-0.7.6/src/main.rs", "sd 0.7.6");
	assert_crate("../../third_party/crabbyavif/src/src/parser/mp4box.rs", "crabbyavif");
	assert_crate("src/tools/clippy/clippy_lints/src/methods/mod.rs", "clippy_lints");
}

static void odd_paths_tell_nothing(void **state)
{
	char deep[4096];
	(void)state;
	assert_crate("", "");
	assert_crate("/", "");
	assert_crate("////registry", "");
	assert_crate("registry/src/index/name-1.0.0", "registry");
	assert_crate("git/checkouts/a-0123456789abcdef", "");
	assert_crate("build//out/", "");
	assert_crate("vendor", "");
	assert_crate("library/core", "");
	memset(deep, '/', sizeof deep);
	for (size_t i = 1; i < sizeof deep; i += 2)
		deep[i] = 'a';
	deep[sizeof deep - 1] = '\0';
	assert_crate(deep, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registries_state_a_version),
		cmocka_unit_test(copies_may_state_one),
		cmocka_unit_test(bazel_puts_its_rule_in_front),
		cmocka_unit_test(checkouts_have_a_hash),
		cmocka_unit_test(build_scripts_write_files),
		cmocka_unit_test(the_library_has_paths_of_its_own),
		cmocka_unit_test(other_files_are_of_the_folder_around_src),
		cmocka_unit_test(odd_paths_tell_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
