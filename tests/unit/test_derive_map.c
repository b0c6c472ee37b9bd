/* Derived maps of ELF files made in memory. */
#include "../lib/elfgen.h"
#include "image/elf/elf_const.h"
#include "image/input.h"
#include "blocks/derive_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

enum { TEXT = 0x1000 };

/* 0: test; je 6; inc %eax; 6: ret; 7: int3; 8: call 16; ret; 14: int3s; 16: ret; 17: zeros */
static const char code[] = "\x85\xff\x74\x02\xff\xc0\xc3\xcc\xe8\x03\0\0\0\xc3\xcc\xcc\xc3\0\0\0";

struct elf {
	struct bytes bytes;
	struct input input;
	struct blockmap map;
};

static void finish(struct elf *f, struct elfgen *g, enum blocks_convention how)
{
	f->bytes = elfgen_finish(g);
	assert_true(input_parse(&f->input, "test", f->bytes, NULL, NULL));
	blockmap_derive(&f->map, &f->input.images[0], NULL, how, 1, NULL);
	blockmap_name(&f->map, NULL);
}

static void release(struct elf *f)
{
	blockmap_release(&f->map);
	input_close(&f->input);
	mem_free((void *)(uintptr_t)f->bytes.p);
}

static struct elfgen program(uint16_t machine, uint32_t *ret_text)
{
	struct elfgen g = elfgen_make(64, false, ET_DYN, machine);
	*ret_text = elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT, code,
				   sizeof code - 1);
	elfgen_load(&g, PF_R | PF_X, *ret_text);
	return g;
}

static void functions_are_those_of_symbols_and_what_lies_between(void **state)
{
	struct elf f;
	uint32_t text;
	(void)state;
	struct elfgen g = program(EM_X86_64, &text);
	elfgen_symbol(&g, "first", TEXT, 7, STB_GLOBAL << 4 | STT_FUNC, (uint16_t)text);
	elfgen_symbol(&g, "alias", TEXT, 7, STB_GLOBAL << 4 | STT_FUNC, (uint16_t)text);
	elfgen_symbol(&g, "last", TEXT + 16, 1, STB_LOCAL << 4 | STT_FUNC, (uint16_t)text);
	finish(&f, &g, BLOCKS_LLVM);
	assert_int_equal(f.map.functions.count, 3);
	assert_string_equal(f.map.functions.data[2].name, "last");
	assert_null(f.map.functions.data[1].name);
	assert_int_equal(f.map.functions.data[1].addr, TEXT + 8);
	assert_int_equal(f.map.functions.data[1].origin, BLOCKS_DERIVED);
	assert_int_equal(f.map.ranges.data[0].count, 3);
	release(&f);
}

/* Linker scripts put labels at the start of data. */
static void a_label_makes_no_code_of_data(void **state)
{
	struct elf f;
	uint32_t text;
	(void)state;
	struct elfgen g = program(EM_X86_64, &text);
	elfgen_symbol(&g, "table", TEXT, 16, STB_GLOBAL << 4 | STT_OBJECT, (uint16_t)text);
	elfgen_symbol(&g, "_sdata", TEXT, 0, STB_GLOBAL << 4 | STT_NOTYPE, (uint16_t)text);
	elfgen_symbol(&g, "last", TEXT + 16, 1, STB_GLOBAL << 4 | STT_FUNC, (uint16_t)text);
	finish(&f, &g, BLOCKS_LLVM);
	assert_int_equal(f.map.functions.count, 1);
	assert_string_equal(f.map.functions.data[0].name, "last");
	release(&f);
}

static void without_symbols_functions_begin_where_code_is_called(void **state)
{
	struct elf f;
	uint32_t text;
	(void)state;
	struct elfgen g = program(EM_X86_64, &text);
	finish(&f, &g, BLOCKS_AUTO);
	assert_int_equal(f.map.functions.count, 3);
	assert_int_equal(f.map.functions.data[0].addr, TEXT);
	assert_int_equal(f.map.functions.data[1].addr, TEXT + 8);
	assert_int_equal(f.map.functions.data[2].addr, TEXT + 16);
	assert_int_equal(f.map.ranges.data[0].count, 3);
	release(&f);
}

/* Two functions with zeros between them, and a table of what is no code. */
static void without_anything_functions_begin_behind_padding(void **state)
{
	static const uint8_t bytes[48] = {
		0x31, 0xc0, 0xc3, [16] = 0x31, 0xc0, 0xc3, [32] = 0x06, 0x07, 0x27, 0x2f, 0x06, 0x60
	};
	struct heft_block_sums sums = { 0 };
	struct elf f;
	(void)state;
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	const uint32_t text = elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
					     TEXT, bytes, sizeof bytes);
	elfgen_load(&g, PF_R | PF_X, text);
	finish(&f, &g, BLOCKS_AUTO);
	assert_int_equal(f.map.functions.count, 2);
	assert_int_equal(f.map.functions.data[1].addr, TEXT + 16);
	blockmap_sum(&f.map, &sums);
	assert_int_equal(sums.code, sizeof bytes);
	assert_int_equal(sums.blocks, 6);
	release(&f);
}

/* jmp to a nop in front of what is jumped to: unoptimised code has such. */
/* What ends in zeros may be an instruction: jmp to the code behind. */
static void zeros_of_the_last_instruction_are_code(void **state)
{
	static const char jump[] =
		"\xe9\x0b\0\0\0\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xc3\0\0\0";
	struct elf f;
	(void)state;
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	const uint32_t text = elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
					     TEXT, jump, sizeof jump - 1);
	elfgen_load(&g, PF_R | PF_X, text);
	finish(&f, &g, BLOCKS_LLVM);
	assert_int_equal(f.map.functions.data[0].addr, TEXT);
	assert_int_equal(f.map.blocks.data[0].size, 5);
	release(&f);
}

static void a_nop_that_is_jumped_to_is_a_block(void **state)
{
	static const uint8_t bytes[16] = { 0x85, 0xc0, 0x74, 0x03, 0x75, 0x02, 0xc3, 0x90, 0xc3 };
	struct elf f;
	(void)state;
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	const uint32_t text = elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
					     TEXT, bytes, 9);
	elfgen_load(&g, PF_R | PF_X, text);
	elfgen_symbol(&g, "f", TEXT, 9, STB_GLOBAL << 4 | STT_FUNC, (uint16_t)text);
	finish(&f, &g, BLOCKS_GCC);
	assert_int_equal(f.map.blocks.count, 5);
	assert_int_equal(f.map.blocks.data[3].off, 7);
	assert_int_equal(f.map.blocks.data[3].size, 1);
	release(&f);
}

static void sums_add_up_to_the_code(void **state)
{
	struct heft_block_sums sums = { 0 };
	struct elf f;
	uint32_t text;
	(void)state;
	struct elfgen g = program(EM_X86_64, &text);
	finish(&f, &g, BLOCKS_GCC);
	blockmap_sum(&f.map, &sums);
	assert_int_equal(sums.code, sizeof code - 1);
	assert_int_equal(sums.blocks, 14);
	assert_int_equal(sums.landing_pads, 0);
	assert_int_equal(sums.padding, 6);
	assert_int_equal(sums.unmapped, 0);
	release(&f);
}

static void machines_without_a_decoder_have_no_blocks(void **state)
{
	struct heft_block_sums sums = { 0 };
	struct elf f;
	uint32_t text;
	(void)state;
	struct elfgen g = program(EM_RISCV, &text);
	finish(&f, &g, BLOCKS_AUTO);
	assert_int_equal(f.map.functions.count, 0);
	blockmap_sum(&f.map, &sums);
	assert_int_equal(sums.padding + sums.unmapped, sums.code);
	assert_int_equal(sums.code, sizeof code - 1);
	release(&f);
}

static void the_threads_do_not_show(void **state)
{
	enum { COPIES = 60000 }; /* more than one job */
	char *many = mem_alloc(COPIES * 16);
	struct blockmap other;
	struct elf f;
	(void)state;
	assert_non_null(many);
	for (size_t i = 0; i < COPIES; i++)
		memcpy(many + i * 16, code, 16);
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	const uint32_t text = elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
					     TEXT, many, COPIES * 16);
	elfgen_load(&g, PF_R | PF_X, text);
	finish(&f, &g, BLOCKS_LLVM);
	blockmap_derive(&other, &f.input.images[0], NULL, BLOCKS_LLVM, 3, NULL);
	assert_true(f.map.blocks.count > COPIES);
	assert_int_equal(other.blocks.count, f.map.blocks.count);
	assert_memory_equal(other.blocks.data, f.map.blocks.data,
			    other.blocks.count * sizeof *other.blocks.data);
	blockmap_release(&other);
	release(&f);
	mem_free(many);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_those_of_symbols_and_what_lies_between),
		cmocka_unit_test(a_label_makes_no_code_of_data),
		cmocka_unit_test(without_symbols_functions_begin_where_code_is_called),
		cmocka_unit_test(without_anything_functions_begin_behind_padding),
		cmocka_unit_test(zeros_of_the_last_instruction_are_code),
		cmocka_unit_test(a_nop_that_is_jumped_to_is_a_block),
		cmocka_unit_test(sums_add_up_to_the_code),
		cmocka_unit_test(machines_without_a_decoder_have_no_blocks),
		cmocka_unit_test(the_threads_do_not_show),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
