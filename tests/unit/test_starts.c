/* Where functions begin in code that nothing describes. */
#include "blocks/derive_map.h"
#include "code/entry.h"

#include "../lib/elfgen.h"
#include "image/elf/elf_const.h"
#include "image/input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

enum { TEXT = 0x8000 };

#define BYTES(...)                                                                                 \
	((struct bytes){ (const uint8_t[]){ __VA_ARGS__ },                                         \
			 sizeof((const uint8_t[]){ __VA_ARGS__ }) })

/* The functions of code at TEXT, of which the first is known, as offsets of their bounds. */
static const char *ranges_of(uint16_t machine, uint16_t type, struct bytes code)
{
	static char text[128];
	const bool narrow = machine == EM_386 || machine == EM_ARM;
	struct elfgen g = elfgen_make(narrow ? 32 : 64, false, type, machine);
	struct input in;
	split_function_vec found = { 0 };
	const enum code_isa isa = machine == EM_ARM ? CODE_THUMB : code_isa_of(machine);
	const struct code_piece all = { .addr = TEXT, .size = code.size, .named = true };
	elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT, code.p,
		       code.size);
	const struct bytes file = elfgen_finish(&g);
	assert_true(input_parse(&in, "test", file, NULL, NULL));
	code_gaps_split(&in.images[0], isa, &all, 1, &found);
	size_t used = 0;
	for (size_t i = 0; i < found.count && used < sizeof text; i++)
		used += (size_t)snprintf(
			text + used, sizeof text - used, "%s%x-%x", i > 0 ? " " : "",
			(unsigned)(found.data[i].addr - TEXT),
			(unsigned)(found.data[i].addr - TEXT + found.data[i].size));
	vec_release(&found);
	input_close(&in);
	mem_free((void *)(uintptr_t)file.p);
	return text;
}

static const char *x86_ranges(struct bytes code)
{
	return ranges_of(EM_X86_64, ET_EXEC, code);
}

#define RET      0xc3
#define MOVE     0x89, 0xf8 /* mov %edi, %eax */
#define LONG_NOP 0x66, 0x66, 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0

static void zeros_behind_padding_are_padding(void **state)
{
	(void)state;
	assert_string_equal(x86_ranges(BYTES(RET, LONG_NOP, 0, 0, MOVE, RET)), "0-1 10-13");
	/* ret; nop; udf #0, twice; mov x0, x1; ret */
	assert_string_equal(
		ranges_of(EM_AARCH64, ET_EXEC,
			  BYTES(0xc0, 0x03, 0x5f, 0xd6, 0x1f, 0x20, 0x03, 0xd5, 0, 0, 0, 0, 0, 0, 0,
				0, 0xe0, 0x03, 0x01, 0xaa, 0xc0, 0x03, 0x5f, 0xd6)),
		"0-4 10-18");
}

static void what_a_linker_made_of_an_address_is_no_padding(void **state)
{
	(void)state;
	/* ret; nop; adr x0, #-8; ret */
	assert_string_equal(ranges_of(EM_AARCH64, ET_EXEC,
				      BYTES(0xc0, 0x03, 0x5f, 0xd6, 0x1f, 0x20, 0x03, 0xd5, 0xc0,
					    0xff, 0xff, 0x10, 0xc0, 0x03, 0x5f, 0xd6)),
			    "0-4 4-10");
}

static void a_conditional_call_ends_nothing(void **state)
{
	(void)state;
	/* push {r4, lr}; cmp r0, #3; it ge; blge e; movs r0, #1; pop {r4, pc}; e: b e */
	assert_string_equal(ranges_of(EM_ARM, ET_EXEC,
				      BYTES(0x10, 0xb5, 0x03, 0x28, 0xa8, 0xbf, 0x00, 0xf0, 0x02,
					    0xf8, 0x01, 0x20, 0x10, 0xbd, 0xfe, 0xe7)),
			    "0-e e-10");
}

static void numbers_of_code_that_goes_anywhere_are_no_addresses(void **state)
{
	/* call d; add $0x8005, %edx; ret; d: ret */
	const struct bytes code = BYTES(0xe8, 8, 0, 0, 0, 0x81, 0xc2, 5, 0x80, 0, 0, RET, 0, RET);
	(void)state;
	assert_string_equal(ranges_of(EM_386, ET_DYN, code), "0-c d-e");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zeros_behind_padding_are_padding),
		cmocka_unit_test(what_a_linker_made_of_an_address_is_no_padding),
		cmocka_unit_test(a_conditional_call_ends_nothing),
		cmocka_unit_test(numbers_of_code_that_goes_anywhere_are_no_addresses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
