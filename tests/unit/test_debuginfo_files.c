/* The files that DWARF refers to, in a temporary folder: split units, packages, supplementary
 * files. */
#define _XOPEN_SOURCE 700 /* mkdtemp, nftw */

#include "../lib/elfgen.h"
#include "image/elf/elf_const.h"
#include "program/debuginfo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <cmocka.h>

/* ---- files ---------------------------------------------------------------------------------- */

static uint32_t add(struct elfgen *g, const char *name, const void *data, uint64_t size)
{
	return elfgen_section(g, name, SHT_PROGBITS, 0, 0, data, size);
}

struct scene {
	char dir[64];
	struct arena arena;
	struct notes notes;
	struct input in;
	struct debuginfo d;
	struct abbrev_cache cache;
};

static const char *in_dir(struct scene *s, const char *name)
{
	return arena_format(&s->arena, "%s/%s", s->dir, name);
}

static void scene_begin(struct scene *s)
{
	memset(s, 0, sizeof *s);
	strcpy(s->dir, "/tmp/heft-debuginfo-XXXXXX");
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

static void scene_end(struct scene *s)
{
	nftw(s->dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	notes_release(&s->notes);
	arena_release(&s->arena);
}

static void write_file(struct scene *s, const char *name, struct elfgen *g)
{
	struct bytes b = elfgen_finish(g);
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
	mem_free((void *)(uintptr_t)b.p);
}

static void open_image(struct scene *s, const char *name, const char *dir)
{
	struct heft_err err = { 0 };
	if (!input_open(&s->in, in_dir(s, name), USE_SIZE, &s->notes, &err))
		fail_msg("%s", err.text);
	const struct debug_search how = { .dirs = &dir, .dir_count = dir ? 1 : 0 };
	debuginfo_open(&s->d, &s->in.images[0], &how, &s->notes);
}

static void close_image(struct scene *s)
{
	abbrev_cache_release(&s->cache);
	memset(&s->cache, 0, sizeof s->cache);
	debuginfo_close(&s->d);
	input_close(&s->in);
}

static const struct heft_note *find_note(const struct scene *s, const char *words)
{
	for (size_t i = 0; i < s->notes.count; i++)
		if (strstr(s->notes.data[i].text, words))
			return &s->notes.data[i];
	return NULL;
}

/* ---- split units ---------------------------------------------------------------------------- */

static void put_length(struct elfgen_out *o)
{
	elfgen_poke((struct bytes){ o->bytes.data, o->bytes.count }, 0, 4, false,
		    o->bytes.count - 4);
}

static void put_text(struct elfgen_out *o, const char *text)
{
	elfgen_put_bytes(o, text, strlen(text) + 1);
}

/* Abbreviation 1: a unit without children and two texts (and in version 4 the id). */
static void put_abbrevs(struct elfgen *g, const char *name, uint16_t version, bool skeleton)
{
	struct elfgen_out o = { 0 };
	const bool four = version == 4;
	elfgen_put_uleb(&o, 1);
	elfgen_put_uleb(&o, skeleton && !four ? DW_TAG_skeleton_unit : DW_TAG_compile_unit);
	elfgen_put(&o, 1, 0);
	elfgen_put_uleb(&o, !skeleton ? DW_AT_name : four ? DW_AT_GNU_dwo_name : DW_AT_dwo_name);
	elfgen_put_uleb(&o, DW_FORM_string);
	elfgen_put_uleb(&o, DW_AT_comp_dir);
	elfgen_put_uleb(&o, DW_FORM_string);
	if (four) {
		elfgen_put_uleb(&o, DW_AT_GNU_dwo_id);
		elfgen_put_uleb(&o, DW_FORM_data8);
	}
	elfgen_put(&o, 3, 0);
	add(g, name, o.bytes.data, o.bytes.count);
	vec_release(&o.bytes);
}

static void put_unit(struct elfgen_out *o, uint16_t version, uint8_t type, uint64_t id,
		     const char *name, const char *dir)
{
	struct elfgen_out u = { 0 };
	elfgen_put(&u, 4, 0);
	elfgen_put(&u, 2, version);
	if (version == 5) {
		elfgen_put(&u, 1, type);
		elfgen_put(&u, 1, 8);
		elfgen_put(&u, 4, 0);
		elfgen_put(&u, 8, id);
	} else {
		elfgen_put(&u, 4, 0);
		elfgen_put(&u, 1, 8);
	}
	elfgen_put_uleb(&u, 1);
	put_text(&u, name);
	put_text(&u, dir);
	if (version == 4)
		elfgen_put(&u, 8, id);
	put_length(&u);
	elfgen_put_bytes(o, u.bytes.data, u.bytes.count);
	vec_release(&u.bytes);
}

/* An image with skeletons of the ids 1..count, all of one .dwo file. */
static void write_skeletons(struct scene *s, const char *name, uint16_t version, int count,
			    const char *dwo, const char *comp_dir)
{
	struct elfgen g = elfgen_make(64, false, ET_EXEC, EM_X86_64);
	struct elfgen_out o = { 0 };
	for (int i = 1; i <= count; i++)
		put_unit(&o, version, DW_UT_skeleton, (uint64_t)i, dwo, comp_dir);
	add(&g, ".debug_info", o.bytes.data, o.bytes.count);
	put_abbrevs(&g, ".debug_abbrev", version, true);
	vec_release(&o.bytes);
	write_file(s, name, &g);
}

/* A .dwo file with units of the ids count..1. */
static void write_dwo(struct scene *s, const char *name, uint16_t version, int count)
{
	struct elfgen g = elfgen_make(64, false, ET_REL, EM_X86_64);
	struct elfgen_out o = { 0 };
	for (int i = count; i >= 1; i--)
		put_unit(&o, version, DW_UT_split_compile, (uint64_t)i, name, "");
	add(&g, ".debug_info.dwo", o.bytes.data, o.bytes.count);
	put_abbrevs(&g, ".debug_abbrev.dwo", version, false);
	vec_release(&o.bytes);
	write_file(s, name, &g);
}

/* Skeleton `i` from 0. */
static struct unit skeleton(struct scene *s, int i)
{
	struct unit u;
	uint64_t off = 0;
	for (int k = 0; k <= i; k++)
		assert_true(unit_next(&s->d.dwarf, DW_INFO, &off, &u));
	assert_true(unit_open(&u, &s->cache, NULL));
	return u;
}

static void expect_split(struct scene *s, int i, const char *name)
{
	struct unit sk = skeleton(s, i), u;
	assert_true(debuginfo_split(&s->d, &sk, &u));
	assert_true(u.dwarf->split);
	assert_true(unit_open(&u, &s->cache, &sk));
	assert_int_equal(u.signature, i + 1);
	assert_true(str_eq(u.name, str_of(name)));
}

static void dwo_files_are_found_beside_the_image(void **state)
{
	(void)state;
	for (uint16_t version = 4; version <= 5; version++) {
		struct scene s;
		scene_begin(&s);
		write_skeletons(&s, "a", version, 3, "b.dwo", "/nowhere");
		write_dwo(&s, "b.dwo", version, 3);
		open_image(&s, "a", NULL);
		for (int i = 2; i >= 0; i--)
			expect_split(&s, i, "b.dwo");
		assert_int_equal(s.notes.count, 0);
		close_image(&s);
		scene_end(&s);
	}
}

static void dwo_files_are_found_where_they_were_made(void **state)
{
	(void)state;
	struct scene s;
	scene_begin(&s);
	write_skeletons(&s, "a", 5, 1, "sub/b.dwo", in_dir(&s, "made"));
	write_dwo(&s, "made/sub/b.dwo", 5, 1);
	write_dwo(&s, "sub/b.dwo", 5, 1);
	open_image(&s, "a", NULL);
	expect_split(&s, 0, "made/sub/b.dwo");
	close_image(&s);

	write_skeletons(&s, "c", 5, 1, in_dir(&s, "made/sub/b.dwo"), "/nowhere");
	open_image(&s, "c", NULL);
	expect_split(&s, 0, "made/sub/b.dwo");
	close_image(&s);
	scene_end(&s);
}

static void a_dwo_file_of_another_build_is_passed_over(void **state)
{
	(void)state;
	struct scene s;
	scene_begin(&s);
	write_skeletons(&s, "a", 5, 2, "b.dwo", in_dir(&s, "old"));
	write_dwo(&s, "old/b.dwo", 5, 1);
	write_dwo(&s, "b.dwo", 5, 2);
	open_image(&s, "a", NULL);
	expect_split(&s, 0, "old/b.dwo");
	expect_split(&s, 1, "b.dwo"); /* not in the first */
	assert_non_null(find_note(&s, "belongs to another build"));
	close_image(&s);
	scene_end(&s);
}

static void one_file_by_two_paths_is_passed_over_once(void **state)
{
	(void)state;
	struct scene s;
	struct unit u;
	scene_begin(&s);
	write_skeletons(&s, "a", 5, 2, "b.dwo", in_dir(&s, "."));
	write_dwo(&s, "b.dwo", 5, 1);
	open_image(&s, "a", NULL);
	struct unit sk = skeleton(&s, 1);
	assert_false(debuginfo_split(&s.d, &sk, &u));
	assert_int_equal(s.notes.count, 1);
	assert_int_equal(s.notes.data[0].count, 1);
	assert_int_equal(s.notes.data[0].bytes, sk.size);
	close_image(&s);
	scene_end(&s);
}

static void missing_split_units_are_one_note(void **state)
{
	(void)state;
	struct scene s;
	struct unit u;
	uint64_t bytes = 0;
	scene_begin(&s);
	write_skeletons(&s, "a", 5, 3, "b.dwo", "/nowhere");
	open_image(&s, "a", NULL);
	for (int i = 0; i < 3; i++) {
		struct unit sk = skeleton(&s, i);
		bytes += sk.size;
		assert_false(debuginfo_split(&s.d, &sk, &u));
	}
	assert_int_equal(s.notes.count, 1);
	assert_non_null(strstr(s.notes.data[0].text, "/a.dwp"));
	assert_non_null(strstr(s.notes.data[0].text, "/nowhere/b.dwo"));
	assert_int_equal(s.notes.data[0].count, 3);
	assert_int_equal(s.notes.data[0].bytes, bytes);
	close_image(&s);
	scene_end(&s);
}

static void a_dwo_file_that_is_none_is_a_note(void **state)
{
	(void)state;
	struct scene s;
	struct unit u;
	scene_begin(&s);
	write_skeletons(&s, "a", 5, 1, "b.dwo", "");
	FILE *f = fopen(in_dir(&s, "b.dwo"), "wb");
	assert_non_null(f);
	fputs("no object file", f);
	fclose(f);
	open_image(&s, "a", NULL);
	struct unit sk = skeleton(&s, 0);
	assert_false(debuginfo_split(&s.d, &sk, &u));
	assert_non_null(find_note(&s, "cannot be read"));
	close_image(&s);
	scene_end(&s);
}

static void open_with_given(struct scene *s, const char *name, const char *const *files,
			    size_t count)
{
	struct heft_err err = { 0 };
	const struct debug_search how = { .files = files, .file_count = count };
	if (!input_open(&s->in, in_dir(s, name), USE_SIZE, &s->notes, &err))
		fail_msg("%s", err.text);
	debuginfo_open(&s->d, &s->in.images[0], &how, &s->notes);
}

static void dwo_files_may_be_given_by_hand(void **state)
{
	(void)state;
	struct scene s;
	scene_begin(&s);
	write_skeletons(&s, "a", 5, 2, "b.dwo", "/nowhere");
	write_skeletons(&s, "plain", 5, 1, "b.dwo", "/nowhere");
	write_dwo(&s, "moved/away.dwo", 5, 2);
	const char *const files[] = { in_dir(&s, "plain"), in_dir(&s, "moved/away.dwo") };
	open_with_given(&s, "a", files, COUNT_OF(files));
	expect_split(&s, 0, "moved/away.dwo");
	expect_split(&s, 1, "moved/away.dwo");
	assert_int_equal(s.notes.count, 0);
	close_image(&s);
	scene_end(&s);
}

/* A package with units of the ids 1..count, each with its part of the sections. */
static void write_package(struct scene *s, const char *name, uint16_t version, uint32_t count,
			  bool lies)
{
	struct elfgen g = elfgen_make(64, false, ET_REL, EM_X86_64);
	struct elfgen_out info = { 0 }, index = { 0 };
	uint64_t ends[9] = { 0 };
	for (uint32_t i = 1; i <= count; i++) {
		put_unit(&info, version, DW_UT_split_compile, lies ? i + 100 : i, name, "");
		ends[i] = info.bytes.count;
	}
	add(&g, ".debug_info.dwo", info.bytes.data, info.bytes.count);
	put_abbrevs(&g, ".debug_abbrev.dwo", version, false);
	const uint64_t abbrev_size = g.sections.data[2].size;
	elfgen_put(&index, 4, version == 4 ? 2 : 5);
	elfgen_put(&index, 4, 2);
	elfgen_put(&index, 4, count);
	elfgen_put(&index, 4, 16);
	for (uint32_t i = 0; i < 16; i++)
		elfgen_put(&index, 8, i <= count ? i : 0);
	for (uint32_t i = 0; i < 16; i++)
		elfgen_put(&index, 4, i <= count ? i : 0);
	elfgen_put(&index, 4, 1);
	elfgen_put(&index, 4, 3);
	for (uint32_t i = 1; i <= count; i++) {
		elfgen_put(&index, 4, ends[i - 1]);
		elfgen_put(&index, 4, 0);
	}
	for (uint32_t i = 1; i <= count; i++) {
		elfgen_put(&index, 4, ends[i] - ends[i - 1]);
		elfgen_put(&index, 4, abbrev_size);
	}
	add(&g, ".debug_cu_index", index.bytes.data, index.bytes.count);
	vec_release(&info.bytes);
	vec_release(&index.bytes);
	write_file(s, name, &g);
}

static void packages_may_be_given_by_hand(void **state)
{
	(void)state;
	struct scene s;
	scene_begin(&s);
	write_skeletons(&s, "a", 4, 2, "b.dwo", "");
	write_dwo(&s, "b.dwo", 4, 2);
	write_package(&s, "some.package", 4, 1, false);
	const char *const file = in_dir(&s, "some.package");
	open_with_given(&s, "a", &file, 1);
	expect_split(&s, 0, "some.package");
	expect_split(&s, 1, "b.dwo");
	assert_int_equal(s.notes.count, 0);
	close_image(&s);
	scene_end(&s);
}

static void packages_come_before_dwo_files(void **state)
{
	(void)state;
	for (uint16_t version = 4; version <= 5; version++) {
		struct scene s;
		struct unit u, again;
		scene_begin(&s);
		write_skeletons(&s, "a", version, 4, "b.dwo", "");
		write_dwo(&s, "b.dwo", version, 4);
		write_package(&s, "a.dwp", version, 3, false);
		open_image(&s, "a", NULL);
		expect_split(&s, 0, "a.dwp");
		expect_split(&s, 2, "a.dwp");
		expect_split(&s, 3, "b.dwo"); /* not in the package */
		struct unit sk = skeleton(&s, 1);
		assert_true(debuginfo_split(&s.d, &sk, &u));
		assert_true(debuginfo_split(&s.d, &sk, &again));
		assert_int_equal(u.off, 0);
		assert_ptr_equal(u.dwarf, again.dwarf);
		assert_int_equal(dwarf_bytes(u.dwarf, DW_INFO).size, u.size);
		assert_int_equal(s.notes.count, 0);
		close_image(&s);
		scene_end(&s);
	}
}

static void a_package_of_the_program_serves_its_debug_file(void **state)
{
	(void)state;
	struct scene s;
	scene_begin(&s);
	write_skeletons(&s, "a.debug", 5, 2, "b.dwo", "");
	write_package(&s, "a.dwp", 5, 1, false);
	open_image(&s, "a.debug", NULL);
	expect_split(&s, 0, "a.dwp");
	close_image(&s);
	write_package(&s, "a.debug.dwp", 5, 2, false);
	open_image(&s, "a.debug", NULL);
	expect_split(&s, 1, "a.debug.dwp");
	close_image(&s);
	scene_end(&s);
}

static void a_package_whose_units_have_other_ids_is_no_help(void **state)
{
	(void)state;
	for (uint16_t version = 4; version <= 5; version++) {
		struct scene s;
		struct unit u;
		scene_begin(&s);
		write_skeletons(&s, "a", version, 1, "b.dwo", "");
		write_package(&s, "a.dwp", version, 1, true);
		open_image(&s, "a", NULL);
		struct unit sk = skeleton(&s, 0);
		assert_false(debuginfo_split(&s.d, &sk, &u));
		assert_int_equal(s.notes.count, 1);
		close_image(&s);
		write_dwo(&s, "a.dwp", version, 1); /* without an index */
		open_image(&s, "a", NULL);
		sk = skeleton(&s, 0);
		assert_false(debuginfo_split(&s.d, &sk, &u));
		assert_non_null(find_note(&s, "is no package"));
		close_image(&s);
		scene_end(&s);
	}
}

/* ---- supplementary files -------------------------------------------------------------------- */

enum { ID_SIZE = 4 };

static void make_id(uint8_t id[ID_SIZE], uint8_t last)
{
	const uint8_t bytes[ID_SIZE] = { 0xab, 0xcd, 0xef, last };
	memcpy(id, bytes, ID_SIZE);
}

/* What dwz makes: by build id, or for DWARF 5 by a checksum. */
static void write_sup(struct scene *s, const char *name, uint8_t last, bool five)
{
	struct elfgen g = elfgen_make(64, false, ET_EXEC, EM_X86_64);
	struct elfgen_out o = { 0 };
	uint8_t id[ID_SIZE];
	make_id(id, last);
	if (five) {
		elfgen_put(&o, 2, 5);
		elfgen_put(&o, 1, 1);
		put_text(&o, "");
		elfgen_put_uleb(&o, ID_SIZE);
	} else {
		elfgen_put(&o, 4, 4);
		elfgen_put(&o, 4, ID_SIZE);
		elfgen_put(&o, 4, NT_GNU_BUILD_ID);
		elfgen_put_bytes(&o, "GNU", 4);
	}
	elfgen_put_bytes(&o, id, ID_SIZE);
	if (five)
		add(&g, ".debug_sup", o.bytes.data, o.bytes.count);
	else
		elfgen_section(&g, ".note.gnu.build-id", SHT_NOTE, 0, 0, o.bytes.data,
			       o.bytes.count);
	add(&g, ".debug_info", "sup", 3);
	vec_release(&o.bytes);
	write_file(s, name, &g);
}

static void write_user(struct scene *s, const char *name, const char *link, uint8_t last, bool five)
{
	struct elfgen g = elfgen_make(64, false, ET_EXEC, EM_X86_64);
	struct elfgen_out o = { 0 };
	uint8_t id[ID_SIZE];
	make_id(id, last);
	if (five) {
		elfgen_put(&o, 2, 5);
		elfgen_put(&o, 1, 0);
	}
	put_text(&o, link);
	if (five)
		elfgen_put_uleb(&o, ID_SIZE);
	elfgen_put_bytes(&o, id, ID_SIZE);
	add(&g, five ? ".debug_sup" : ".gnu_debugaltlink", o.bytes.data, o.bytes.count);
	add(&g, ".debug_info", "user", 4);
	vec_release(&o.bytes);
	write_file(s, name, &g);
}

static void expect_sup(struct scene *s, const char *image, const char *dir, const char *want)
{
	open_image(s, image, dir);
	assert_non_null(s->d.dwarf.sup);
	assert_string_equal(s->d.dwarf.sup->path, in_dir(s, want));
	assert_int_equal(dwarf_bytes(s->d.dwarf.sup, DW_INFO).size, 3);
	close_image(s);
}

static void supplementary_files_are_found_by_path(void **state)
{
	(void)state;
	for (int five = 0; five < 2; five++) {
		struct scene s;
		scene_begin(&s);
		write_sup(&s, "common", 1, five);
		write_user(&s, "bin/a", "../common", 1, five);
		open_image(&s, "bin/a", NULL);
		assert_non_null(s.d.dwarf.sup);
		assert_int_equal(s.notes.count, 0);
		close_image(&s);
		write_user(&s, "b", in_dir(&s, "common"), 1, five);
		expect_sup(&s, "b", NULL, "common");
		scene_end(&s);
	}
}

static void supplementary_files_are_found_in_folders(void **state)
{
	(void)state;
	struct scene s;
	scene_begin(&s);
	const char *dir = in_dir(&s, "debug");
	write_user(&s, "a", "/nowhere/debug/.dwz/x86/common", 1, false);
	write_sup(&s, "debug/.dwz/x86/common", 1, false);
	expect_sup(&s, "a", dir, "debug/.dwz/x86/common");
	write_sup(&s, "debug/.build-id/ab/cdef01.debug", 1, false);
	expect_sup(&s, "a", dir, "debug/.build-id/ab/cdef01.debug");
	write_user(&s, "b", "common2", 1, false);
	remove(in_dir(&s, "debug/.build-id/ab/cdef01.debug"));
	write_sup(&s, "debug/.dwz/common2", 1, false);
	expect_sup(&s, "b", dir, "debug/.dwz/common2");
	scene_end(&s);
}

static void supplementary_files_may_be_given_by_hand(void **state)
{
	(void)state;
	for (int five = 0; five < 2; five++) {
		struct scene s;
		scene_begin(&s);
		write_sup(&s, "other", 2, five);
		write_sup(&s, "elsewhere", 1, five);
		write_user(&s, "a", "/nowhere/common", 1, five);
		const char *const files[] = { in_dir(&s, "other"), in_dir(&s, "elsewhere") };
		open_with_given(&s, "a", files, COUNT_OF(files));
		assert_non_null(s.d.dwarf.sup);
		assert_string_equal(s.d.dwarf.sup->path, files[1]);
		assert_int_equal(s.notes.count, 0);
		close_image(&s);
		scene_end(&s);
	}
}

static void a_supplementary_file_of_another_build_is_none(void **state)
{
	(void)state;
	for (int five = 0; five < 2; five++) {
		struct scene s;
		scene_begin(&s);
		write_sup(&s, "common", 2, five);
		write_user(&s, "a", "common", 1, five);
		open_image(&s, "a", NULL);
		assert_null(s.d.dwarf.sup);
		assert_non_null(find_note(&s, "belongs to another build"));
		const struct heft_note *n = find_note(&s, "is missing");
		assert_non_null(n);
		assert_int_equal(n->bytes, 4); /* of .debug_info */
		close_image(&s);
		/* It refers to no other itself. */
		open_image(&s, "common", NULL);
		assert_null(s.d.dwarf.sup);
		close_image(&s);
		scene_end(&s);
	}
}

static void damaged_links_are_notes(void **state)
{
	(void)state;
	static const struct {
		const char *name, *bytes;
		size_t size;
	} cases[] = {
		{ ".gnu_debugaltlink", "no end", 6 },
		{ ".gnu_debugaltlink", "\0abcd", 5 },
		{ ".gnu_debugaltlink", "", 0 },
		{ ".debug_sup",
		  "\5\0\0name\0\x7f"
		  "ab",
		  11 },
		{ ".debug_sup", "\6\0\0name\0\2ab", 11 },
	};
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct scene s;
		struct elfgen g = elfgen_make(64, false, ET_EXEC, EM_X86_64);
		scene_begin(&s);
		add(&g, cases[i].name, cases[i].bytes, cases[i].size);
		write_file(&s, "a", &g);
		open_image(&s, "a", NULL);
		assert_null(s.d.dwarf.sup);
		assert_non_null(find_note(&s, "is damaged"));
		close_image(&s);
		scene_end(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dwo_files_are_found_beside_the_image),
		cmocka_unit_test(dwo_files_are_found_where_they_were_made),
		cmocka_unit_test(a_dwo_file_of_another_build_is_passed_over),
		cmocka_unit_test(one_file_by_two_paths_is_passed_over_once),
		cmocka_unit_test(missing_split_units_are_one_note),
		cmocka_unit_test(a_dwo_file_that_is_none_is_a_note),
		cmocka_unit_test(dwo_files_may_be_given_by_hand),
		cmocka_unit_test(packages_may_be_given_by_hand),
		cmocka_unit_test(packages_come_before_dwo_files),
		cmocka_unit_test(a_package_of_the_program_serves_its_debug_file),
		cmocka_unit_test(a_package_whose_units_have_other_ids_is_no_help),
		cmocka_unit_test(supplementary_files_are_found_by_path),
		cmocka_unit_test(supplementary_files_are_found_in_folders),
		cmocka_unit_test(supplementary_files_may_be_given_by_hand),
		cmocka_unit_test(a_supplementary_file_of_another_build_is_none),
		cmocka_unit_test(damaged_links_are_notes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
