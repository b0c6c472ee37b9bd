/* Sources of objects and what is made of them: compile_commands.json, build.ninja, paths of a
 * snapshot. */
#include "project/build_paths.h"
#include "compare/align_paths.h"
#include "snapshot/path_form.h"
#include "snapshot/set_paths.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "../lib/time_limit.h"

static char folder[] = "/tmp/heft-build-paths-XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

/* Reads one file of that name and content; it is removed again. */
static bool read_text(struct build_paths *b, const char *name, const char *text,
		      struct heft_err *err)
{
	char path[200];
	struct notes notes;
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	notes_init(&notes);
	const bool ok = build_paths_read(b, path, &notes, err);
	notes_release(&notes);
	unlink(path);
	build_paths_finish(b);
	return ok;
}

static void assert_source(const struct build_paths *b, const char *object, const char *source)
{
	const struct str found = build_paths_find(b, str_of(object));
	assert_int_equal(found.len, strlen(source));
	assert_memory_equal(found.p, source, found.len);
}

static const char commands[] =
	"[{\"directory\":\"/w/out\",\"file\":\"../src/a.c\",\"output\":\"obj/a.o\"},"
	" {\"directory\":\"/w/out\",\"file\":\"/w/src/b.c\",\"command\":\"cc -c ../src/b.c -o "
	"'obj/b.o'\"},"
	" {\"directory\":\"/w/out\",\"file\":\"../x/same.c\",\"arguments\":[\"cc\",\"-o\",\"x/"
	"same.o\",\"-c\"]},"
	" {\"directory\":\"/w/out\",\"file\":\"../y/same.c\",\"output\":\"y/same.o\"},"
	" {\"file\":\"no object\"}]";

static void compile_commands_name_objects_in_three_ways(void **state)
{
	struct build_paths b = { { { 0 } } };
	(void)state;
	assert_true(read_text(&b, "compile_commands.json", commands, NULL));
	assert_source(&b, "obj/a.o", "/w/src/a.c");
	assert_source(&b, "/w/out/obj/b.o", "/w/src/b.c");
	assert_source(&b, "x/same.o", "/w/x/same.c");
	build_paths_release(&b);
}

static void members_of_archives_are_found_by_their_tail(void **state)
{
	struct build_paths b = { { { 0 } } };
	(void)state;
	assert_true(read_text(&b, "compile_commands.json", commands, NULL));
	assert_source(&b, "lib/libz.a(a.o)", "/w/src/a.c");
	assert_source(&b, "../../out/y/same.o", "/w/y/same.c");
	assert_source(&b, "libz.a(same.o)", "");
	assert_source(&b, "unknown.o", "");
	build_paths_release(&b);
}

static void a_source_tells_its_object_where_there_is_one_only(void **state)
{
	struct build_paths b = { { { 0 } } };
	(void)state;
	assert_true(read_text(&b, "compile_commands.json", commands, NULL));
	assert_true(str_eq(build_paths_object(&b, STR("../src/a.c")), STR("/w/out/obj/a.o")));
	assert_int_equal(build_paths_object(&b, STR("same.c")).len, 0);
	build_paths_release(&b);
}

static void damaged_json_is_an_error_with_the_file(void **state)
{
	struct build_paths b = { { { 0 } } };
	struct heft_err err = { 0 };
	(void)state;
	assert_false(read_text(&b, "compile_commands.json", "[{\"file\":", &err));
	assert_int_equal(err.code, HEFT_EFORMAT);
	assert_non_null(strstr(err.text, "compile_commands.json"));
	build_paths_release(&b);
}

/* v30 stands for a gigabyte. */
static void ninja_variables_that_double_end(void **state)
{
	struct build_paths b = { 0 };
	struct heft_err err = { 0 };
	char text[2000];
	int at = snprintf(text, sizeof text, "v0 = x\n");
	(void)state;
	for (int i = 1; i <= 30; i++)
		at += snprintf(text + at, sizeof text - (size_t)at, "v%d = $v%d$v%d\n", i, i - 1,
			       i - 1);
	snprintf(text + at, sizeof text - (size_t)at, "build a.o: cc a$v30.c\n");
	time_limit(10);
	assert_true(read_text(&b, "build.ninja", text, &err));
	time_limit(0);
	build_paths_release(&b);
}

static void ninja_statements_give_output_and_first_input(void **state)
{
	struct build_paths b = { { { 0 } } };
	(void)state;
	assert_true(read_text(&b, "build.ninja",
			      "src = ../src\n"
			      "rule cc\n  command = cc $in -o $out\n"
			      "build obj/a.o: cc $src/a.c | header.h\n  flags = -O2\n"
			      "build obj/with$ blank.o: cc $\n   ${src}/b.c\n"
			      "build prog: link obj/a.o\n",
			      NULL));
	assert_source(&b, "obj/a.o", "/tmp/src/a.c");
	assert_source(&b, "obj/with blank.o", "/tmp/src/b.c");
	build_paths_release(&b);
}

/* ---- paths of a snapshot --------------------------------------------------------------------- */

static uint32_t add_symbol(struct snapshot *s, const char *object, const char *source)
{
	struct snap_symbol y = { .size = 1, .section = snapshot_section(s, 0, ".text") };
	y.object = intern_add(&s->texts, str_of(object));
	y.source = intern_add(&s->texts, str_of(source));
	vec_push(&s->symbols, y);
	return (uint32_t)(s->symbols.count - 1);
}

static void assert_paths(const struct snapshot *s, uint32_t symbol, const char *object,
			 const char *source)
{
	const struct snap_symbol *y = &s->symbols.data[symbol];
	assert_true(str_eq(snapshot_text(s, y->object), str_of(object)));
	assert_true(str_eq(snapshot_text(s, y->source), str_of(source)));
}

static void the_build_counts_before_debug_info(void **state)
{
	struct build_paths b = { { { 0 } } };
	struct snapshot s;
	(void)state;
	assert_true(read_text(&b, "compile_commands.json", commands, NULL));
	snapshot_init(&s);
	vec_push(&s.containers, (struct snap_container){ .name = "" });
	const uint32_t built = add_symbol(&s, "obj/a.o", "from/dwarf.c");
	const uint32_t other = add_symbol(&s, "other.o", "from/dwarf.c");
	const uint32_t thin = add_symbol(&s, "cache/llvmcache-0123", "/w/src/a.c");
	const uint32_t rust = add_symbol(&s, "/r/lib/rustlib/t/lib/libgimli.rlib(x.o)", "");
	snapshot_set_paths(&s, &b, NULL, NULL);
	assert_paths(&s, built, "a.o", "/w/src/a.c");
	assert_paths(&s, other, "other.o", "from/dwarf.c");
	assert_paths(&s, thin, "/w/a.o", "/w/src/a.c");
	assert_paths(&s, rust, "/r/lib/rustlib/t/lib/libgimli.rlib/x.o",
		     "(Rust stdlib)/libgimli.rlib");
	snapshot_release(&s);
	build_paths_release(&b);
}

static void prefixes_are_replaced_before_components_are_asked_for(void **state)
{
	static const char table[] = "/src/ core\n/base/ objects\n";
	struct components c = { 0 };
	struct paths paths = { 0 };
	struct snapshot s;
	(void)state;
	components_parse(&c, (struct bytes){ (const uint8_t *)table, sizeof table - 1 });
	assert_true(paths_add_strip(&paths, STR("/w"), NULL));
	snapshot_init(&s);
	vec_push(&s.containers, (struct snap_container){ .name = "" });
	const uint32_t both = add_symbol(&s, "/w/obj/a.o", "/w/src/a.c");
	const uint32_t object = add_symbol(&s, "/w/obj/base/a.o", "");
	const uint32_t none = add_symbol(&s, "", "");
	snapshot_set_paths(&s, NULL, &paths, &c);
	assert_paths(&s, both, "a.o", "src/a.c");
	assert_true(str_eq(snapshot_text(&s, s.symbols.data[both].component), STR("core")));
	assert_true(str_eq(snapshot_text(&s, s.symbols.data[object].component), STR("objects")));
	assert_int_equal(s.symbols.data[none].component, 0);
	snapshot_release(&s);
	paths_release(&paths);
	components_close(&c);
}

static void assert_form(const char *path, const char *build, bool object, const char *form,
			bool generated)
{
	struct text out = { 0 };
	bool is_generated;
	if (!path_form(&out, str_of(path), str_of(build), object, &is_generated))
		text_set(&out, str_of(path));
	if (!str_eq(text_str(&out), str_of(form)) || is_generated != generated)
		fail_msg("%s: %.*s, generated %d", path, (int)out.len, out.p, is_generated);
	text_release(&out);
}

static void build_directories_are_taken_out_of_paths(void **state)
{
	static const struct {
		const char *path, *build;
		bool object;
		const char *form;
		bool generated;
	} forms[] = {
		{ "../../base/a.cc", "", false, "base/a.cc", false },
		{ "gen/proto/a.cc", "", false, "proto/a.cc", true },
		{ "src/main.rs/@/app.0a1b-cgu.3", "", false, "src/main.rs", false },
		{ "serde.c5a78273-cgu.0", "", true, "serde", false },
		{ "/w/tool-cgu.d/a.cc", "", false, "/w/tool-cgu.d/a.cc", false },
		{ "out/Release/gen/proto/a.cc", "", false, "proto/a.cc", true },
		{ "out/Release/clang_x64/gen/a.cc", "", false, "a.cc", true },
		{ "out/Release/made.cc", "", false, "made.cc", true },
		{ "/w/out/Release/gen/a.cc", "", false, "/w/a.cc", true },
		{ "/home/out/me/src/a.cc", "", false, "/home/out/me/src/a.cc", false },
		{ "/w/gen/a.cc", "", false, "/w/gen/a.cc", false },
		{ "generic/a.cc", "", false, "generic/a.cc", false },
		{ "out/a.cc", "", false, "out/a.cc", false },
		{ "$APK/gen/a.cc", "", false, "$APK/gen/a.cc", false },
		{ "(Rust stdlib)/x", "", false, "(Rust stdlib)/x", false },
		{ "", "/w/b", false, "", false },
		{ "gen/", "", false, "gen/", true },
		{ "obj/base/a.o", "", true, "base/a.o", false },
		{ "out/Debug/obj/base/a.o", "", true, "base/a.o", false },
		{ "/w/out/Debug/obj/base/a.o", "", true, "/w/base/a.o", false },
		{ "../../prebuilt/a.o", "", true, "prebuilt/a.o", false },
		{ "lib/a.o", "", true, "lib/a.o", false },
		{ "/w/b/moc/a.cc", "/w/b", false, "/w/moc/a.cc", true },
		{ "/w/b2/moc/a.cc", "/w/b", false, "/w/b2/moc/a.cc", false },
		{ "/w/out/x/gen/a.cc", "/w/out/x", false, "/w/a.cc", true },
		{ "b/moc/a.cc", "b", false, "moc/a.cc", true },
		{ "/w/b", "/w/b", false, "/w/b", false },
	};
	(void)state;
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		assert_form(forms[i].path, forms[i].build, forms[i].object, forms[i].form,
			    forms[i].generated);
}

static void what_the_build_made_is_told_by_where_it_lies(void **state)
{
	static const char outside[] =
		"[{\"directory\":\"/w/b\",\"file\":\"../a.c\",\"output\":\"a.o\"},"
		"{\"directory\":\"/w/b\",\"file\":\"../c.c\",\"output\":\"c.o\"},"
		"{\"directory\":\"/w/b\",\"file\":\"moc/g.c\",\"output\":\"g.o\"}]";
	static const char inside[] =
		"[{\"directory\":\"/w/b\",\"file\":\"a.c\",\"output\":\"a.o\"},"
		"{\"directory\":\"/w/b/sub\",\"file\":\"b.c\",\"output\":\"b.o\"},"
		"{\"directory\":\"/w/b\",\"file\":\"/usr/src/t.c\",\"output\":\"t.o\"}]";
	struct build_paths b = { { { 0 } } };
	struct snapshot s;
	(void)state;
	assert_true(read_text(&b, "compile_commands.json", outside, NULL));
	assert_true(str_eq(build_paths_dir(&b), STR("/w/b")));
	snapshot_init(&s);
	vec_push(&s.containers, (struct snap_container){ .name = "" });
	const uint32_t written = add_symbol(&s, "a.o", "");
	const uint32_t made = add_symbol(&s, "g.o", "");
	snapshot_set_paths(&s, &b, NULL, NULL);
	assert_paths(&s, written, "a.o", "/w/a.c");
	assert_paths(&s, made, "g.o", "/w/moc/g.c");
	assert_false(s.symbols.data[written].flags & SNAP_GENERATED);
	assert_true(s.symbols.data[made].flags & SNAP_GENERATED);
	snapshot_release(&s);
	build_paths_release(&b);
	b = (struct build_paths){ { { 0 } } };
	assert_true(read_text(&b, "compile_commands.json", inside, NULL));
	assert_int_equal(build_paths_dir(&b).len, 0);
	build_paths_release(&b);
}

static void a_symbol_of_many_objects_becomes_one_with_what_the_paths_share(void **state)
{
	enum { MANY = 60, FEW = 40 };
	struct snapshot s;
	char object[40], source[40];
	(void)state;
	snapshot_init(&s);
	vec_push(&s.containers, (struct snap_container){ .name = "" });
	for (unsigned i = 0; i < MANY + FEW; i++) {
		snprintf(object, sizeof object, "obj/base/%u/x.o", i);
		snprintf(source, sizeof source, "gen/base/%u/x.cc", i);
		source[i == 7 ? 0 : strlen(source)] = '\0';
		const uint32_t at = add_symbol(&s, object, source);
		s.symbols.data[at].addr = i < MANY ? 0x1000 : 0x2000;
		s.symbols.data[at].size = 8;
	}
	snapshot_set_paths(&s, NULL, NULL, NULL);
	assert_int_equal(s.symbols.count, FEW + 1);
	assert_paths(&s, 0, "base/{shared}/50-99", "base/{shared}/50-99");
	assert_false(s.symbols.data[0].flags & SNAP_GENERATED); /* not all of them are */
	assert_true(s.symbols.data[1].flags & SNAP_GENERATED);
	snapshot_release(&s);
}

static void fill(struct snapshot *s, const char *const *paths, size_t count)
{
	snapshot_init(s);
	vec_push(&s->containers, (struct snap_container){ .name = "" });
	for (size_t i = 0; i < count; i++)
		(void)add_symbol(s, "a.o", paths[i]);
}

static void the_same_sources_in_two_directories_have_the_same_paths(void **state)
{
	static const char *const first[] = { "/w/one/src/a.c", "/w/one/src/b.c", "/w/one/lib/a.c",
					     "/usr/src/libc/x.c", "gen.c" };
	static const char *const second[] = { "/home/two/src/b.c", "/home/two/lib/a.c",
					      "/home/two/src/a.c", "/usr/src/libc/x.c",
					      "/home/two/new.c" };
	static const char *const other[] = { "/home/else/main.c" };
	struct text roots[2] = { { 0 } };
	struct snapshot a, b;
	(void)state;
	fill(&a, first, sizeof first / sizeof *first);
	fill(&b, second, sizeof second / sizeof *second);
	assert_true(align_find(&a, &b, roots));
	assert_true(str_eq(text_str(&roots[0]), STR("/w/one")));
	assert_true(str_eq(text_str(&roots[1]), STR("/home/two")));
	assert_false(align_find(&a, &a, roots));
	align_apply(&a, STR("/w/one"));
	assert_paths(&a, 2, "a.o", "lib/a.c");
	assert_paths(&a, 3, "a.o", "/usr/src/libc/x.c");
	assert_paths(&a, 4, "a.o", "gen.c");
	snapshot_release(&b);
	fill(&b, other, 1);
	assert_false(align_find(&a, &b, roots));
	snapshot_release(&a);
	snapshot_release(&b);
	text_release(&roots[0]);
	text_release(&roots[1]);
}

static bool aligned(const char *const *before, const char *const *after, size_t count)
{
	struct text roots[2] = { { 0 } };
	struct snapshot a, b;
	fill(&a, before, count);
	fill(&b, after, count);
	const bool found = align_find(&a, &b, roots);
	snapshot_release(&a);
	snapshot_release(&b);
	text_release(&roots[0]);
	text_release(&roots[1]);
	return found;
}

static void libraries_that_were_built_elsewhere_are_no_votes(void **state)
{
	static const char *const first[] = { "/tmp/one/a.c", "/tmp/one/b.c", "/usr/src/libc/x.c",
					     "/usr/src/libc/y.c", "/usr/src/libc/z.c" };
	static const char *const second[] = { "/tmp/two/a.c", "/tmp/two/b.c", "/usr/src/libc/x.c",
					      "/usr/src/libc/y.c", "/usr/src/libc/z.c" };
	(void)state;
	assert_true(aligned(first, second, 5));
}

static void a_folder_that_was_renamed_is_no_build_directory(void **state)
{
	static const char *const first[] = { "/w/src/one/a.c", "/w/src/one/b.c", "/w/src/c.c",
					     "/w/src/net/d.c" };
	static const char *const second[] = { "/w/src/two/a.c", "/w/src/two/b.c", "/w/src/c.c",
					      "/w/src/net/d.c" };
	(void)state;
	assert_false(aligned(first, second, 4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compile_commands_name_objects_in_three_ways),
		cmocka_unit_test(members_of_archives_are_found_by_their_tail),
		cmocka_unit_test(a_source_tells_its_object_where_there_is_one_only),
		cmocka_unit_test(damaged_json_is_an_error_with_the_file),
		cmocka_unit_test(ninja_variables_that_double_end),
		cmocka_unit_test(ninja_statements_give_output_and_first_input),
		cmocka_unit_test(the_build_counts_before_debug_info),
		cmocka_unit_test(prefixes_are_replaced_before_components_are_asked_for),
		cmocka_unit_test(build_directories_are_taken_out_of_paths),
		cmocka_unit_test(the_same_sources_in_two_directories_have_the_same_paths),
		cmocka_unit_test(libraries_that_were_built_elsewhere_are_no_votes),
		cmocka_unit_test(a_folder_that_was_renamed_is_no_build_directory),
		cmocka_unit_test(what_the_build_made_is_told_by_where_it_lies),
		cmocka_unit_test(a_symbol_of_many_objects_becomes_one_with_what_the_paths_share),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
