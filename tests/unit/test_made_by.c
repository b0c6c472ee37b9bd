/* What programs say of what they were made by and of, in ELF files made in memory. */
#include "../lib/elfgen.h"
#include "image/elf/elf_const.h"
#include "image/input.h"
#include "program/made_by.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <zlib.h>

#define MARK "0123456789abcdef"

static const char modules[] = MARK "path\texample.org/demo\n"
				   "mod\texample.org/demo\tv1.2.3\th1:x\n"
				   "dep\ta.b/c\tv0.1.0\th1:y\n"
				   "=>\t../c\tv0.2.0\t\n"
				   "build\tGOOS=linux\n"
				   "build\tCGO_ENABLED=0\n" MARK;

struct scene {
	struct bytes file;
	struct input input;
	struct notes notes;
	struct made_by made;
};

static void begin(struct scene *s, struct elfgen *g)
{
	struct heft_err err;
	notes_init(&s->notes);
	s->made = (struct made_by){ { NULL, 0, 0 }, { NULL, 0, 0 }, { NULL, 0, 0 } };
	s->file = elfgen_finish(g);
	assert_true(input_parse(&s->input, "made", s->file, &s->notes, &err));
	made_by_read(&s->made, &s->input.images[0]);
}

static void end(struct scene *s)
{
	made_by_release(&s->made);
	input_close(&s->input);
	notes_release(&s->notes);
	mem_free((void *)(uintptr_t)s->file.p);
}

static void assert_text(const struct text *t, const char *wanted)
{
	if (!str_eq(text_str(t), str_of(wanted)))
		fail_msg("'%.*s', not '%s'", (int)t->len, t->p, wanted);
}

static struct elfgen with_section(const char *name, const void *data, uint64_t size)
{
	struct elfgen g = elfgen_make(64, false, ET_EXEC, EM_X86_64);
	const uint32_t i = elfgen_section(&g, name, SHT_PROGBITS, SHF_ALLOC, 0x400000, data, size);
	elfgen_load(&g, PF_R, i);
	return g;
}

static void compilers_are_named_once(void **state)
{
	static const char text[] = "GCC: 12.2.0\0GCC: 12.2.0\0\0rustc 1.95";
	struct elfgen g = with_section(".comment", text, sizeof text);
	struct scene s;
	(void)state;
	begin(&s, &g);
	assert_text(&s.made.tools, "GCC: 12.2.0, rustc 1.95");
	assert_text(&s.made.parts, "");
	end(&s);
}

static void a_packer_is_named(void **state)
{
	static const char loader[] = "\0\0\0\0UPX!\x10\x0d\x0e\x16";
	struct elfgen g = with_section(".text", loader, sizeof loader);
	struct elfgen plain = with_section(".text", loader, 6);
	struct scene s;
	(void)state;
	begin(&s, &g);
	assert_text(&s.made.tools, "UPX");
	end(&s);
	begin(&s, &plain);
	assert_text(&s.made.tools, "");
	end(&s);
}

/* The layout since Go 1.18. */
static void modules_of_go_are_listed_with_what_replaces_them(void **state)
{
	struct elfgen_out o = { .big_endian = false };
	struct scene s;
	(void)state;
	elfgen_put_bytes(&o, "\xff Go buildinf:\x08\x02", 16);
	for (int i = 0; i < 16; i++)
		elfgen_put(&o, 1, 0);
	elfgen_put_uleb(&o, 8);
	elfgen_put_bytes(&o, "go1.19.8", 8);
	elfgen_put_uleb(&o, sizeof modules - 1);
	elfgen_put_bytes(&o, modules, sizeof modules - 1);
	struct elfgen g = with_section(".go.buildinfo", o.bytes.data, o.bytes.count);
	begin(&s, &g);
	assert_text(&s.made.tools, "go1.19.8");
	assert_text(&s.made.parts, "example.org/demo v1.2.3, a.b/c v0.1.0 => ../c v0.2.0");
	assert_text(&s.made.settings, "GOOS=linux, CGO_ENABLED=0");
	end(&s);
	vec_release(&o.bytes);
}

/* The layout before: addresses of strings. */
static void pointers_to_strings_are_followed_in_their_byte_order(void **state)
{
	struct elfgen_out o = { .big_endian = true };
	struct scene s;
	(void)state;
	elfgen_put_bytes(&o, "\xff Go buildinf:\x08\x01", 16);
	elfgen_put(&o, 8, 0x400020);
	elfgen_put(&o, 8, 0x400030);
	elfgen_put(&o, 8, 0x400040);
	elfgen_put(&o, 8, 6);
	elfgen_put(&o, 8, 0x400046);
	elfgen_put(&o, 8, sizeof modules - 1);
	elfgen_put_bytes(&o, "go1.14", 6);
	elfgen_put_bytes(&o, modules, sizeof modules - 1);
	struct elfgen g = with_section(".go.buildinfo", o.bytes.data, o.bytes.count);
	begin(&s, &g);
	assert_text(&s.made.tools, "go1.14");
	assert_text(&s.made.settings, "GOOS=linux, CGO_ENABLED=0");
	end(&s);
	vec_release(&o.bytes);
}

static void damaged_build_information_says_nothing(void **state)
{
	static const char *const texts[] = { "\xff Go buildinf:", "\xff Go buildinf:\x09\x01",
					     "\xff Go buildinf:\x08\x02" };
	(void)state;
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		char room[40] = { 0 };
		struct scene s;
		memset(room + 16, 0xff, sizeof room - 16);
		memcpy(room, texts[i], strlen(texts[i]));
		struct elfgen g = with_section(".go.buildinfo", room, sizeof room);
		begin(&s, &g);
		assert_text(&s.made.parts, "");
		assert_text(&s.made.settings, "");
		end(&s);
	}
}

static void crates_are_listed_with_the_programs_own_first(void **state)
{
	static const char json[] = "{\"packages\":[{\"name\":\"adler\",\"version\":\"1.0.2\"},"
				   "{\"name\":\"cc\",\"version\":\"1.2.0\",\"kind\":\"build\"},"
				   "{\"kind\":\"runtime\",\"name\":\"log\",\"version\":\"0.4.1\"},"
				   "{\"name\":\"app\",\"dependencies\":[0],\"root\":true,"
				   "\"version\":\"0.1.0\"}],\"x\":[{}]}";
	uint8_t packed[512];
	uLongf size = sizeof packed;
	(void)state;
	assert_int_equal(compress(packed, &size, (const uint8_t *)json, sizeof json - 1), Z_OK);
	struct elfgen g = with_section(".dep-v0", packed, size);
	struct scene s;
	begin(&s, &g);
	assert_text(&s.made.parts, "app 0.1.0, adler 1.0.2, cc 1.2.0 (build), log 0.4.1");
	assert_int_equal(s.notes.count, 0);
	end(&s);
	struct elfgen cut = with_section(".dep-v0", packed, size / 2);
	begin(&s, &cut);
	assert_text(&s.made.parts, "");
	assert_int_equal(s.notes.count, 1);
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compilers_are_named_once),
		cmocka_unit_test(a_packer_is_named),
		cmocka_unit_test(modules_of_go_are_listed_with_what_replaces_them),
		cmocka_unit_test(pointers_to_strings_are_followed_in_their_byte_order),
		cmocka_unit_test(damaged_build_information_says_nothing),
		cmocka_unit_test(crates_are_listed_with_the_programs_own_first),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
