/* Owners of paths, as CODEOWNERS files state them. */
#include "project/components.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char *owner(const char *table, const char *path)
{
	static char kept[100];
	struct components c = { 0 };
	components_parse(&c, (struct bytes){ (const uint8_t *)table, strlen(table) });
	snprintf(kept, sizeof kept, "%s", components_find(&c, str_of(path)));
	components_close(&c);
	return kept;
}

static void the_last_line_that_matches_counts(void **state)
{
	const char *table = "* all\n*.c c files\n/src/net/ net\n";
	(void)state;
	assert_string_equal(owner(table, "README"), "all");
	assert_string_equal(owner(table, "lib/a.c"), "c files");
	assert_string_equal(owner(table, "src/net/a.c"), "net");
	assert_string_equal(owner(table, "other/src/net/a.c"), "c files");
}

static void a_pattern_alone_takes_the_owner_away(void **state)
{
	const char *table = "*.c core\n/gen/\n";
	(void)state;
	assert_string_equal(owner(table, "gen/a.c"), "");
	assert_string_equal(owner(table, "src/a.c"), "core");
}

static void a_pattern_without_a_slash_matches_at_every_depth(void **state)
{
	(void)state;
	assert_string_equal(owner("third_party/ vendored\n", "a/b/third_party/c/d.c"), "vendored");
	assert_string_equal(owner("third_party vendored\n", "third_party/d.c"), "vendored");
	assert_string_equal(owner("third_party vendored\n", "third_party_not/d.c"), "");
}

static void one_star_stops_at_slashes_and_two_do_not(void **state)
{
	(void)state;
	assert_string_equal(owner("/src/*.c x\n", "src/a.c"), "x");
	assert_string_equal(owner("/src/*.c x\n", "src/b/a.c"), "");
	assert_string_equal(owner("/src/**/a.c x\n", "src/b/c/a.c"), "x");
	assert_string_equal(owner("/src/?.c x\n", "src/a.c"), "x");
	assert_string_equal(owner("/src/?.c x\n", "src/ab.c"), "");
}

static void comments_and_empty_lines_are_skipped(void **state)
{
	(void)state;
	assert_string_equal(owner("# *.c no\n\n   \n*.c   two   words  # why\n", "a.c"),
			    "two words");
	assert_string_equal(owner("", "a.c"), "");
	assert_string_equal(owner("*.c last", "a.c"), "last");
}

static void a_pattern_of_many_stars_ends(void **state)
{
	char path[2001], table[] = "/a*a*a*a*a*a*a*a*a*a*a*a*b x\n";
	(void)state;
	memset(path, 'a', sizeof path - 1);
	path[sizeof path - 1] = '\0';
	assert_string_equal(owner(table, path), "");
}

static void put(const char *folder, const char *name, const char *text)
{
	char path[200];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void patterns_that_decide_about_nothing_are_noted(void **state)
{
	static const char table[] = "*.c core\n/gone/ nobody\n*.zig x\n";
	struct components c = { 0 };
	struct notes notes;
	(void)state;
	notes_init(&notes);
	components_parse(&c, (struct bytes){ (const uint8_t *)table, sizeof table - 1 });
	components_find(&c, STR("a.c"));
	components_note_unused(&c, &notes);
	assert_int_equal(notes.count, 1);
	assert_string_equal(notes.data[0].text,
			    "2 of 3 patterns decide about no source path, such as 'gone'");
	components_find(&c, STR("gone/a.zig"));
	components_find(&c, STR("gone/a"));
	notes_release(&notes);
	notes_init(&notes);
	components_note_unused(&c, &notes);
	assert_int_equal(notes.count, 0);
	notes_release(&notes);
	components_close(&c);
}

static void files_of_the_tree_tell_components_of_their_folders(void **state)
{
	static const char *const folders[] = { "net", "net/dns", "net/dns/deep", "ui", "loop" };
	static const char *const files[] = { "net/DIR_METADATA", "net/dns/DIR_METADATA",
					     "ui/DIR_METADATA", "COMMON", "loop/DIR_METADATA" };
	char root[] = "/tmp/heft-components-XXXXXX", path[200];
	struct components c;
	struct heft_err err;
	(void)state;
	assert_non_null(mkdtemp(root));
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		snprintf(path, sizeof path, "%s/%s", root, folders[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	put(root, files[0], "# comment\nmonorail {\n  component: \"Net\"\n}\n");
	put(root, files[1], "team_email: \"x\"\nmixins: \"//COMMON\"\n");
	put(root, files[2], "os: LINUX");
	put(root, files[3], "\n\tcomponent:   \"Net>DNS\" }");
	put(root, files[4],
	    "mixins: \"//loop/DIR_METADATA\"\nmixins: \"//loop/DIR_METADATA\"\n"
	    "mixins: \"//loop/DIR_METADATA\"\n");
	assert_true(components_open(&c, root, &err));
	assert_string_equal(components_find(&c, STR("net/a.cc")), "Net");
	assert_string_equal(components_find(&c, STR("net/dns/deep/a.cc")), "Net>DNS");
	snprintf(path, sizeof path, "%s/net/dns/b.cc", root);
	assert_string_equal(components_find(&c, str_of(path)), "Net>DNS");
	assert_string_equal(components_find(&c, STR("ui/a.cc")), "");
	assert_string_equal(components_find(&c, STR("loop/a.cc")), "");
	assert_string_equal(components_find(&c, STR("/usr/src/net/a.cc")), "");
	assert_string_equal(components_find(&c, STR("a.cc")), "");
	components_close(&c);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		snprintf(path, sizeof path, "%s/%s", root, files[i]);
		unlink(path);
	}
	for (size_t i = sizeof folders / sizeof *folders; i-- > 0;) {
		snprintf(path, sizeof path, "%s/%s", root, folders[i]);
		rmdir(path);
	}
	assert_int_equal(rmdir(root), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_that_decide_about_nothing_are_noted),
		cmocka_unit_test(the_last_line_that_matches_counts),
		cmocka_unit_test(a_pattern_alone_takes_the_owner_away),
		cmocka_unit_test(a_pattern_without_a_slash_matches_at_every_depth),
		cmocka_unit_test(one_star_stops_at_slashes_and_two_do_not),
		cmocka_unit_test(comments_and_empty_lines_are_skipped),
		cmocka_unit_test(a_pattern_of_many_stars_ends),
		cmocka_unit_test(files_of_the_tree_tell_components_of_their_folders),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
