#include "blocks/derive_map.h"
#include "code/entry.h"
#include "code/flow.h"

#include "../lib/elfgen.h"
#include "image/elf/elf_const.h"
#include "image/input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

enum { TEXT = 0x8000, DATA = 0x9000, EXIDX = 0xa000 };

/* A program of `code`, behind which `rodata` stands at DATA. */
static struct bytes open_code(struct input *ret, uint16_t machine, struct bytes code,
			      struct bytes rodata)
{
	struct elfgen g = elfgen_make(32, false, ET_EXEC, machine);
	struct heft_err err;
	elfgen_load(&g, PF_R | PF_X,
		    elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT,
				   code.p, code.size));
	elfgen_load(&g, PF_R,
		    elfgen_section(&g, ".rodata", SHT_PROGBITS, SHF_ALLOC, DATA, rodata.p,
				   rodata.size));
	const struct bytes file = elfgen_finish(&g);
	assert_true(input_parse(ret, "test", file, NULL, &err));
	return file;
}

/* Where the function at the beginning ends and what pads it, or the next one begins. */
static uint64_t end_of(uint16_t machine, struct bytes code, struct bytes rodata)
{
	struct input in;
	const struct bytes file = open_code(&in, machine, code, rodata);
	const struct code_piece all = { .addr = TEXT, .size = code.size, .named = true };
	split_function_vec found = { 0 };
	code_gaps_split(&in.images[0], machine == EM_ARM ? CODE_THUMB : CODE_RISCV32, &all, 1,
			&found);
	assert_true(found.count > 0 && found.data[0].addr == TEXT);
	const uint64_t end = found.count > 1 ? found.data[1].addr : TEXT + found.data[0].size;
	vec_release(&found);
	input_close(&in);
	mem_free((void *)(uintptr_t)file.p);
	return end - TEXT;
}

#define BYTES(...)                                                                                 \
	((struct bytes){ (const uint8_t[]){ __VA_ARGS__ },                                         \
			 sizeof((const uint8_t[]){ __VA_ARGS__ }) })
#define NO_DATA BYTES(0, 0, 0, 0)
#define PUSH    0x10, 0xb5 /* push {r4, lr} */
#define POP     0x10, 0xbd /* pop {r4, pc} */
#define MORE    0x08, 0x46 /* mov r0, r1 */

static uint64_t thumb_end(struct bytes code)
{
	return end_of(EM_ARM, code, NO_DATA);
}

/* What Thumb code at `off` is: *ret_takes, whether it takes from the stack first. */
static bool is_prologue(struct bytes code, uint64_t off, bool *ret_takes)
{
	struct input in;
	const struct bytes file = open_code(&in, EM_ARM, code, NO_DATA);
	uint64_t budget = 100;
	const bool is = entry_like(CODE_THUMB, bytes_sub(code, off, code.size - off));
	*ret_takes = entry_takes_first(&in.images[0], TEXT + off, &budget);
	input_close(&in);
	mem_free((void *)(uintptr_t)file.p);
	return is;
}

static void tables_whose_address_code_takes_are_no_functions(void **state)
{
	(void)state;
	/* call 0x8010; mov $0x8020, %eax; ret. At 0x8010 push, pop, ret. At 0x8020 a table, whose
	 * 0f 04 is no instruction. */
	static const uint8_t code[] = {
		0xe8, 0x0b, 0x00, 0x00, 0x00, 0xb8, 0x20, 0x80, 0x00, 0x00, 0xc3, 0xcc,
		0xcc, 0xcc, 0xcc, 0xcc, 0x55, 0x89, 0xe5, 0x5d, 0xc3, 0xcc, 0xcc, 0xcc,
		0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0x55, 0x89, 0xe5, 0x0f,
		0x04, 0x31, 0xc0, 0x0f, 0x04, 0x5d, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
	};
	struct input in;
	const struct bytes all = { code, sizeof code };
	const struct bytes file = open_code(&in, EM_386, all, NO_DATA);
	const struct code_piece piece = { .addr = TEXT, .size = sizeof code, .named = true };
	split_function_vec found = { 0 };
	code_gaps_split(&in.images[0], CODE_I386, &piece, 1, &found);
	assert_int_equal(found.count, 2);
	assert_int_equal(found.data[1].addr + found.data[1].size, TEXT + 0x15);
	vec_release(&found);
	input_close(&in);
	mem_free((void *)(uintptr_t)file.p);
}

static void a_function_begins_where_the_return_address_is_saved(void **state)
{
	bool takes;
	(void)state;
	assert_true(is_prologue(BYTES(MORE, 0x00, 0xb5, POP), 2, &takes));
	assert_false(takes);
	assert_false(is_prologue(BYTES(MORE, 0x00, 0xb5, POP), 0, &takes));
}

static void what_takes_from_the_stack_first_is_inside_of_a_function(void **state)
{
	bool takes;
	(void)state;
	(void)is_prologue(BYTES(PUSH, MORE, POP), 2, &takes);
	assert_true(takes);
	/* add sp, #8 behind a jump over what is no code */
	(void)is_prologue(BYTES(PUSH, 0x01, 0xe0, 0xff, 0xde, 0x00, 0xde, 0x02, 0xb0, POP), 2,
			  &takes);
	assert_true(takes);
	/* bx lr; the end of the file; an endless loop */
	(void)is_prologue(BYTES(MORE, 0x70, 0x47, POP), 0, &takes);
	assert_false(takes);
	(void)is_prologue(BYTES(MORE, MORE), 0, &takes);
	assert_false(takes);
	(void)is_prologue(BYTES(0xfe, 0xe7), 0, &takes);
	assert_false(takes);
}

static void literals_and_what_aligns_behind_a_return_are_the_functions(void **state)
{
	(void)state;
	/* ldr r0, [pc, #4]; pop; nop; two bytes short of the literal */
	assert_int_equal(thumb_end(BYTES(PUSH, 0x01, 0x48, POP, 0x00, 0xbf, 1, 2, 3, 4, PUSH, POP)),
			 12);
	assert_int_equal(thumb_end(BYTES(PUSH, MORE, POP, 0x00, 0xbf, PUSH, POP)), 8);
	/* what lld fills with, which would be a jump 84 bytes back */
	assert_int_equal(thumb_end(BYTES(PUSH, MORE, POP, 0xd4, 0xd4, PUSH, POP)), 8);
	uint8_t code[96] = { PUSH };
	static const uint8_t end[] = { POP, 0xd4, 0xd4, 0xd4, 0xd4, MORE, 0x70, 0x47 };
	for (size_t i = 2; i < sizeof code - sizeof end; i += 2)
		memcpy(code + i, (const uint8_t[]){ MORE }, 2);
	memcpy(code + sizeof code - sizeof end, end, sizeof end);
	assert_int_equal(thumb_end((struct bytes){ code, sizeof code }), 92);
}

static void helpers_of_switches_read_the_table_behind_their_call(void **state)
{
	(void)state;
	/* bl helper; two cases; push {r0, r1}; mov r1, lr; ldrh r1, [r1, r0]; bx lr */
	assert_int_equal(thumb_end(BYTES(PUSH, 0x00, 0xf0, 0x04, 0xf8, 2, 0, 3, 0, POP, POP, 0x03,
					 0xb4, 0x71, 0x46, 0x09, 0x5a, 0x70, 0x47)),
			 14);
	/* bl helper; two cases; push {r1}; mov r1, lr; ldrb r1, [r1, r0]; bx lr */
	assert_int_equal(thumb_end(BYTES(PUSH, 0x00, 0xf0, 0x03, 0xf8, 1, 2, POP, POP, 0x02, 0xb4,
					 0x71, 0x46, 0x09, 0x5c, 0x70, 0x47)),
			 12);
}

/* Where the functions of Thumb code begin and end; of `exidx` at EXIDX, where it has bytes. */
static const char *thumb_ranges(struct bytes code, struct bytes rodata, struct bytes exidx)
{
	static char text[128];
	struct elfgen g = elfgen_make(32, false, ET_EXEC, EM_ARM);
	struct input in;
	split_function_vec found = { 0 };
	const struct code_piece all = { .addr = TEXT, .size = code.size, .named = true };
	elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT, code.p,
		       code.size);
	elfgen_section(&g, ".rodata", SHT_PROGBITS, SHF_ALLOC, DATA, rodata.p, rodata.size);
	if (exidx.size > 0)
		elfgen_section(&g, ".ARM.exidx", SHT_ARM_EXIDX, SHF_ALLOC, EXIDX, exidx.p,
			       exidx.size);
	const struct bytes file = elfgen_finish(&g);
	assert_true(input_parse(&in, "test", file, NULL, NULL));
	code_gaps_split(&in.images[0], CODE_THUMB, &all, 1, &found);
	size_t used = 0;
	for (size_t i = 0; i < found.count && used < sizeof text; i++)
		used += (size_t)snprintf(
			text + used, sizeof text - used, "%s%u-%u", i > 0 ? " " : "",
			(unsigned)(found.data[i].addr - TEXT),
			(unsigned)(found.data[i].addr - TEXT + found.data[i].size));
	vec_release(&found);
	input_close(&in);
	mem_free((void *)(uintptr_t)file.p);
	return text;
}

static void literals_are_the_functions_where_nothing_names_the_next(void **state)
{
	(void)state;
	/* ldr r0, [pc, #4]; pop; nop; the literal; push; pop */
	assert_string_equal(
		thumb_ranges(BYTES(PUSH, 0x01, 0x48, POP, 0x00, 0xbf, 1, 0, 0, 0, PUSH, POP),
			     NO_DATA, (struct bytes){ 0 }),
		"0-12 12-16");
	/* adr r3; ldrd r2, r3, [r3]; pop; nop; a number like two functions */
	assert_string_equal(thumb_ranges(BYTES(PUSH, 0x02, 0xa3, 0xd3, 0xe9, 0, 0x23, POP, 0, 0xbf,
					       PUSH, POP, PUSH, POP, PUSH, POP),
					 NO_DATA, (struct bytes){ 0 }),
			    "0-20 20-24");
}

static void words_that_are_even_or_small_lead_to_no_code(void **state)
{
	(void)state;
	/* bl helper; behind the call; pop; bx lr */
	const struct bytes code = BYTES(PUSH, 0x00, 0xf0, 0x02, 0xf8, MORE, POP, 0x70, 0x47);
	assert_string_equal(thumb_ranges(code, BYTES(6, 0x80, 0, 0), (struct bytes){ 0 }),
			    "0-10 10-12");
	assert_string_equal(thumb_ranges(code, BYTES(7, 0x80, 0, 0), (struct bytes){ 0 }),
			    "0-10 10-12");
}

#define STUB 0x70, 0x47, 0x00, 0xbf /* bx lr; nop */

static void functions_that_only_return_stand_in_a_row(void **state)
{
	(void)state;
	assert_string_equal(thumb_ranges(BYTES(PUSH, POP, STUB, STUB, STUB, STUB), NO_DATA,
					 (struct bytes){ 0 }),
			    "0-4 4-6 8-10 12-14 16-18");
}

static void landing_pads_are_the_functions(void **state)
{
	/* push; pop; push; pop, of which the table has the first alone */
	const struct bytes code = BYTES(PUSH, POP, PUSH, POP);
	(void)state;
	/* prel31: TEXT; what is elsewhere, and EXIDX_CANTUNWIND */
	assert_string_equal(
		thumb_ranges(code, NO_DATA, BYTES(0x00, 0xe0, 0xff, 0x7f, 0x10, 0, 0, 0)), "0-8");
	assert_string_equal(thumb_ranges(code, NO_DATA, BYTES(0x00, 0xe0, 0xff, 0x7f, 1, 0, 0, 0)),
			    "0-4 4-8");
}

static void a_return_that_is_jumped_over_or_conditional_ends_nothing(void **state)
{
	(void)state;
	/* beq over the return */
	assert_int_equal(thumb_end(BYTES(PUSH, 0x00, 0xd0, POP, MORE, POP, PUSH, POP)), 10);
	/* it ne; popne */
	assert_int_equal(thumb_end(BYTES(PUSH, 0x18, 0xbf, POP, MORE, POP, PUSH, POP)), 10);
}

static void tables_of_distances_lead_on(void **state)
{
	(void)state;
	/* cmp r0, #1; bhi; tbb [pc, r0] of 5 and 6; movs r0, #8; pop, and three more */
	assert_int_equal(thumb_end(BYTES(PUSH, 0x01, 0x28, 0x02, 0xd8, 0xdf, 0xe8, 0x00, 0xf0, 5, 6,
					 0x08, 0x20, POP, MORE, POP, POP, POP, MORE, MORE, POP)),
			 24);
	/* tbb [pc, r0] of 2 and 3: two returns behind the table */
	assert_int_equal(thumb_end(BYTES(PUSH, 0xdf, 0xe8, 0x00, 0xf0, 1, 2, POP, POP, PUSH, POP)),
			 12);
	/* ldrb r0, [r0, #4]; lsls; add pc, r0 with 0 and 1: a byte, counted from two behind the
	 * instruction */
	assert_int_equal(thumb_end(BYTES(PUSH, 0x00, 0x79, 0x40, 0x00, 0x87, 0x44, 0, 1, POP, POP,
					 PUSH, POP)),
			 14);
}

static void a_table_of_words_leads_on(void **state)
{
	(void)state;
	/* ldr.w pc, [r2, r0, lsl #2] of two addresses */
	assert_int_equal(thumb_end(BYTES(MORE, MORE, 0x52, 0xf8, 0x20, 0xf0, 0x11, 0x80, 0, 0, 0x13,
					 0x80, 0, 0, POP, POP, PUSH, POP)),
			 20);
}

static void a_jump_to_the_next_function_is_a_call(void **state)
{
	(void)state;
	/* c.j 4; c.nop; c.addi sp, -16; ret */
	assert_int_equal(
		end_of(EM_RISCV, BYTES(0x11, 0xa0, 0x01, 0x00, 0x41, 0x11, 0x82, 0x80), NO_DATA),
		4);
	/* c.j -16 leaves the function */
	assert_int_equal(end_of(EM_RISCV, BYTES(0xc5, 0xbf, 0x41, 0x11, 0x82, 0x80), NO_DATA), 2);
}

static void tables_in_data_lead_on(void **state)
{
	(void)state;
	/* lui a5, 9; lw a4, 0(a5); jr a4; two returns; the next function */
	const struct bytes code = BYTES(0xb7, 0x97, 0, 0, 0x03, 0xa7, 0x07, 0x00, 0x02, 0x87, 0x82,
					0x80, 0x82, 0x80, 0x41, 0x11, 0x82, 0x80);
	assert_int_equal(
		end_of(EM_RISCV, code, BYTES(0x0a, 0x80, 0, 0, 0x0c, 0x80, 0, 0, 7, 0, 0, 0)), 14);
}

/* Of a program whose entry is even, as linkers make it where nobody names one. */
static enum code_isa isa_with(const uint8_t *attributes, size_t size)
{
	enum { E_ENTRY = 24 };
	static const uint8_t text[] = { PUSH, POP };
	struct elfgen g = elfgen_make(32, false, ET_EXEC, EM_ARM);
	struct input in;
	elfgen_load(&g, PF_R | PF_X,
		    elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT, text,
				   sizeof text));
	elfgen_section(&g, ".ARM.attributes", SHT_ARM_ATTRIBUTES, 0, 0, attributes, size);
	const struct bytes file = elfgen_finish(&g);
	uint8_t *bytes = (uint8_t *)(uintptr_t)file.p;
	bytes[E_ENTRY] = TEXT & 0xff;
	bytes[E_ENTRY + 1] = TEXT >> 8;
	assert_true(input_parse(&in, "test", file, NULL, NULL));
	const enum code_isa isa = flow_isa_of(&in.images[0]);
	input_close(&in);
	mem_free(bytes);
	return isa;
}

static void attributes_tell_thumb_code_where_the_entry_is_even(void **state)
{
	/* Tag_CPU_name "M", Tag_CPU_arch_profile 'M', Tag_THUMB_ISA_use 2 */
	static const uint8_t micro[] = { 'A', 22, 0, 0, 0, 'a', 'e', 'a', 'b', 'i', 0, 1,
					 12,  0,  0, 0, 5, 'M', 0,   7,   'M', 9,   2 };
	/* Tag_CPU_arch_profile 'A', Tag_ARM_ISA_use 1, Tag_THUMB_ISA_use 2 */
	static const uint8_t applications[] = { 'A', 21, 0, 0, 0, 'a', 'e', 'a', 'b', 'i', 0,
						1,   11, 0, 0, 0, 7,   'A', 8,   1,   9,   2 };
	(void)state;
	assert_int_equal(isa_with(micro, sizeof micro), CODE_THUMB);
	assert_int_equal(isa_with(applications, sizeof applications), CODE_NONE);
	assert_int_equal(isa_with(micro, 9), CODE_NONE);
	assert_int_equal(isa_with(micro, 0), CODE_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_whose_address_code_takes_are_no_functions),
		cmocka_unit_test(a_function_begins_where_the_return_address_is_saved),
		cmocka_unit_test(what_takes_from_the_stack_first_is_inside_of_a_function),
		cmocka_unit_test(literals_and_what_aligns_behind_a_return_are_the_functions),
		cmocka_unit_test(literals_are_the_functions_where_nothing_names_the_next),
		cmocka_unit_test(words_that_are_even_or_small_lead_to_no_code),
		cmocka_unit_test(functions_that_only_return_stand_in_a_row),
		cmocka_unit_test(landing_pads_are_the_functions),
		cmocka_unit_test(a_return_that_is_jumped_over_or_conditional_ends_nothing),
		cmocka_unit_test(tables_of_distances_lead_on),
		cmocka_unit_test(helpers_of_switches_read_the_table_behind_their_call),
		cmocka_unit_test(a_table_of_words_leads_on),
		cmocka_unit_test(a_jump_to_the_next_function_is_a_call),
		cmocka_unit_test(tables_in_data_lead_on),
		cmocka_unit_test(attributes_tell_thumb_code_where_the_entry_is_even),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
