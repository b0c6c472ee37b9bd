/* ELF files with one more section. */
#include "image/elf/elf_append.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../lib/elfgen.h"
#include "base/text.h"
#include "image/elf/elf_const.h"
#include "image/input.h"

static const uint8_t payload[] = "what is added";

struct copy {
	struct bytes file;
	struct input before, after;
	struct text made;
	struct heft_err err;
	bool good;
};

static bool put(void *ctx, const void *data, size_t size)
{
	text_add(ctx, (struct str){ data, size });
	return true;
}

static struct elfgen linked(unsigned bits, bool big_endian)
{
	static const uint8_t code[0x100];
	struct elfgen g = elfgen_make(bits, big_endian, ET_DYN, EM_X86_64);
	const uint32_t text = elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
					     0x1000, code, sizeof code);
	elfgen_load(&g, PF_R | PF_X, text);
	elfgen_symbol(&g, "f", 0x1000, 4, STB_GLOBAL << 4 | STT_FUNC, (uint16_t)text);
	return g;
}

static void append(struct copy *c, struct bytes file, uint32_t replaced, uint64_t size)
{
	const struct elf_addition a = { ".added", SHT_PROGBITS,      SHF_LINK_ORDER, 1,
					4,        { payload, size }, replaced };
	memset(c, 0, sizeof *c);
	c->file = file;
	assert_true(input_parse(&c->before, "before", file, NULL, NULL));
	c->good = elf_append(&c->before.images[0], &a, &(struct heft_sink){ put, &c->made },
			     &c->err);
	if (c->good)
		assert_true(input_parse(&c->after, "after",
					(struct bytes){ (uint8_t *)c->made.p, c->made.len }, NULL,
					NULL));
}

static void copy_close(struct copy *c)
{
	if (c->good)
		input_close(&c->after);
	input_close(&c->before);
	text_release(&c->made);
	mem_free((void *)(uintptr_t)c->file.p);
}

/* All that was there is there, at its place; the new section is there too. */
static void expect_copy(const struct copy *c)
{
	const struct image *a = &c->before.images[0], *b = &c->after.images[0];
	assert_true(c->good);
	assert_int_equal(b->section_count, a->section_count + 1);
	assert_int_equal(b->phdr_size, a->phdr_size);
	assert_memory_equal(b->bytes.p + b->phdr_off, a->bytes.p + a->phdr_off, a->phdr_size);
	for (size_t i = 1; i < a->section_count; i++) {
		const struct section *s = &a->sections[i], *t = &b->sections[i];
		assert_true(str_eq(s->name, t->name));
		if (str_eq(s->name, STR(".shstrtab")))
			continue;
		assert_true(s->off == t->off && s->size == t->size && s->type == t->type);
		assert_true(s->addr == t->addr && s->flags == t->flags && s->link == t->link);
		assert_memory_equal(b->bytes.p + t->off, a->bytes.p + s->off, s->file_size);
	}
	const struct section *added = &b->sections[a->section_count];
	assert_true(str_eq(added->name, STR(".added")));
	assert_int_equal(added->link, 1);
	assert_int_equal(added->flags, SHF_LINK_ORDER);
	assert_int_equal(added->off % 4, 0);
	assert_memory_equal(b->bytes.p + added->off, payload, added->size);
}

static void a_section_is_added_in_every_class_and_order(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct elfgen g = linked(i & 1 ? 64 : 32, i & 2);
		struct copy c;
		append(&c, elfgen_finish(&g), 0, sizeof payload);
		expect_copy(&c);
		copy_close(&c);
	}
}

static void more_sections_than_the_header_can_count(void **state)
{
	(void)state;
	/* The table then has 0xff00 sections, or goes from there to one more. */
	for (uint32_t more = 0; more < 2; more++) {
		struct elfgen g = linked(64, false);
		struct copy c;
		while (g.sections.count + 3 < 0xff00 - 1 + more)
			elfgen_section(&g, ".s", SHT_PROGBITS, 0, 0, NULL, 0);
		append(&c, elfgen_finish(&g), 0, sizeof payload);
		assert_int_equal(c.before.images[0].section_count, 0xff00 - 1 + more);
		expect_copy(&c);
		copy_close(&c);
	}
}

static void a_replaced_section_keeps_its_number_and_its_room(void **state)
{
	(void)state;
	for (unsigned fits = 0; fits < 2; fits++) {
		struct elfgen g = linked(64, false);
		struct copy c;
		const uint32_t old = elfgen_section(&g, ".old", SHT_NOTE, 0, 0, payload,
						    fits ? sizeof payload : 1);
		append(&c, elfgen_finish(&g), old, sizeof payload);
		assert_true(c.good);
		const struct image *a = &c.before.images[0], *b = &c.after.images[0];
		const struct section *s = &b->sections[old];
		assert_int_equal(a->section_count, b->section_count);
		assert_true(str_eq(s->name, STR(".old")));
		assert_int_equal(s->type, SHT_PROGBITS);
		assert_memory_equal(b->bytes.p + s->off, payload, sizeof payload);
		assert_true((s->off == a->sections[old].off) == (fits == 1));
		assert_true(!fits || b->bytes.size == a->bytes.size);
		copy_close(&c);
	}
}

static void expect_refused(struct bytes file, const char *why)
{
	struct copy c;
	append(&c, file, 0, sizeof payload);
	assert_false(c.good);
	assert_int_equal(c.made.len, 0);
	assert_int_equal(c.err.code, HEFT_EUNSUPPORTED);
	assert_non_null(strstr(c.err.text, why));
	copy_close(&c);
}

static struct bytes with_tail(struct elfgen *g, const char *tail)
{
	const struct bytes file = elfgen_finish(g);
	uint8_t *p = mem_resize((void *)(uintptr_t)file.p, file.size + strlen(tail));
	memcpy(p + file.size, tail, strlen(tail));
	return (struct bytes){ p, file.size + strlen(tail) };
}

static void what_cannot_be_extended_is_refused(void **state)
{
	(void)state;
	struct elfgen object = elfgen_make(64, false, ET_REL, EM_X86_64);
	struct elfgen bare = linked(64, false), module = linked(64, false),
		      tail = linked(64, false);
	bare.no_section_table = true;
	expect_refused(elfgen_finish(&object), "object");
	expect_refused(elfgen_finish(&bare), "no section header table");
	expect_refused(with_tail(&module, "signature~Module signature appended~\n"),
		       "kernel module");
	expect_refused(with_tail(&tail, "PK"), "last 2 bytes");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_section_is_added_in_every_class_and_order),
		cmocka_unit_test(more_sections_than_the_header_can_count),
		cmocka_unit_test(a_replaced_section_keeps_its_number_and_its_room),
		cmocka_unit_test(what_cannot_be_extended_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
