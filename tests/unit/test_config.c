#include "map/config.h"

#include "base/file.h"
#include "map/rules.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

/* After our headers: cmocka's fail() is a macro. */
#include <cmocka.h>

static struct config parse(const char *text)
{
	struct config c;
	struct heft_err err = { 0 };
	const bool fine = config_parse(&c, "f", str_of(text), &err);
	assert_string_equal(err.text, "");
	assert_true(fine);
	return c;
}

static void expect_error(const char *text, const char *expected)
{
	struct config c;
	struct heft_err err = { 0 };
	assert_false(config_parse(&c, "dir/f", str_of(text), &err));
	assert_int_equal(err.code, HEFT_EFORMAT);
	assert_string_equal(err.text, expected);
	assert_true(err.offset <= strlen(text));
	assert_false(config_parse(&c, "dir/f", str_of(text), NULL));
}

static void expect_reading(const char *literal, const char *expected)
{
	char text[200];
	snprintf(text, sizeof text, "source_filter: %s", literal);
	struct config c = parse(text);
	assert_string_equal(c.source_filter, expected);
	config_release(&c);
}

static void all_fields_are_read(void **state)
{
	(void)state;
	struct config c = parse("filename: 'a' filename: 'b'\n"
				"base_filename: 'c'\n"
				"debug_filename: 'd'\n"
				"source_map: 'e=f'\n"
				"dsym_path: 'g'\n"
				"data_source: 'sections' data_source: 'symbols'\n"
				"max_rows_per_level: 7\n"
				"demangle: DEMANGLE_FULL\n"
				"sort_by: SORTBY_VMSIZE\n"
				"verbose_level: 2\n"
				"debug_vmaddr: 0x1000\n"
				"debug_fileoff: 010\n"
				"disassemble_function: 'main'\n"
				"source_filter: 'x.*'\n"
				"dump_raw_map: true\n"
				"memory_region { name: 'a=b' origin: 0x10 length: 4096 }\n"
				"memory_region < name: 'c', length: 1 >\n");
	assert_int_equal(c.filenames.count, 2);
	assert_string_equal(c.filenames.data[1], "b");
	assert_string_equal(c.base_filenames.data[0], "c");
	assert_string_equal(c.debug_filenames.data[0], "d");
	assert_string_equal(c.source_maps.data[0], "e=f");
	assert_string_equal(c.dsym_paths.data[0], "g");
	assert_string_equal(c.data_sources.data[1], "symbols");
	assert_true(c.has_rows && c.rows == 7);
	assert_true(c.has_demangle && c.demangle == HEFT_NAMES_FULL);
	assert_true(c.has_sort && c.sort == HEFT_VM);
	assert_true(c.has_verbose && c.verbose == 2);
	assert_int_equal(c.debug_vmaddrs.data[0], 0x1000);
	assert_int_equal(c.debug_fileoffs.data[0], 8);
	assert_string_equal(c.disassemble, "main");
	assert_string_equal(c.source_filter, "x.*");
	assert_true(c.has_raw_map && c.raw_map);
	assert_int_equal(c.regions.count, 2);
	assert_string_equal(c.regions.data[0].name, "a=b");
	assert_int_equal(c.regions.data[0].origin, 16);
	assert_int_equal(c.regions.data[0].length, 4096);
	assert_int_equal(c.regions.data[1].length, 1);
	config_release(&c);
}

static void an_empty_file_sets_nothing(void **state)
{
	(void)state;
	static const char *const texts[] = { "", "\n\n", "# only a comment", " \t\r\n#x\n" };
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		struct config c = parse(texts[i]);
		assert_false(c.has_rows || c.has_demangle || c.has_sort || c.has_verbose ||
			     c.has_raw_map);
		assert_null(c.source_filter);
		assert_null(c.disassemble);
		assert_int_equal(c.filenames.count + c.sources.count, 0);
		config_release(&c);
	}
}

static void custom_sources_hold_rewrites_in_order(void **state)
{
	(void)state;
	struct config c = parse("custom_data_source {\n"
				"  name: \"one\"\n"
				"  base_data_source: \"sections\"\n"
				"  rewrite { pattern: \"^(\\\\.[a-z]+)\" replacement: \"\\\\1\" }\n"
				"  rewrite: { pattern: 'b', replacement: 'c'; };\n"
				"}\n"
				"custom_data_source < name: 'two' base_data_source: 'symbols' "
				"rewrite [ { pattern: 'x' }, < pattern: 'y' > ] >,");
	assert_int_equal(c.sources.count, 2);
	const struct config_source *one = &c.sources.data[0], *two = &c.sources.data[1];
	assert_string_equal(one->name, "one");
	assert_string_equal(one->base, "sections");
	assert_int_equal(one->rewrites.count, 2);
	assert_string_equal(one->rewrites.data[0].pattern, "^(\\.[a-z]+)");
	assert_string_equal(one->rewrites.data[0].replacement, "\\1");
	assert_string_equal(one->rewrites.data[1].pattern, "b");
	assert_string_equal(one->rewrites.data[1].replacement, "c");
	assert_string_equal(two->name, "two");
	assert_int_equal(two->rewrites.count, 2);
	assert_string_equal(two->rewrites.data[1].pattern, "y");
	assert_string_equal(two->rewrites.data[1].replacement, "");
	config_release(&c);
}

static void lists_give_repeated_fields_several_values(void **state)
{
	(void)state;
	struct config c = parse("filename: ['a', \"b\" 'c', 'd'] filename: [] filename: 'e'\n"
				"debug_vmaddr: [1, 0x2, 03]");
	assert_int_equal(c.filenames.count, 4);
	assert_string_equal(c.filenames.data[1], "bc");
	assert_string_equal(c.filenames.data[3], "e");
	assert_int_equal(c.debug_vmaddrs.count, 3);
	assert_int_equal(c.debug_vmaddrs.data[2], 3);
	config_release(&c);
}

static void strings_have_the_escapes_of_c(void **state)
{
	(void)state;
	expect_reading("'plain'", "plain");
	expect_reading("\"it's\"", "it's");
	expect_reading("'a\\'b\\\"c\\\\d\\?'", "a'b\"c\\d?");
	expect_reading("'\\a\\b\\f\\n\\r\\t\\v'", "\a\b\f\n\r\t\v");
	expect_reading("'\\101\\x42\\X4a\\7x'", "ABJ\ax");
	expect_reading("'\\x1bz'", "\x1bz");
	expect_reading("'\\xff\\377'", "\xff\xff");
	expect_reading("'\\u00e9\\U0001f600'", "\xc3\xa9\xf0\x9f\x98\x80");
	expect_reading("'a' # and\n  \"b\"\n'' 'c'", "abc");
	expect_reading("'# no comment'", "# no comment");
	expect_reading("''", "");
}

static void numbers_and_names_are_checked(void **state)
{
	(void)state;
	struct config c = parse("debug_vmaddr: 18446744073709551615 debug_vmaddr: "
				"0xFFFFffffFFFFffff max_rows_per_level: 4294967295 demangle: 0 "
				"sort_by: 2 dump_raw_map: f");
	assert_true(c.debug_vmaddrs.data[0] == UINT64_MAX);
	assert_true(c.debug_vmaddrs.data[1] == UINT64_MAX);
	assert_true(c.rows == UINT32_MAX);
	assert_true(c.has_demangle && c.demangle == HEFT_NAMES_RAW);
	assert_true(c.sort == HEFT_FILE);
	assert_true(c.has_raw_map && !c.raw_map);
	config_release(&c);
	expect_error("debug_vmaddr: 18446744073709551616",
		     "dir/f:1:15: a number here can be 18446744073709551615 at most");
	expect_error("max_rows_per_level: 4294967296",
		     "dir/f:1:21: a number here can be 4294967295 at most");
	expect_error("verbose_level: -1", "dir/f:1:16: a number here can't be negative");
	expect_error("verbose_level: 1x", "dir/f:1:16: \"1x\" is no number");
	expect_error("verbose_level: 08", "dir/f:1:16: \"08\" is no number");
	expect_error("verbose_level: 0x", "dir/f:1:16: \"0x\" is no number");
	expect_error("verbose_level: 'a'", "dir/f:1:16: expected a number");
	expect_error("dump_raw_map: yes", "dir/f:1:15: expected true or false");
	expect_error("dump_raw_map: 2", "dir/f:1:15: a number here can be 1 at most");
	expect_error("demangle: DEMANGLE_ALL",
		     "dir/f:1:11: no such value of demangle; there are DEMANGLE_NONE, "
		     "DEMANGLE_SHORT, DEMANGLE_FULL");
	expect_error("sort_by: 3", "dir/f:1:10: no such value of sort_by; there are SORTBY_BOTH, "
				   "SORTBY_VMSIZE, SORTBY_FILESIZE");
	expect_error("filename: 5", "dir/f:1:11: expected a string in quotes");
}

static void errors_tell_the_place(void **state)
{
	(void)state;
	expect_error("filename: 'a'\n  nonsense: 1",
		     "dir/f:2:3: unknown field \"nonsense\" of the configuration");
	expect_error("custom_data_source {\n  pattern: 'x'\n}",
		     "dir/f:2:3: unknown field \"pattern\" of custom_data_source");
	expect_error("custom_data_source {\n\tname: 'x'\n",
		     "dir/f:3:1: custom_data_source has no closing }");
	expect_error("custom_data_source { name: 'x' base_data_source: 'y' >",
		     "dir/f:1:54: expected the name of a field of custom_data_source");
	expect_error("custom_data_source: 'x'", "dir/f:1:21: expected { after custom_data_source");
	expect_error("custom_data_source { name: 'x' }\n",
		     "dir/f:2:1: the custom_data_source in line 1 has no base_data_source");
	expect_error("memory_region { name: 'x' }\n",
		     "dir/f:2:1: the memory_region in line 1 has no length");
	expect_error("memory_region { length: 1 }",
		     "dir/f:1:28: the memory_region in line 1 has no name");
	expect_error("custom_data_source { base_data_source: 'x' }",
		     "dir/f:1:45: the custom_data_source in line 1 has no name");
	expect_error("custom_data_source { name: 'a' base_data_source: 'b' rewrite {} }",
		     "dir/f:1:65: the rewrite in line 1 has no pattern");
	expect_error("filename 'a'", "dir/f:1:10: expected : after filename");
	expect_error("filename: ['a' 'b', ]", "dir/f:1:21: expected a string in quotes");
	expect_error("filename: ['a'", "dir/f:1:15: expected , or ] in the list of filename");
	expect_error("source_filter: ['a']", "dir/f:1:16: expected a string in quotes");
	expect_error("source_filter: 'a'\nsource_filter: 'b'",
		     "dir/f:2:1: source_filter is given a second time");
	expect_error("}", "dir/f:1:1: expected the name of a field of the configuration");
	expect_error("filename:", "dir/f:1:10: expected a string in quotes");
	expect_error("\xef\xbb\xbf",
		     "dir/f:1:1: expected the name of a field of the configuration");
}

static void broken_strings_are_errors(void **state)
{
	(void)state;
	expect_error("filename: 'a\n'", "dir/f:1:11: a string without its closing quote");
	expect_error("filename: \"a'", "dir/f:1:11: a string without its closing quote");
	expect_error("filename: 'a\\", "dir/f:1:14: unknown escape in a string");
	expect_error("filename: 'a\\q'", "dir/f:1:14: unknown escape in a string");
	expect_error("filename: 'a\\xg'", "dir/f:1:15: an escape without hexadecimal digits");
	expect_error("filename: '\\0'", "dir/f:1:14: a string can't hold a NUL byte");
	expect_error("filename: '\\u0000'", "dir/f:1:18: a string can't hold a NUL byte");
	expect_error("filename: '\\ud800'", "dir/f:1:18: no such Unicode character");
	expect_error("filename: '\\777'", "dir/f:1:16: an octal escape above \\377");
	/* After a good string and in the look-ahead of a closing sign. */
	expect_error("filename: 'a' 'b", "dir/f:1:15: a string without its closing quote");
	expect_error("custom_data_source { name: 'a' base_data_source: 'b' } 'x",
		     "dir/f:1:56: a string without its closing quote");
}

static void a_nul_in_the_file_is_an_error(void **state)
{
	(void)state;
	struct config c;
	struct heft_err err = { 0 };
	assert_false(config_parse(&c, "f", STR("filename: 'a\0'"), &err));
	assert_string_equal(err.text, "f:1:14: a string can't hold a NUL byte");
	assert_false(config_parse(&c, "f", STR("filename\0: 'a'"), &err));
	assert_string_equal(err.text, "f:1:9: expected : after filename");
}

static void no_text_at_all_is_an_empty_file(void **state)
{
	(void)state;
	struct config c;
	assert_true(config_parse(&c, "f", (struct str){ NULL, 0 }, NULL));
	config_release(&c);
}

/* ---- the shipped example ---------------------------------------------------- */

/* The source tree is where the compiler found this file. */
static void load_example(struct config *c)
{
	struct heft_err err = { 0 };
	struct file f;
	char path[1000];
	snprintf(path, sizeof path, "%s", __FILE__);
	char *cut = strstr(path, "tests/unit/");
	assert_non_null(cut);
	snprintf(cut, sizeof path - (size_t)(cut - path), "share/heft/custom_sources.bloaty");
	if (!file_open(&f, path, &err))
		fail_msg("%s", err.text);
	const struct str text = { (const char *)f.bytes.p, (size_t)f.bytes.size };
	if (!config_parse(c, path, text, &err))
		fail_msg("%s", err.text);
	file_close(&f);
}

static struct rules *rules_of(const struct config *c, const char *source)
{
	struct heft_err err = { 0 };
	for (size_t i = 0; i < c->sources.count; i++) {
		const struct config_source *s = &c->sources.data[i];
		if (strcmp(s->name, source) != 0)
			continue;
		struct rules *r = rules_new();
		for (size_t k = 0; k < s->rewrites.count; k++)
			if (!rules_add(r, str_of(s->rewrites.data[k].pattern),
				       str_of(s->rewrites.data[k].replacement), &err))
				fail_msg("%s", err.text);
		return r;
	}
	fail_msg("no source %s", source);
	return NULL;
}

struct example {
	const char *source, *label, *expected; /* NULL: stays */
};

static void the_shipped_sources_do_what_they_say(void **state)
{
	(void)state;
	static const struct example examples[] = {
		{ "class_or_namespace", "shapes::Circle::area", "shapes::Circle" },
		{ "class_or_namespace", "shapes::Circle::~Circle", "shapes::Circle" },
		{ "class_or_namespace", "vtable for shapes::Circle", "shapes::Circle" },
		{ "class_or_namespace", "shapes::operator==", "shapes" },
		{ "class_or_namespace", "main", NULL },
		{ "class_or_namespace", "[section .text]", NULL },
		{ "top_namespace", "std::vector<a::b>::push_back", "std" },
		{ "top_namespace", "typeinfo name for llvm::X", "llvm" },
		{ "top_namespace", "(anonymous namespace)::f", "(anonymous namespace)" },
		{ "top_namespace", "main", NULL },
		{ "section_prefix", ".text.unlikely.main", ".text" },
		{ "section_prefix", ".data.rel.ro.local", ".data.rel.ro" },
		{ "section_prefix", ".rodata.str1.1", ".rodata" },
		{ "section_prefix", ".text", NULL },
		{ "section_prefix", "[ELF Headers]", NULL },
		{ "stripped_sections", ".debug_info", "[stripped: debug info]" },
		{ "stripped_sections", ".symtab", "[stripped: symbol table]" },
		{ "stripped_sections", ".dynsym", NULL },
		{ "source_directory", "src/net/client.c", "src/net" },
		{ "source_directory", "main.c", NULL },
	};
	struct config c;
	load_example(&c);
	assert_int_equal(c.sources.count, 5);
	for (size_t i = 0; i < COUNT_OF(examples); i++) {
		struct text out = { 0 };
		struct rules *r = rules_of(&c, examples[i].source);
		const bool changed = rules_apply(r, str_of(examples[i].label), &out, NULL);
		text_add(&out, STR("\0"));
		assert_string_equal(changed ? out.p : examples[i].label,
				    examples[i].expected ? examples[i].expected
							 : examples[i].label);
		text_release(&out);
		rules_free(r);
	}
	config_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_fields_are_read),
		cmocka_unit_test(an_empty_file_sets_nothing),
		cmocka_unit_test(custom_sources_hold_rewrites_in_order),
		cmocka_unit_test(lists_give_repeated_fields_several_values),
		cmocka_unit_test(strings_have_the_escapes_of_c),
		cmocka_unit_test(numbers_and_names_are_checked),
		cmocka_unit_test(errors_tell_the_place),
		cmocka_unit_test(broken_strings_are_errors),
		cmocka_unit_test(a_nul_in_the_file_is_an_error),
		cmocka_unit_test(no_text_at_all_is_an_empty_file),
		cmocka_unit_test(the_shipped_sources_do_what_they_say),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
