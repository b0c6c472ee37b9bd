/* Symbols by address: who owns what, labels without a size, names of source files. */
#include "../lib/elfgen.h"
#include "image/elf/elf_const.h"
#include "image/input.h"
#include "program/symbol_rule.h"
#include "program/symbol_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

enum {
	LOCAL_FUNC = STB_LOCAL << 4 | STT_FUNC,
	FUNC = STB_GLOBAL << 4 | STT_FUNC,
	WEAK_FUNC = STB_WEAK << 4 | STT_FUNC,
	LABEL = STB_GLOBAL << 4 | STT_NOTYPE
};

struct made {
	struct elfgen g;
	struct bytes file;
	struct input input;
	struct notes notes;
	struct symbol_table t;
	uint32_t text, data;
};

static void begin(struct made *m)
{
	static const uint8_t bytes[0x100];
	memset(m, 0, sizeof *m);
	m->g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	m->text = elfgen_section(&m->g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000,
				 bytes, sizeof bytes);
	m->data = elfgen_section(&m->g, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x2000, bytes,
				 sizeof bytes);
	elfgen_load(&m->g, PF_R | PF_X, m->text);
	elfgen_load(&m->g, PF_R | PF_W, m->data);
}

static void code(struct made *m, const char *name, uint64_t addr, uint64_t size, int info)
{
	elfgen_symbol(&m->g, name, addr, size, (uint8_t)info, (uint16_t)m->text);
}

static void read_table(struct made *m)
{
	m->file = elfgen_finish(&m->g);
	notes_init(&m->notes);
	assert_true(input_parse(&m->input, "made", m->file, &m->notes, NULL));
	symbol_table_read(&m->t, &m->input.images[0], NULL);
}

static void drop(struct made *m)
{
	symbol_table_release(&m->t);
	input_close(&m->input);
	notes_release(&m->notes);
	mem_free((void *)(uintptr_t)m->file.p);
}

static void expect(struct made *m, uint64_t addr, const char *name)
{
	const struct symbol_place *s = symbol_table_find(&m->t, addr);
	if (name)
		assert_string_equal(s ? s->name : "nothing", name);
	else
		assert_null(s);
}

static void the_first_and_longest_owns_the_bytes(void **state)
{
	(void)state;
	struct made m;
	begin(&m);
	code(&m, "inner", 0x1010, 0x08, FUNC);
	code(&m, "outer", 0x1000, 0x20, FUNC);
	code(&m, "short", 0x1000, 0x10, FUNC);
	code(&m, "over", 0x1020, 0x08, FUNC);
	code(&m, "local", 0x1040, 0x10, LOCAL_FUNC);
	code(&m, "weak", 0x1040, 0x10, WEAK_FUNC);
	code(&m, "__global", 0x1040, 0x10, FUNC);
	code(&m, "global", 0x1040, 0x10, FUNC);
	code(&m, "typeless", 0x1040, 0x10, LABEL);
	read_table(&m);
	expect(&m, 0xfff, NULL);
	expect(&m, 0x1000, "outer");
	expect(&m, 0x1012, "outer");
	expect(&m, 0x101f, "outer");
	expect(&m, 0x1020, "over");
	expect(&m, 0x1028, NULL);
	expect(&m, 0x104f, "global");
	expect(&m, 0x1050, NULL);
	drop(&m);
}

/* Code of avr-libc and newlib states the size of its section, though it begins behind its start. */
static void one_that_ends_in_the_middle_of_another_ends_before_the_next(void **state)
{
	(void)state;
	struct made m;
	begin(&m);
	code(&m, "mul", 0x1000, 0x40, FUNC);
	code(&m, "mul_alias", 0x1000, 0x40, WEAK_FUNC);
	code(&m, "sin", 0x1020, 0x10, FUNC);
	code(&m, "sqrt", 0x1038, 0x20, FUNC);
	code(&m, "part", 0x1040, 0x18, FUNC);
	code(&m, "last", 0x1058, 0x20, FUNC);
	read_table(&m);
	expect(&m, 0x1000, "mul");
	expect(&m, 0x101f, "mul");
	expect(&m, 0x1020, "sin");
	expect(&m, 0x1030, NULL);
	expect(&m, 0x1038, "sqrt");
	expect(&m, 0x1040, "sqrt");
	expect(&m, 0x1057, "sqrt");
	expect(&m, 0x1058, "last");
	assert_int_equal(symbol_table_find(&m.t, 0x1000)->size, 0x20);
	drop(&m);
}

static void wrong_sizes_are_cut_where_the_next_one_with_a_size_begins(void **state)
{
	uint64_t list[][2] = { { 0, 50 },
			       { 0, 20 },
			       { 5, 0 },
			       { 10, 10 },
			       { 30, 5 },
			       { 40, 20 },
			       { 45, 15 },
			       { 60, 10 },
			       { 60, 10 },
			       { 65, 10 },
			       { 80, 5 },
			       { 82, 2 },
			       { 85, 1 },
			       { UINT64_MAX - 4, 100 },
			       { UINT64_MAX - 2, 100 } };
	static const uint64_t sizes[] = { 10, 20, 0, 10, 5, 20, 15, 5, 5, 10, 5, 2, 1, 2, 100 };
	(void)state;
	symbols_cut_crossing(list, COUNT_OF(list), sizeof list[0]);
	for (size_t i = 0; i < COUNT_OF(list); i++)
		assert_int_equal(list[i][1], sizes[i]);
}

static void a_label_reaches_to_the_next_symbol_of_any_kind(void **state)
{
	(void)state;
	struct made m;
	begin(&m);
	code(&m, "label", 0x1000, 0, LABEL);
	code(&m, "next", 0x1010, 0, LABEL);
	code(&m, "sized", 0x1020, 0x10, FUNC);
	code(&m, "amid", 0x1028, 0, LABEL);
	code(&m, "after", 0x1040, 0, LABEL);
	elfgen_symbol(&m.g, "datum", 0x2010, 0, STB_GLOBAL << 4 | STT_OBJECT, (uint16_t)m.data);
	read_table(&m);
	expect(&m, 0x100f, "label");
	expect(&m, 0x101f, "next");
	expect(&m, 0x102f, "sized");
	expect(&m, 0x1030, "amid");
	expect(&m, 0x10ff, "after");
	expect(&m, 0x1100, NULL);
	expect(&m, 0x2010, "datum");
	expect(&m, 0x2011, NULL);
	drop(&m);
}

static void sizes_end_with_their_section(void **state)
{
	(void)state;
	struct made m;
	begin(&m);
	code(&m, "long", 0x10f0, UINT64_MAX, FUNC);
	code(&m, "outside", 0x5000, 0x10, FUNC);
	code(&m, "", 0x1000, 0x10, FUNC);
	read_table(&m);
	expect(&m, 0x10ff, "long");
	expect(&m, 0x1100, NULL);
	expect(&m, 0x5000, NULL);
	expect(&m, 0x1000, NULL);
	drop(&m);
}

static void local_symbols_know_their_source_file(void **state)
{
	(void)state;
	struct made m;
	begin(&m);
	code(&m, "early", 0x1000, 0x10, LOCAL_FUNC);
	elfgen_symbol(&m.g, "a.c", 0, 0, STB_LOCAL << 4 | STT_FILE, SHN_ABS);
	code(&m, "in_a", 0x1010, 0x10, LOCAL_FUNC);
	elfgen_symbol(&m.g, "b.c", 0, 0, STB_LOCAL << 4 | STT_FILE, SHN_ABS);
	code(&m, "in_b", 0x1020, 0x10, LOCAL_FUNC);
	code(&m, "global", 0x1030, 0x10, FUNC);
	read_table(&m);
	assert_null(symbol_table_find(&m.t, 0x1000)->file);
	assert_string_equal(symbol_table_find(&m.t, 0x1010)->file, "a.c");
	assert_string_equal(symbol_table_find(&m.t, 0x1020)->file, "b.c");
	assert_null(symbol_table_find(&m.t, 0x1030)->file);
	drop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_and_longest_owns_the_bytes),
		cmocka_unit_test(one_that_ends_in_the_middle_of_another_ends_before_the_next),
		cmocka_unit_test(wrong_sizes_are_cut_where_the_next_one_with_a_size_begins),
		cmocka_unit_test(a_label_reaches_to_the_next_symbol_of_any_kind),
		cmocka_unit_test(sizes_end_with_their_section),
		cmocka_unit_test(local_symbols_know_their_source_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
