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

enum { TEXT = 0x8000, DATA = 0x9000 };

#define BYTES(...)                                                                                 \
	((struct bytes){ (const uint8_t[]){ __VA_ARGS__ },                                         \
			 sizeof((const uint8_t[]){ __VA_ARGS__ }) })

/* The functions of code at TEXT, of which the first is known, as offsets of their bounds; rodata
 * stand at DATA. */
static const char *ranges_with(uint16_t machine, uint16_t type, struct bytes code,
			       struct bytes rodata)
{
	static char text[128];
	const bool narrow = machine == EM_386 || machine == EM_ARM;
	struct elfgen g = elfgen_make(narrow ? 32 : 64, false, type, machine);
	struct input in;
	split_function_vec found = { 0 };
	const struct code_piece all = { .addr = TEXT, .size = code.size, .named = true };
	elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT, code.p,
		       code.size);
	elfgen_section(&g, ".rodata", SHT_PROGBITS, SHF_ALLOC, DATA, rodata.p, rodata.size);
	const struct bytes file = elfgen_finish(&g);
	assert_true(input_parse(&in, "test", file, NULL, NULL));
	const enum code_isa isa = machine == EM_ARM ? CODE_THUMB : code_isa_of(&in.images[0]);
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

static const char *ranges_of(uint16_t machine, uint16_t type, struct bytes code)
{
	return ranges_with(machine, type, code, BYTES(0, 0, 0, 0));
}

static const char *x86_ranges(struct bytes code)
{
	return ranges_of(EM_X86_64, ET_EXEC, code);
}

#define RET      0xc3
#define HLT      0xf4
#define PUSH_RBX 0x53
#define CALL(to) 0xe8, to, 0, 0, 0
#define NOP2     0x66, 0x90
#define PUSH_RBP 0x55
#define ENDBR64  0xf3, 0x0f, 0x1e, 0xfa
#define JE(to)   0x74, to
#define TEST     0x85, 0xff       /* test %edi, %edi */
#define MOVE5    0xb8, 1, 0, 0, 0 /* mov $1, %eax */
#define PAD13    0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0, 0x66, 0x90
#define PAD15    0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0, 0x0f, 0x1f, 0x40, 0
#define A64_RET  0xc0, 0x03, 0x5f, 0xd6
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

static void code_that_nothing_leads_to_begins_behind_a_return(void **state)
{
	(void)state;
	/* g jumps back to f, which looks like a part of it */
	assert_string_equal(
		x86_ranges(BYTES(RET, PAD15, MOVE, RET, PAD13, 0x8d, 0x7f, 1, 0xeb, 0xeb)),
		"0-1 10-13 20-25");
}

static void a_processor_that_stops_may_go_on(void **state)
{
	(void)state;
	assert_string_equal(x86_ranges(BYTES(HLT, MOVE, RET)), "0-4");
	/* call e; hlt; ... e: jmp e */
	assert_string_equal(x86_ranges(BYTES(CALL(0xb), HLT, RET, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc,
					     0xcc, 0xcc, 0xcc, 0xcc, 0xeb, 0xfe)),
			    "0-7 10-12");
}

static void what_unwinding_leads_to_is_of_the_function_before(void **state)
{
	(void)state;
	/* push %rbx; call 12; pop %rbx; ret; mov %rbx, %rdi; call 12; ud2; 12: ret */
	assert_string_equal(x86_ranges(BYTES(PUSH_RBX, CALL(12), 0x5b, RET, 0x48, 0x89, 0xdf,
					     CALL(2), 0x0f, 0x0b, RET)),
			    "0-12 12-13");
	/* bl 14; ret; mov x20, x0; mov x0, x19; b 14; 14: ret */
	assert_string_equal(ranges_of(EM_AARCH64, ET_EXEC,
				      BYTES(5, 0, 0, 0x94, A64_RET, 0xf4, 3, 0, 0xaa, 0xe0, 3, 0x13,
					    0xaa, 1, 0, 0, 0x14, A64_RET)),
			    "0-14 14-18");
}

static void parts_that_one_function_jumps_to_are_one(void **state)
{
	(void)state;
	/* je 14; cmp; je 1a; call f; ret; f: je 20; ret; then the parts */
	assert_string_equal(
		x86_ranges(BYTES(TEST, JE(0x10), 0x83, 0xff, 1, JE(0x11), CALL(1), RET, TEST,
				 JE(0xd), RET, MOVE5, RET, MOVE5, RET, MOVE5, RET)),
		"0-f f-14 14-26");
}

static void code_whose_address_another_function_takes_is_a_function(void **state)
{
	(void)state;
	/* lea h(%rip), %rdi; call d; ret; d: jne 15; ret; h: mov; ret; 15: mov; ret */
	assert_string_equal(x86_ranges(BYTES(0x48, 0x8d, 0x3d, 11, 0, 0, 0, CALL(1), RET, TEST,
					     0x75, 4, RET, MOVE, RET, MOVE, RET)),
			    "0-d d-12 12-15 15-18");
}

static void i386_counts_to_tables_from_behind_a_call(void **state)
{
	/* call thunk; add $0xffb, %ebx; mov 4(%ebx,%eax,4), %edx; add %ebx, %edx; jmp *%edx; the
	 * cases at 20 and 30; thunk: mov (%esp), %ebx; ret */
	const struct bytes code = BYTES(CALL(0x2f), 0x81, 0xc3, 0xfb, 0x0f, 0, 0, 0x8b, 0x94, 0x83,
					4, 0, 0, 0, 0x01, 0xda, 0xff, 0xe2, NOP2, NOP2, NOP2, NOP2,
					NOP2, MOVE, RET, PAD13, MOVE, RET, 0xcc, 0x8b, 0x1c, 0x24,
					RET);
	const struct bytes table = BYTES(0, 0, 0, 0, 0x20, 0xf0, 0xff, 0xff, 0x30, 0xf0, 0xff, 0xff,
					 0, 0, 0, 0);
	(void)state;
	assert_string_equal(ranges_with(EM_386, ET_DYN, code, table), "0-33 34-38");
}

static void an_end_without_a_beginning_is_of_the_function_before(void **state)
{
	(void)state;
	/* push %rbp; jmp 1; leave; ret */
	assert_string_equal(x86_ranges(BYTES(PUSH_RBP, 0xeb, 0xfe, 0xc9, RET)), "0-5");
	/* ...; pop %r12; ret; ...; add $8, %rsp; ret */
	assert_string_equal(x86_ranges(BYTES(PUSH_RBP, 0xeb, 0xfe, 0x41, 0x5c, RET)), "0-6");
	assert_string_equal(x86_ranges(BYTES(PUSH_RBP, 0xeb, 0xfe, 0x48, 0x83, 0xc4, 8, RET)),
			    "0-8");
	/* add $-128, %rsp makes room. */
	assert_string_equal(x86_ranges(BYTES(PUSH_RBP, 0xeb, 0xfe, 0x48, 0x83, 0xc4, 0x80, RET)),
			    "0-3 3-8");
}

static void labels_that_a_function_jumps_to_are_its_own(void **state)
{
	(void)state;
	/* lea 10(%rip), %rdx; jmp *%rdx; 10: dec %edi; jne 10; ret */
	assert_string_equal(
		x86_ranges(BYTES(0x48, 0x8d, 0x15, 9, 0, 0, 0, 0xff, 0xe2, 0xcc, 0xcc, 0xcc, 0xcc,
				 0xcc, 0xcc, 0xcc, 0xff, 0xcf, 0x75, 0xfc, RET)),
		"0-15");
}

static void marked_code_begins_a_function_unless_unwinding_leads_there(void **state)
{
	(void)state;
	assert_true(entry_like(CODE_X86_64, BYTES(ENDBR64)));
	assert_true(entry_like(CODE_I386, BYTES(0xf3, 0x0f, 0x1e, 0xfb)));
	assert_false(entry_reads_kept(CODE_X86_64, BYTES(ENDBR64, MOVE, RET)));
	assert_true(entry_reads_kept(CODE_X86_64, BYTES(ENDBR64, 0x48, 0x89, 0xc3, RET)));
	/* je 9; ret; endbr64; ret; 9: ret */
	assert_string_equal(x86_ranges(BYTES(TEST, JE(6), RET, ENDBR64, RET, RET)), "0-5 5-b");
	/* The same, but what is marked moves %rax to %rbx. */
	assert_string_equal(
		x86_ranges(BYTES(TEST, JE(9), RET, ENDBR64, 0x48, 0x89, 0xc3, RET, RET)), "0-e");
	/* endbr64; jmp 1 */
	assert_string_equal(x86_ranges(BYTES(PUSH_RBX, TEST, JE(6), RET, ENDBR64, 0xeb, 0xf5, RET)),
			    "0-d");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zeros_behind_padding_are_padding),
		cmocka_unit_test(what_a_linker_made_of_an_address_is_no_padding),
		cmocka_unit_test(a_conditional_call_ends_nothing),
		cmocka_unit_test(numbers_of_code_that_goes_anywhere_are_no_addresses),
		cmocka_unit_test(code_that_nothing_leads_to_begins_behind_a_return),
		cmocka_unit_test(a_processor_that_stops_may_go_on),
		cmocka_unit_test(what_unwinding_leads_to_is_of_the_function_before),
		cmocka_unit_test(parts_that_one_function_jumps_to_are_one),
		cmocka_unit_test(code_whose_address_another_function_takes_is_a_function),
		cmocka_unit_test(i386_counts_to_tables_from_behind_a_call),
		cmocka_unit_test(an_end_without_a_beginning_is_of_the_function_before),
		cmocka_unit_test(labels_that_a_function_jumps_to_are_its_own),
		cmocka_unit_test(marked_code_begins_a_function_unless_unwinding_leads_there),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
