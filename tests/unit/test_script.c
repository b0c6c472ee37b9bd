#include "image/script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static struct memory_regions regions;
static struct script_sections sections;
static struct notes notes;

static bool open_file(void *ctx, struct str name, struct str *ret)
{
	(void)ctx;
	if (!str_eq(name, STR("sub/mem-1.x")))
		return false;
	*ret = STR("ROM : ORIGIN = 0x100, LENGTH = 0x100\n");
	return true;
}

static void parse(const char *text)
{
	const struct script_files files = { open_file, NULL };
	regions_release(&regions);
	script_sections_release(&sections);
	notes_release(&notes);
	notes_init(&notes);
	script_regions(&regions, &sections, "x.ld", str_of(text), &files, &notes);
}

static int finish(void **state)
{
	(void)state;
	regions_release(&regions);
	script_sections_release(&sections);
	notes_release(&notes);
	return 0;
}

/* Region i is there. */
static void assert_region(size_t i, const char *name, uint64_t origin, uint64_t length)
{
	assert_true(i < regions.list.count);
	assert_string_equal(regions.list.data[i].name, name);
	assert_int_equal(regions.list.data[i].origin, origin);
	assert_int_equal(regions.list.data[i].length, length);
}

/* What an expression is. */
static void assert_value(const char *expression, uint64_t value)
{
	char text[256];
	snprintf(text, sizeof text,
		 "s = 5; MEMORY { A : ORIGIN = 16, LENGTH = 48 B : o = %s, l = 1 }", expression);
	parse(text);
	assert_int_equal(regions.list.count, 2);
	assert_region(1, "B", value, 1);
	assert_int_equal(notes.count, 0);
}

static void output_sections_without_bytes_are_told(void **state)
{
	(void)state;
	parse("MEMORY { A : ORIGIN = 0, LENGTH = 9 }\n"
	      "SECTIONS { . = 0; .text (0x10) : { KEEP(*(.v)) . = ALIGN(4); } > A =0xff\n"
	      "_size = DEFINED(x) ? 1 : 2; ASSERT(1, \"no (NOLOAD)\")\n"
	      ".data : AT (ADDR(.text)) { *(.data (NOLOAD)) } > A AT> A :p\n"
	      "bss (NOLOAD) : ALIGN(8) { } .heap (ORIGIN(A) + 1) (COPY) : { . += 4; } >A\n"
	      "PROVIDE(NOLOAD = .); OVERLAY : NOCROSSREFS { .a { } .b { } } > A\n"
	      "\".quoted\" (NOLOAD) : { } INCLUDE sub/mem-1.x .last (INFO) : { } }\n"
	      "s = 1; MEMORY { B : ORIGIN = s, LENGTH = 2 }");
	assert_int_equal(sections.list.count, 4);
	assert_string_equal(sections.list.data[0].name, "bss");
	assert_false(sections.list.data[0].gone);
	assert_string_equal(sections.list.data[1].name, ".heap");
	assert_true(sections.list.data[1].gone);
	assert_string_equal(sections.list.data[2].name, ".quoted");
	assert_true(script_section_find(&sections, STR(".last"))->gone);
	assert_null(script_section_find(&sections, STR(".data")));
	assert_int_equal(regions.list.count, 2);
	assert_int_equal(notes.count, 0);
}

static void regions_have_names_places_and_sizes(void **state)
{
	(void)state;
	parse("MEMORY\n{\n  FLASH (rx) : ORIGIN = 0x08000000, LENGTH = 128K /* all */\n"
	      "  RAM (!rx) : org = 0x20000000 len = 0x4000\n}\nSECTIONS { .x : { *(x) } > RAM }\n");
	assert_int_equal(regions.list.count, 2);
	assert_region(0, "FLASH", 0x08000000, 128 << 10);
	assert_region(1, "RAM", 0x20000000, 0x4000);
	assert_int_equal(notes.count, 0);
}

static void expressions_are_those_of_c(void **state)
{
	(void)state;
	assert_value("1 + 2 * 3", 7);
	assert_value("(1 + 2) * 3", 9);
	assert_value("10 - 3 - 2", 5);
	assert_value("1 << 4 | 3 & 2", 18);
	assert_value("1 << 4 >> 2", 4);
	assert_value("2 > 1 && 3 != 4 || 0", 1);
	assert_value("0 ? 1 : 2 ? 3 : 4", 3);
	assert_value("~0 & 0xff", 255);
	assert_value("-1 + 2", 1);
	assert_value("!5 + 7 % 4", 3);
	assert_value("6 ^ 3", 5);
}

static void numbers_may_have_units_and_bases(void **state)
{
	(void)state;
	assert_value("2K", 2048);
	assert_value("1M + 1m", 2 << 20);
	assert_value("017", 15);
	assert_value("0X1f", 31);
	assert_value("$1f", 31);
	assert_value("1fh", 31);
	assert_value("0", 0);
}

static void functions_know_regions_and_symbols(void **state)
{
	(void)state;
	assert_value("ORIGIN(A) + LENGTH ( A )", 64);
	assert_value("DEFINED(s) + DEFINED(nothing)", 1);
	assert_value("MAX(s, 3) + MIN(s, 3) + LOG2CEIL(9)", 12);
}

static void symbols_may_be_defined_behind_their_use(void **state)
{
	(void)state;
	parse("MEMORY { A : ORIGIN = at, LENGTH = size }\nat = 0x10; PROVIDE(size = at * 2);");
	assert_region(0, "A", 16, 32);
	assert_int_equal(notes.count, 0);
}

static void an_alias_stands_for_its_region(void **state)
{
	(void)state;
	parse("REGION_ALIAS(\"TEXT\", ROM) REGION_ALIAS(DATA, ROM);\n"
	      "MEMORY { ROM : ORIGIN = 4, LENGTH = 8 B : ORIGIN = ORIGIN(DATA) + LENGTH(TEXT), "
	      "LENGTH = 1 }");
	assert_int_equal(regions.list.count, 2);
	assert_region(1, "B", 12, 1);
}

static void files_are_included(void **state)
{
	(void)state;
	parse("MEMORY { INCLUDE sub/mem-1.x\n RAM : ORIGIN = 0x1000, LENGTH = 4K }");
	assert_int_equal(regions.list.count, 2);
	assert_region(0, "ROM", 0x100, 0x100);
	assert_region(1, "RAM", 0x1000, 4096);
	parse("INCLUDE nothing.x\nMEMORY { RAM : ORIGIN = 0x1000, LENGTH = 4K }");
	assert_int_equal(regions.list.count, 1);
	assert_int_equal(notes.count, 1);
}

static void what_is_not_understood_is_a_note_with_its_line(void **state)
{
	(void)state;
	parse("ENTRY(x)\n\nFOO(bar)\nMEMORY { A : ORIGIN = nothing, LENGTH = 1\n B : ORIGIN = 1, "
	      "LENGTH = 1 }");
	assert_int_equal(regions.list.count, 1);
	assert_region(0, "B", 1, 1);
	assert_int_equal(notes.count, 2);
	assert_non_null(strstr(notes.data[0].text, "line 3"));
	assert_non_null(strstr(notes.data[0].text, "'FOO'"));
	assert_non_null(strstr(notes.data[1].text, "'A'"));
}

static void a_script_that_ends_early_does_no_harm(void **state)
{
	static const char text[] =
		"x = 1 ? (2 : 3; MEMORY { A (rx) : ORIGIN = 4K, LENGTH = MAX(1, 2) } "
		"REGION_ALIAS(\"b\", A) PROVIDE(y = 4) INCLUDE z /* end */ \"s";
	(void)state;
	for (size_t n = 0; n < sizeof text; n++) {
		char part[sizeof text];
		memcpy(part, text, n);
		part[n] = '\0';
		parse(part);
	}
}

static void expressions_inside_each_other_have_a_limit(void **state)
{
	char text[20000] = "x = ";
	(void)state;
	for (size_t i = 4; i + 1 < sizeof text; i++)
		text[i] = "(1?"[i % 3];
	parse(text);
	memset(text + 4, '-', sizeof text - 5);
	parse(text);
	assert_int_equal(regions.list.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(output_sections_without_bytes_are_told),
		cmocka_unit_test(regions_have_names_places_and_sizes),
		cmocka_unit_test(expressions_are_those_of_c),
		cmocka_unit_test(numbers_may_have_units_and_bases),
		cmocka_unit_test(functions_know_regions_and_symbols),
		cmocka_unit_test(symbols_may_be_defined_behind_their_use),
		cmocka_unit_test(an_alias_stands_for_its_region),
		cmocka_unit_test(files_are_included),
		cmocka_unit_test(what_is_not_understood_is_a_note_with_its_line),
		cmocka_unit_test(a_script_that_ends_early_does_no_harm),
		cmocka_unit_test(expressions_inside_each_other_have_a_limit),
	};
	return cmocka_run_group_tests(tests, NULL, finish);
}
