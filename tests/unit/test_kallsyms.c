/* Hand-assembled tables of a kernel's symbols, and what is made of them. */
#include "../lib/elfgen.h"
#include "../lib/kallsyms_made.h"
#include "image/elf/elf_const.h"
#include "program/companion_forms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void assert_symbols(const struct kallsyms *k, const struct kernel_layout *l)
{
	struct kallsyms_iter it;
	char name[16];
	unsigned i = 0;
	for (kallsyms_iter(&it, k); kallsyms_next(&it); i++) {
		snprintf(name, sizeof name, "func_%u", i);
		assert_true(str_eq(it.name, str_of(name)));
		assert_int_equal(it.type, i % 2 == 0 ? 'T' : 't');
		assert_int_equal(it.addr, kernel_address(l, i));
	}
	assert_int_equal(i, KERNEL_SYMBOLS);
}

static void symbols_of_every_layout_are_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(kernel_layouts); i++) {
		const struct kernel_layout *l = &kernel_layouts[i];
		struct blob b;
		struct kallsyms k;
		kernel_table(&b, l);
		assert_true(
			kallsyms_find(&k, blob_bytes(&b), KERNEL_TABLE, l->big_endian, l->width));
		assert_int_equal(k.form, l->form);
		assert_symbols(&k, l);
	}
}

/* Behind the 64 bytes in front of it, the parts and what aligns them are the whole table. */
static void parts_are_the_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(kernel_layouts); i++) {
		const struct kernel_layout *l = &kernel_layouts[i];
		struct blob b;
		struct kallsyms k;
		struct kallsyms_part parts[KALLSYMS_PARTS];
		uint64_t sum = 0;
		kernel_table(&b, l);
		assert_true(
			kallsyms_find(&k, blob_bytes(&b), KERNEL_TABLE, l->big_endian, l->width));
		kallsyms_parts(&k, parts);
		for (size_t p = 0; p < KALLSYMS_PARTS; p++) {
			assert_true(parts[p].off >= 64 || parts[p].size == 0);
			assert_true(parts[p].off == 0 || parts[p].size > 0);
			assert_true(parts[p].off + parts[p].size <= b.size);
			sum += parts[p].size;
		}
		assert_in_range(b.size - 64 - sum, 0, KALLSYMS_PARTS * l->width);
	}
}

static void a_damaged_table_is_none(void **state)
{
	(void)state;
	const struct kernel_layout *l = &kernel_layouts[0];
	struct blob b;
	struct kallsyms k;
	kernel_table(&b, l);
	assert_true(kallsyms_find(&k, blob_bytes(&b), KERNEL_TABLE, l->big_endian, l->width));
	const struct kallsyms whole = k;
	blob_patch(&b, whole.markers + 4, 1, 4);
	assert_false(kallsyms_find(&k, blob_bytes(&b), KERNEL_TABLE, l->big_endian, l->width));
	kernel_table(&b, l);
	blob_patch(&b, whole.index + 2, 0xffff, 2);
	assert_false(kallsyms_find(&k, blob_bytes(&b), KERNEL_TABLE, l->big_endian, l->width));
	kernel_table(&b, l);
	assert_false(kallsyms_find(&k, bytes_sub(blob_bytes(&b), 0, whole.names + 900),
				   KERNEL_TABLE, l->big_endian, l->width));
}

/* ---- symbols of an image --------------------------------------------------------------------- */

enum { TEXT_SIZE = KERNEL_SYMBOLS * KERNEL_STEP };
#define RODATA KERNEL_TABLE

static bool find_symbol(const struct image *im, uint64_t addr, struct symbol *ret)
{
	struct symtab t;
	if (!symtab_open(&t, im, image_section_type(im, SHT_SYMTAB, 1)))
		return false;
	for (size_t i = 1; i < t.count; i++) {
		*ret = symtab_get(&t, i);
		if (ret->value == addr)
			return true;
	}
	return false;
}

/* A kernel that was stripped: code of nops, of which symbol 10 ends with int3. */
static void a_stripped_kernel_has_symbols(void **state)
{
	(void)state;
	const struct kernel_layout *l = &kernel_layouts[1];
	struct elfgen g = elfgen_make(64, false, ET_EXEC, EM_X86_64);
	const struct image_place at = { .path = "kernel", .member = STR("") };
	struct blob table;
	struct image im;
	struct input beside;
	struct notes notes;
	struct heft_err err;
	struct symbol s;
	uint8_t code[TEXT_SIZE];
	for (size_t i = 0; i < sizeof code; i++)
		code[i] = i % 2 == 0 ? 0x55 : 0x5d; /* push, pop */
	memset(code + 10 * KERNEL_STEP + 9, 0xcc, KERNEL_STEP - 9);
	kernel_table(&table, l);
	elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, l->text, code,
		       sizeof code);
	elfgen_section(&g, ".rodata", SHT_PROGBITS, SHF_ALLOC, RODATA, table.data, table.size);
	elfgen_section(&g, "__ksymtab", SHT_PROGBITS, SHF_ALLOC, RODATA + 0x10000, "", 1);
	const struct bytes file = elfgen_finish(&g);
	notes_init(&notes);
	assert_true(elf_parse(&im, &at, file, &notes, &err));
	assert_true(kernel_symbols_open(&im, &beside, &notes));
	const struct image *made = &beside.images[0];
	assert_true(find_symbol(made, l->text + 10 * KERNEL_STEP, &s));
	assert_true(str_eq(s.name, STR("func_10")));
	assert_int_equal(s.size, 9);
	assert_int_equal(s.type, STT_FUNC);
	assert_int_equal(s.bind, STB_GLOBAL);
	assert_true(find_symbol(made, l->text + 11 * KERNEL_STEP, &s));
	assert_int_equal(s.size, KERNEL_STEP);
	assert_int_equal(s.bind, STB_LOCAL);
	/* Its own table. */
	assert_true(find_symbol(made, RODATA + 64 + 8, &s));
	assert_true(str_eq(s.name, STR("kallsyms_names")));
	assert_false(find_symbol(made, 0, &s)); /* in no section */
	input_close(&beside);
	image_release(&im);
	notes_release(&notes);
	mem_free((void *)(uintptr_t)file.p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbols_of_every_layout_are_read),
		cmocka_unit_test(parts_are_the_table),
		cmocka_unit_test(a_damaged_table_is_none),
		cmocka_unit_test(a_stripped_kernel_has_symbols),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
