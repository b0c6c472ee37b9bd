/* A program with what belongs to it, in a temporary folder. */
#define _XOPEN_SOURCE 700 /* mkdtemp, nftw */

#include "../lib/elfgen.h"
#include "image/elf/elf_const.h"
#include "program/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <cmocka.h>

struct scene {
	char dir[64];
	struct arena arena;
	struct notes notes;
	struct program_wish wish;
	struct program program;
	struct heft_err err;
};

static const char *in_dir(struct scene *s, const char *name)
{
	return arena_format(&s->arena, "%s/%s", s->dir, name);
}

static void begin(struct scene *s)
{
	memset(s, 0, sizeof *s);
	strcpy(s->dir, "/tmp/heft-program-XXXXXX");
	assert_non_null(mkdtemp(s->dir));
	notes_init(&s->notes);
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void end(struct scene *s)
{
	program_close(&s->program);
	wish_release(&s->wish);
	nftw(s->dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	notes_release(&s->notes);
	arena_release(&s->arena);
}

static const char *write_bytes(struct scene *s, const char *name, const void *p, size_t size)
{
	const char *path = in_dir(s, name);
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(p, 1, size, f), size);
	fclose(f);
	return path;
}

/* An image with a build id that ends in `id` (none if 0) and a section .text of `size` bytes. */
static const char *write_image(struct scene *s, const char *name, uint8_t id, uint64_t size)
{
	const uint8_t note[] = { 4, 0, 0,   0,   3,   0, 0,    0,    3,  0,
				 0, 0, 'G', 'N', 'U', 0, 0xab, 0xcd, id, 0 };
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	if (id)
		elfgen_section(&g, ".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, 0x100, note,
			       sizeof note);
	elfgen_load(&g, PF_R | PF_X,
		    elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000,
				   NULL, size));
	const struct bytes b = elfgen_finish(&g);
	const char *path = write_bytes(s, name, b.p, b.size);
	mem_free((void *)(uintptr_t)b.p);
	return path;
}

/* GNU ld's map of such an image. */
static const char *write_map(struct scene *s, const char *name, unsigned size, const char *object)
{
	const char *text = arena_format(&s->arena,
					"Linker script and memory map\n\n"
					".text           0x0000000000001000       0x%x\n"
					" .text          0x0000000000001000       0x%x %s\n",
					size, size, object);
	return write_bytes(s, name, text, strlen(text));
}

static bool open_scene(struct scene *s, const char *path)
{
	program_close(&s->program);
	return program_open_alone(&s->program, path, USE_SIZE, &s->wish, &s->notes, &s->err);
}

static void expect_map(struct scene *s, const char *object)
{
	const struct linkmap *map = program_map(&s->program);
	assert_non_null(map);
	assert_true(str_eq(linkmap_object(map, map->pieces.data[0].object), str_of(object)));
}

/* ---- debug files ---------------------------------------------------------------------------- */

static void a_debug_file_given_by_hand_is_used_if_its_build_id_is_the_same(void **state)
{
	struct scene s;
	(void)state;
	begin(&s);
	const char *path = write_image(&s, "a", 1, 8);
	wish_add(&s.wish, &s.wish.debug_files, write_image(&s, "a.dbg", 1, 8));
	assert_true(open_scene(&s, path));
	assert_non_null(program_debug(&s.program, false));
	assert_string_equal(program_debug_path(&s.program), in_dir(&s, "a.dbg"));
	wish_add(&s.wish, &s.wish.debug_files, write_image(&s, "b.dbg", 2, 8));
	assert_false(open_scene(&s, path));
	assert_non_null(
		strstr(s.err.text, "b.dbg: no input has this debug file's build ID abcd02"));
	end(&s);
}

static void a_second_debug_file_is_an_error(void **state)
{
	struct scene s;
	(void)state;
	begin(&s);
	const char *path = write_image(&s, "a", 1, 8);
	wish_add(&s.wish, &s.wish.debug_files, write_image(&s, "a.dbg", 1, 8));
	wish_add(&s.wish, &s.wish.debug_files, write_image(&s, "a2.dbg", 1, 8));
	assert_false(open_scene(&s, path));
	assert_non_null(strstr(s.err.text, "a2.dbg: a second debug file"));
	end(&s);
}

static void a_debug_file_without_a_build_id_has_sections_in_the_same_places(void **state)
{
	struct scene s;
	(void)state;
	begin(&s);
	const char *path = write_image(&s, "a", 1, 8);
	wish_add(&s.wish, &s.wish.debug_files, write_image(&s, "same.dbg", 0, 8));
	assert_true(open_scene(&s, path));
	assert_string_equal(program_debug_path(&s.program), in_dir(&s, "same.dbg"));
	assert_non_null(strstr(s.notes.data[0].text, "since sections agree"));
	wish_release(&s.wish);
	wish_add(&s.wish, &s.wish.debug_files, write_image(&s, "other.dbg", 0, 16));
	assert_false(open_scene(&s, path));
	assert_non_null(strstr(s.err.text, "other.dbg: has no build ID"));
	end(&s);
}

static void one_of_several_programs_may_have_the_debug_file(void **state)
{
	struct scene s;
	bool used[1] = { false };
	(void)state;
	begin(&s);
	const char *a = write_image(&s, "a", 1, 8), *b = write_image(&s, "b", 2, 8);
	wish_add(&s.wish, &s.wish.debug_files, write_image(&s, "b.dbg", 2, 8));
	assert_true(program_open(&s.program, a, USE_SIZE, &s.wish, &s.notes, &s.err));
	program_mark_used(&s.program, used);
	assert_null(program_debug(&s.program, true));
	assert_false(program_check_used(&s.wish, used, &s.err));
	program_close(&s.program);
	assert_true(program_open(&s.program, b, USE_SIZE, &s.wish, &s.notes, &s.err));
	program_mark_used(&s.program, used);
	assert_true(program_check_used(&s.wish, used, &s.err));
	end(&s);
}

/* ---- linker maps ---------------------------------------------------------------------------- */

static void a_map_beside_the_program_is_found_with_and_without_its_suffix(void **state)
{
	struct scene s;
	(void)state;
	begin(&s);
	const char *path = write_image(&s, "fw.elf", 0, 0x40);
	assert_true(open_scene(&s, path));
	assert_null(program_map(&s.program));
	write_map(&s, "fw.map", 0x40, "short.o");
	assert_true(open_scene(&s, path));
	expect_map(&s, "short.o");
	write_map(&s, "fw.elf.map", 0x40, "long.o");
	assert_true(open_scene(&s, path));
	expect_map(&s, "long.o");
	s.wish.flags = HEFT_FIND_NO_MAP;
	assert_true(open_scene(&s, path));
	assert_null(program_map(&s.program));
	assert_int_equal(s.notes.count, 0);
	end(&s);
}

static void another_file_with_the_name_of_a_map_is_passed_over(void **state)
{
	struct scene s;
	(void)state;
	begin(&s);
	const char *path = write_image(&s, "libx.so", 0, 0x40);
	write_bytes(&s, "libx.map", "{ global: *; };\n", 16);
	assert_true(open_scene(&s, path));
	assert_null(program_map(&s.program));
	assert_int_equal(s.notes.count, 0);
	write_bytes(&s, "libx.so.map", "{ global: *; };\n", 16);
	assert_true(open_scene(&s, path));
	assert_null(program_map(&s.program));
	assert_non_null(strstr(s.notes.data[0].text, "not used"));
	end(&s);
}

static void of_several_maps_the_one_that_agrees_is_used(void **state)
{
	struct scene s;
	(void)state;
	begin(&s);
	const char *a = write_image(&s, "a", 0, 0x40), *b = write_image(&s, "b", 0, 0x50);
	wish_add(&s.wish, &s.wish.maps, write_map(&s, "1", 0x40, "a.o"));
	wish_add(&s.wish, &s.wish.maps, write_map(&s, "2", 0x50, "b.o"));
	s.wish.flags = HEFT_FIND_NO_MAP;
	assert_true(open_scene(&s, a));
	expect_map(&s, "a.o");
	assert_true(open_scene(&s, b));
	expect_map(&s, "b.o");
	assert_int_equal(s.notes.count, 0);
	assert_true(open_scene(&s, write_image(&s, "c", 0, 0x60)));
	assert_null(program_map(&s.program));
	assert_non_null(strstr(s.notes.data[0].text, "no section is where it says"));
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_debug_file_given_by_hand_is_used_if_its_build_id_is_the_same),
		cmocka_unit_test(a_second_debug_file_is_an_error),
		cmocka_unit_test(a_debug_file_without_a_build_id_has_sections_in_the_same_places),
		cmocka_unit_test(one_of_several_programs_may_have_the_debug_file),
		cmocka_unit_test(a_map_beside_the_program_is_found_with_and_without_its_suffix),
		cmocka_unit_test(another_file_with_the_name_of_a_map_is_passed_over),
		cmocka_unit_test(of_several_maps_the_one_that_agrees_is_used),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
