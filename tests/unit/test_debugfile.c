/* Separate debug files in a temporary folder. */
#define _XOPEN_SOURCE 700 /* mkdtemp, nftw, setenv */

#include "../lib/elfgen.h"
#include "image/debugfile.h"

#include "base/file.h"
#include "image/elf/elf_const.h"

#include <setjmp.h>
#include <stdarg.h>
#include <ftw.h>
#include <isa-l.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <cmocka.h>

struct scene {
	char dir[64];
	struct arena arena;
	struct notes notes;
};

static const char *in_dir(struct scene *s, const char *name)
{
	return arena_format(&s->arena, "%s/%s", s->dir, name);
}

static void begin(struct scene *s)
{
	memset(s, 0, sizeof *s);
	strcpy(s->dir, "/tmp/heft-debugfile-XXXXXX");
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
	nftw(s->dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	notes_release(&s->notes);
	arena_release(&s->arena);
}

static const char *write_file(struct scene *s, const char *name, struct bytes b)
{
	const char *path = in_dir(s, name);
	for (char *slash = strchr(path + strlen(s->dir) + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(path, 0777);
		*slash = '/';
	}
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(b.p, 1, (size_t)b.size, f), b.size);
	fclose(f);
	return path;
}

/* An image with a build id of 3 bytes, the last of them `id` (none if 0), and a debug link. */
static struct bytes make_image(uint8_t id, const char *link, uint32_t crc, const void *debugdata,
			       size_t debugdata_size)
{
	const uint8_t note[] = { 4, 0, 0,   0,   3,   0, 0,    0,    3,  0,
				 0, 0, 'G', 'N', 'U', 0, 0xab, 0xcd, id, 0 };
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	if (id)
		elfgen_section(&g, ".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, 0x100, note,
			       sizeof note);
	if (link) {
		struct elfgen_out o = { 0 };
		elfgen_put_bytes(&o, link, strlen(link) + 1);
		while (o.bytes.count % 4)
			elfgen_put(&o, 1, 0);
		elfgen_put(&o, 4, crc);
		elfgen_section(&g, ".gnu_debuglink", SHT_PROGBITS, 0, 0, o.bytes.data,
			       o.bytes.count);
		vec_release(&o.bytes);
	}
	if (debugdata)
		elfgen_section(&g, ".gnu_debugdata", SHT_PROGBITS, 0, 0, debugdata, debugdata_size);
	return elfgen_finish(&g);
}

static const char *put_image(struct scene *s, const char *name, uint8_t id, const char *link,
			     uint32_t crc)
{
	const struct bytes b = make_image(id, link, crc, NULL, 0);
	const char *path = write_file(s, name, b);
	mem_free((void *)(uintptr_t)b.p);
	return path;
}

static uint32_t crc_of(uint8_t id)
{
	const struct bytes b = make_image(id, NULL, 0, NULL, 0);
	const uint32_t crc = crc32_gzip_refl(0, b.p, b.size);
	mem_free((void *)(uintptr_t)b.p);
	return crc;
}

/* What is found for the image at `path` with the scene's folder "given" as a place to look. */
static void expect_found(struct scene *s, const char *path, const char *want)
{
	struct input in;
	const char *dirs[] = { in_dir(s, "given") };
	const struct debug_search how = { .dirs = dirs, .dir_count = 1, .debuginfod = true };
	assert_true(input_open(&in, path, USE_SIZE, NULL, NULL));
	char *found = debugfile_find(&in.images[0], &how, &s->notes);
	if (want)
		assert_string_equal(found, want);
	else
		assert_null(found);
	mem_free(found);
	input_close(&in);
}

static void the_build_id_tree_comes_first(void **state)
{
	(void)state;
	struct scene s;
	begin(&s);
	const char *image = put_image(&s, "bin/prog", 1, "prog.debug", 0);
	const char *beside = put_image(&s, "bin/prog.debug", 1, NULL, 0);
	expect_found(&s, image, beside);
	const char *tree = put_image(&s, "given/.build-id/ab/cd01.debug", 1, NULL, 0);
	expect_found(&s, image, tree);
	assert_int_equal(s.notes.count, 0);
	end(&s);
}

static void a_debug_link_is_looked_for_in_three_places(void **state)
{
	(void)state;
	struct scene s;
	begin(&s);
	const char *image = put_image(&s, "bin/prog", 0, "x.debug", crc_of(2));
	expect_found(&s, image, NULL);
	char *real = file_real_path(s.dir);
	const char *far = arena_format(&s.arena, "given%s/bin/x.debug", real);
	mem_free(real);
	far = put_image(&s, far, 2, NULL, 0);
	expect_found(&s, image, far);
	const char *sub = put_image(&s, "bin/.debug/x.debug", 2, NULL, 0);
	expect_found(&s, image, sub);
	const char *beside = put_image(&s, "bin/x.debug", 2, NULL, 0);
	expect_found(&s, image, beside);
	assert_int_equal(s.notes.count, 0);
	end(&s);
}

static void files_of_another_build_are_passed_over_with_a_note(void **state)
{
	(void)state;
	struct scene s;
	begin(&s);
	const char *image = put_image(&s, "prog", 1, "prog.debug", crc_of(2));
	put_image(&s, "prog.debug", 2, NULL, 0); /* the CRC is right, the build id is not */
	expect_found(&s, image, NULL);
	assert_int_equal(s.notes.count, 1);
	assert_non_null(strstr(s.notes.data[0].text, "build id differs"));
	const char *other = put_image(&s, "other", 0, "other.debug", 12345);
	put_image(&s, "other.debug", 0, NULL, 0);
	expect_found(&s, other, NULL);
	assert_int_equal(s.notes.count, 2);
	assert_non_null(strstr(s.notes.data[1].text, "CRC differs"));
	end(&s);
}

static void an_image_is_never_its_own_debug_file(void **state)
{
	(void)state;
	struct scene s;
	begin(&s);
	const char *image = put_image(&s, "given/.build-id/ab/cd01.debug", 1, "cd01.debug", 0);
	expect_found(&s, image, NULL);
	end(&s);
}

static void a_damaged_link_or_file_is_noted(void **state)
{
	(void)state;
	struct scene s;
	begin(&s);
	const char *image = put_image(&s, "prog", 0, "../prog.debug", 1);
	expect_found(&s, image, NULL);
	assert_non_null(strstr(s.notes.data[0].text, ".gnu_debuglink is damaged"));
	image = put_image(&s, "prog2", 0, "junk", 1);
	write_file(&s, "junk", (struct bytes){ (const uint8_t *)"not ELF at all", 14 });
	expect_found(&s, image, NULL);
	assert_int_equal(s.notes.count, 2);
	end(&s);
}

static void debuginfod_is_asked_only_if_servers_are_named(void **state)
{
	(void)state;
	struct scene s;
	begin(&s);
	const char *image = put_image(&s, "prog", 7, NULL, 0);
	put_image(&s, "server/buildid/abcd07/debuginfo", 7, NULL, 0);
	setenv("DEBUGINFOD_CACHE_PATH", in_dir(&s, "cache"), 1);
	unsetenv("DEBUGINFOD_URLS");
	expect_found(&s, image, NULL);
	setenv("DEBUGINFOD_URLS", arena_format(&s.arena, "file://%s/server", s.dir), 1);
	struct input in;
	const struct debug_search how = { .debuginfod = true }, off = { 0 };
	assert_true(input_open(&in, image, USE_SIZE, NULL, NULL));
	char *found = debugfile_find(&in.images[0], &off, &s.notes);
	assert_null(found);
	found = debugfile_find(&in.images[0], &how, &s.notes);
	if (found) /* else libdebuginfod.so.1 is not installed */
		assert_ptr_equal(strstr(found, in_dir(&s, "cache")), found);
	else
		print_message("no debuginfod here\n");
	mem_free(found);
	input_close(&in);
	unsetenv("DEBUGINFOD_URLS");
	end(&s);
}

static void mini_debug_info_is_unpacked(void **state)
{
	(void)state;
	uint8_t packed[4096];
	size_t size = 0;
	const struct bytes inner = make_image(9, NULL, 0, NULL, 0);
	assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, inner.p,
						 (size_t)inner.size, packed, &size, sizeof packed),
			 LZMA_OK);
	const struct bytes outer = make_image(1, NULL, 0, packed, size);
	struct input in, mini;
	void *owned;
	assert_true(input_parse(&in, "prog", outer, NULL, NULL));
	assert_true(debugdata_open(&in.images[0], &mini, &owned));
	assert_int_equal(mini.images[0].build_id.p[2], 9);
	input_close(&mini);
	mem_free(owned);
	input_close(&in);
	mem_free((void *)(uintptr_t)outer.p);
	mem_free((void *)(uintptr_t)inner.p);
}

static void damaged_mini_debug_info_is_noted(void **state)
{
	(void)state;
	struct notes notes;
	notes_init(&notes);
	const struct bytes outer = make_image(1, NULL, 0, "no xz data", 10);
	struct input in, mini;
	void *owned;
	assert_true(input_parse(&in, "prog", outer, &notes, NULL));
	assert_false(debugdata_open(&in.images[0], &mini, &owned));
	assert_null(owned);
	assert_int_equal(notes.count, 1);
	input_close(&in);
	notes_release(&notes);
	mem_free((void *)(uintptr_t)outer.p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_build_id_tree_comes_first),
		cmocka_unit_test(a_debug_link_is_looked_for_in_three_places),
		cmocka_unit_test(files_of_another_build_are_passed_over_with_a_note),
		cmocka_unit_test(an_image_is_never_its_own_debug_file),
		cmocka_unit_test(a_damaged_link_or_file_is_noted),
		cmocka_unit_test(debuginfod_is_asked_only_if_servers_are_named),
		cmocka_unit_test(mini_debug_info_is_unpacked),
		cmocka_unit_test(damaged_mini_debug_info_is_noted),
	};
	unsetenv("DEBUGINFOD_URLS");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
