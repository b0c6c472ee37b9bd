#include "source/library_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static void assert_library(const char *unit, const char *wanted)
{
	const struct str got = library_name(str_of(unit));
	assert_int_equal(got.len, strlen(wanted));
	assert_memory_equal(got.p, wanted, got.len);
}

static void a_member_is_of_its_archive(void **state)
{
	(void)state;
	assert_library("/usr/lib/thumb/libc_nano.a(lib_a-memcpy.o)", "libc_nano.a");
	assert_library("libgcc.a(_udivdi3.o)", "libgcc.a");
	assert_library("out/liba.a(sub/b.o)", "liba.a");
	assert_library("../lib/libm.a/s_sin.o", "libm.a");
	assert_library("libm.a/s_sin.o", "libm.a");
	assert_library("src/.a/x.o", "src/.a");
}

static void what_link_time_optimization_made_is_of_no_directory(void **state)
{
	(void)state;
	assert_library("/tmp/ccESrw1U.ltrans0.ltrans.o", "(link-time optimization)");
	assert_library("app.elf.lto.o", "(link-time optimization)");
	assert_library("build/core.lto.a(wiring.o)", "core.lto.a");
}

static void code_of_rust_is_of_its_crate(void **state)
{
	(void)state;
	assert_library("target/deps/libserde-0123456789abcdef.rlib(serde-0123.serde.1.rcgu.o)",
		       "serde");
	assert_library("libcortex_m.rlib(x.o)", "cortex_m");
	assert_library("deps/libserde-0123456789abcdef.rlib/serde.o", "serde");
	assert_library("deps/libserde.rlib", "deps");
	assert_library("src/main.rs/@/blinky.8a7c-cgu.0", "blinky");
}

static void objects_of_cmake_are_of_their_target(void **state)
{
	(void)state;
	assert_library("app/CMakeFiles/app.dir/src/main.c.obj", "app");
	assert_library("CMakeFiles/no-such/main.c.obj", "CMakeFiles/no-such");
}

static void other_objects_are_of_their_directory(void **state)
{
	(void)state;
	assert_library("build/drivers/uart.o", "build/drivers");
	assert_library("main.o", ".");
	assert_library("/main.o", ".");
	assert_library("", ".");
	assert_library("libc.so.6", "libc.so.6");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_member_is_of_its_archive),
		cmocka_unit_test(what_link_time_optimization_made_is_of_no_directory),
		cmocka_unit_test(code_of_rust_is_of_its_crate),
		cmocka_unit_test(objects_of_cmake_are_of_their_target),
		cmocka_unit_test(other_objects_are_of_their_directory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
