/* Archives of every make: each byte belongs to one image or part. */
#include "../lib/elfgen.h"
#include "image/elf/elf_const.h"
#include "image/input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

struct archive {
	struct elfgen_out out;
	struct input in;
	struct notes notes;
};

static struct archive begin(bool thin)
{
	struct archive a = { 0 };
	elfgen_put_bytes(&a.out, thin ? "!<thin>\n" : "!<arch>\n", 8);
	return a;
}

static void put_header(struct archive *a, const char *name, size_t size)
{
	char header[80];
	snprintf(header, sizeof header, "%-16s%-12d%-6d%-6d%-8s%-10zu`\n", name, 0, 0, 0, "644",
		 size);
	elfgen_put_bytes(&a->out, header, 60);
}

static void put_member(struct archive *a, const char *name, const void *data, size_t size)
{
	put_header(a, name, size);
	elfgen_put_bytes(&a->out, data, size);
	if (size & 1)
		elfgen_put_bytes(&a->out, "\n", 1);
}

static void put_text(struct archive *a, const char *name, const char *text)
{
	put_member(a, name, text, strlen(text));
}

static struct bytes object(void)
{
	struct elfgen g = elfgen_make(32, false, ET_REL, EM_386);
	elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, "abcd", 4);
	return elfgen_finish(&g);
}

static void put_object(struct archive *a, const char *name)
{
	const struct bytes b = object();
	put_member(a, name, b.p, (size_t)b.size);
	mem_free((void *)(uintptr_t)b.p);
}

static void open_archive(struct archive *a)
{
	struct heft_err err = { 0 };
	notes_init(&a->notes);
	if (!input_parse(&a->in, "x.a", (struct bytes){ a->out.bytes.data, a->out.bytes.count },
			 &a->notes, &err))
		fail_msg("%s", err.text);
	assert_true(a->in.archive);
}

static uint64_t bytes_of(const struct archive *a, enum ar_part_kind kind)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < a->in.parts.count; i++)
		if (a->in.parts.data[i].kind == kind)
			sum += a->in.parts.data[i].size;
	return sum;
}

static void close_archive(struct archive *a)
{
	uint64_t sum = bytes_of(a, AR_HEADERS) + bytes_of(a, AR_SYMBOL_TABLE) +
		       bytes_of(a, AR_OTHER_MEMBER);
	for (size_t i = 0; i < a->in.image_count; i++)
		sum += a->in.images[i].bytes.size;
	assert_int_equal(sum, a->out.bytes.count);
	input_close(&a->in);
	notes_release(&a->notes);
	vec_release(&a->out.bytes);
}

static void expect_image(const struct archive *a, size_t i, const char *name)
{
	assert_true(i < a->in.image_count);
	const struct image *im = &a->in.images[i];
	if (!str_eq(im->member, str_of(name)))
		fail_msg("member %zu is " STR_FMT, i, STR_ARG(im->member));
	assert_memory_equal(a->out.bytes.data + im->file_off, "\177ELF", 4);
	/* Sections are numbered through all members. */
	assert_int_equal(im->sections[1].addr >> OBJECT_SECTION_SHIFT, 1 + i * im->section_count);
}

static void gnu_archives_have_short_and_long_names(void **state)
{
	(void)state;
	struct archive a = begin(false);
	put_text(&a, "/", "\0\0\0\0symbols");
	put_text(&a, "//", "a_long_name_of_a_member.o/\nanother_long_name_of_one.txt/\n");
	put_object(&a, "short.o/");
	put_object(&a, "/0");
	put_text(&a, "/27", "odd");
	open_archive(&a);
	assert_int_equal(a.in.image_count, 2);
	expect_image(&a, 0, "short.o");
	expect_image(&a, 1, "a_long_name_of_a_member.o");
	assert_int_equal(bytes_of(&a, AR_OTHER_MEMBER), 3);
	assert_int_equal(a.notes.count, 0);
	const struct ar_part *part = &a.in.parts.data[a.in.parts.count - 2];
	assert_int_equal(part->kind, AR_OTHER_MEMBER);
	assert_true(str_eq(part->member, STR("another_long_name_of_one.txt")));
	close_archive(&a);
}

static void symbol_tables_of_every_kind_are_known(void **state)
{
	(void)state;
	static const char *const names[] = { "/", "/SYM64/", "__.SYMDEF", "__.SYMDEF SORTED" };
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		struct archive a = begin(false);
		put_text(&a, names[i], "1234");
		put_text(&a, names[i], "12"); /* COFF has two */
		put_object(&a, "x.o/");
		open_archive(&a);
		assert_int_equal(bytes_of(&a, AR_SYMBOL_TABLE), 6);
		assert_int_equal(a.in.image_count, 1);
		close_archive(&a);
	}
}

static void bsd_names_stand_before_the_contents(void **state)
{
	(void)state;
	struct archive a = begin(false);
	const struct bytes b = object();
	put_header(&a, "#1/20", 24);
	elfgen_put_bytes(&a.out, "__.SYMDEF SORTED\0\0\0\0xxxx", 24);
	put_header(&a, "#1/12", 12 + (size_t)b.size);
	elfgen_put_bytes(&a.out, "my object.o\0", 12);
	elfgen_put_bytes(&a.out, b.p, (size_t)b.size);
	open_archive(&a);
	assert_int_equal(bytes_of(&a, AR_SYMBOL_TABLE), 4);
	assert_int_equal(a.in.image_count, 1);
	expect_image(&a, 0, "my object.o");
	assert_int_equal(a.in.images[0].bytes.size, b.size);
	mem_free((void *)(uintptr_t)b.p);
	close_archive(&a);
}

static void expect_outside(const struct archive *a, size_t i, const char *path, uint64_t origin)
{
	assert_true(str_eq(a->in.outside.data[i].path, str_of(path)));
	assert_int_equal(a->in.outside.data[i].origin, origin);
}

static void members_of_thin_archives_lie_outside(void **state)
{
	(void)state;
	struct archive a = begin(true);
	put_text(&a, "/", "abcd");
	put_text(&a, "//", "dir/one.o/\nlib.a/\n");
	put_header(&a, "/0", 123456);
	put_header(&a, "two.o/", 99);
	put_header(&a, "/11:77", 5);
	put_header(&a, "/0             /", 5); /* GNU ar, of a name of 15 characters */
	put_header(&a, "/11:78         /", 5);
	open_archive(&a);
	assert_true(a.in.thin);
	assert_int_equal(a.in.image_count, 0);
	assert_int_equal(a.in.outside.count, 5);
	expect_outside(&a, 0, "dir/one.o", 0);
	expect_outside(&a, 1, "two.o", 0);
	expect_outside(&a, 2, "lib.a", 77);
	expect_outside(&a, 3, "dir/one.o", 0);
	expect_outside(&a, 4, "lib.a", 78);
	assert_int_equal(a.notes.count, 0);
	close_archive(&a);
}

static void members_of_other_kinds_are_kept_as_such(void **state)
{
	(void)state;
	struct archive a = begin(false);
	put_text(&a, "bitcode.o/", "BC\300\336....");
	put_text(&a, "broken.o/", "\177ELF\3");
	put_object(&a, "good.o/");
	open_archive(&a);
	assert_int_equal(bytes_of(&a, AR_OTHER_MEMBER), 8 + 5);
	assert_int_equal(a.in.image_count, 1);
	expect_image(&a, 0, "good.o");
	assert_int_equal(a.notes.count, 1);
	assert_non_null(strstr(a.notes.data[0].text, "x.a(broken.o)"));
	close_archive(&a);
}

static void archives_inside_give_their_members(void **state)
{
	(void)state;
	struct archive inner = begin(false), a = begin(false);
	put_text(&inner, "text/", "odd");
	put_object(&inner, "one.o/");
	put_member(&a, "inner.a/", inner.out.bytes.data, inner.out.bytes.count);
	put_text(&a, "empty.a/", "!<arch>\n");
	put_text(&a, "thin.a/", "!<thin>\n");
	put_object(&a, "two.o/");
	open_archive(&a);
	assert_int_equal(a.in.image_count, 2);
	expect_image(&a, 0, "inner.a(one.o)");
	expect_image(&a, 1, "two.o");
	assert_int_equal(bytes_of(&a, AR_OTHER_MEMBER), 3 + 8);
	assert_int_equal(a.notes.count, 0);
	close_archive(&a);
	vec_release(&inner.out.bytes);
}

static void a_damaged_header_ends_the_walk(void **state)
{
	(void)state;
	struct archive a = begin(false);
	put_object(&a, "good.o/");
	put_object(&a, "lost.o/");
	const size_t each = (a.out.bytes.count - 8) / 2;
	a.out.bytes.data[8 + each + 58] = 'x'; /* the second header's end mark */
	open_archive(&a);
	assert_int_equal(a.in.image_count, 1);
	assert_int_equal(a.notes.count, 1);
	assert_non_null(strstr(a.notes.data[0].text, "damaged archive header"));
	close_archive(&a);
}

static void a_member_cut_off_is_read_as_far_as_it_goes(void **state)
{
	(void)state;
	struct archive a = begin(false);
	put_header(&a, "text/", 1000);
	elfgen_put_bytes(&a.out, "only this", 9);
	open_archive(&a);
	assert_int_equal(bytes_of(&a, AR_OTHER_MEMBER), 9);
	assert_int_equal(a.notes.count, 1);
	assert_int_equal(a.notes.data[0].bytes, 991);
	close_archive(&a);
}

static void an_empty_archive_is_one(void **state)
{
	(void)state;
	struct archive a = begin(false);
	open_archive(&a);
	assert_int_equal(a.in.image_count, 0);
	assert_int_equal(a.in.parts.count, 1);
	close_archive(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gnu_archives_have_short_and_long_names),
		cmocka_unit_test(symbol_tables_of_every_kind_are_known),
		cmocka_unit_test(bsd_names_stand_before_the_contents),
		cmocka_unit_test(members_of_thin_archives_lie_outside),
		cmocka_unit_test(members_of_other_kinds_are_kept_as_such),
		cmocka_unit_test(archives_inside_give_their_members),
		cmocka_unit_test(a_damaged_header_ends_the_walk),
		cmocka_unit_test(a_member_cut_off_is_read_as_far_as_it_goes),
		cmocka_unit_test(an_empty_archive_is_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
