#include "code/data_refs.h"
#include "code/i386_got.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "../lib/elfgen.h"
#include "image/elf/elf_const.h"
#include "image/input.h"

/* `targets` ends in 0. */
static void assert_refs(const struct image *im, uint64_t addr, const uint8_t *code, size_t size,
			const uint64_t *targets)
{
	code_ref_vec found = { 0 };
	size_t count = 0;
	assert_true(data_refs_known(im));
	data_refs(im, (struct bytes){ code, size }, addr, &found);
	for (; targets[count] != 0; count++) {
		assert_true(count < found.count);
		assert_int_equal(found.data[count].to, targets[count]);
	}
	assert_int_equal(found.count, count);
	/* No instruction is read that ends behind the code. */
	for (size_t cut = 0; cut < size; cut++) {
		uint8_t *const part = mem_alloc(cut + 1);
		memcpy(part, code, cut);
		data_refs(im, (struct bytes){ part, cut }, addr, &found);
		mem_free(part);
	}
	vec_release(&found);
}

#define ASSERT_REFS(im, addr, code, ...)                                                           \
	assert_refs(im, addr, code, sizeof(code), (const uint64_t[]){ __VA_ARGS__, 0 })

static void xtensa_loads_words_in_front_of_the_code(void **state)
{
	struct elfgen g = elfgen_make(32, false, ET_EXEC, EM_XTENSA);
	struct input in;
	struct heft_err err;
	(void)state;
	static const uint8_t code[] = {
		0x18, 0x80, 0xfe, 0x3f, /* the word */
		0x41, 0xff, 0xff,       /* l32r a4, 0x40100000 */
		0x0d, 0xf0,             /* ret.n */
	};
	elfgen_load(&g, PF_R | PF_X,
		    elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x40100000,
				   code, sizeof code));
	const struct bytes file = elfgen_finish(&g);
	assert_true(input_parse(&in, "test", file, NULL, &err));
	ASSERT_REFS(&in.images[0], 0x40100000, code, 0x40100000, 0x3ffe8018);
	input_close(&in);
	mem_free((void *)(uintptr_t)file.p);
}

static void avr_reads_flash_where_lpm_follows_or_no_data_are(void **state)
{
	struct elfgen g = elfgen_make(32, false, ET_EXEC, EM_AVR);
	struct input in;
	struct heft_err err;
	(void)state;
	static const uint8_t code[] = {
		0xe8, 0xe0, 0xf1, 0xe0, 0x85, 0x91, /* ldi r30, 8; ldi r31, 1; lpm r24, Z+ */
		0xe8, 0xe0, 0xf1, 0xe0, 0x81, 0x91, /* the same; ld r24, Z+ */
		0x88, 0x5f, 0x9e, 0x4f, 0xfc, 0x01,
		0x84, 0x91, /* subi r24, -8; sbci r25, -2 with
								   borrow; movw r30, r24; lpm */
		0x68, 0xe0, 0x71, 0xe0, 0x08, 0x95,
		0x85, 0x91,                         /* ldi r22, 8; ldi r23, 1; ret */
		0x68, 0xe0, 0x74, 0xe0,             /* ldi r22, 8; ldi r23, 4: no data are there */
		0x80, 0x91, 0x10, 0x01, 0x08, 0x95, /* lds r24, 0x110; ret */
	};
	elfgen_load(&g, PF_R | PF_X,
		    elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, code,
				   sizeof code));
	elfgen_load(&g, PF_R | PF_W,
		    elfgen_section(&g, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x800100, code,
				   32));
	const struct bytes file = elfgen_finish(&g);
	assert_true(input_parse(&in, "test", file, NULL, &err));
	ASSERT_REFS(&in.images[0], 0, code, 0x108, 0x800108, 0x108, 0x800108, 0x408, 0x800110);
	input_close(&in);
	mem_free((void *)(uintptr_t)file.p);
}

static void mips_makes_addresses_of_lui_and_what_follows(void **state)
{
	(void)state;
	static const struct image im = { .machine = EM_MIPS, .bits = 64 };
	static const uint8_t code[] = {
		0x7e, 0x00, 0x02, 0x3c, /* lui $2, 0x7e */
		0x2d, 0x10, 0x5c, 0x00, /* daddu $2, $2, $gp */
		0xc0, 0x4a, 0x42, 0x64, /* daddiu $2, $2, 0x4ac0 */
		0x00, 0x00, 0x43, 0xdc, /* ld $3, 0($2): no constant any more */
		0xab, 0x00, 0x17, 0x3c, /* lui $23, 0xab */
		0xe0, 0x4e, 0xe2, 0x9e, /* lwu $2, 0x4ee0($23) */
		0xf0, 0xff, 0xe2, 0xfe, /* sd $2, -16($23) */
		0x34, 0x12, 0xe2, 0x36, /* ori $2, $23, 0x1234: a number */
	};
	ASSERT_REFS(&im, 0x11000, code, 0x7e4ac0, 0xab4ee0, 0xaafff0);
}

static void powerpc_makes_addresses_of_addis_and_what_follows(void **state)
{
	(void)state;
	static const struct image im = { .machine = EM_PPC64, .bits = 64, .big_endian = true };
	static const uint8_t code[] = {
		0x3c, 0x60, 0x00, 0x54, /* lis 3, 84 */
		0x38, 0x63, 0x78, 0x40, /* addi 3, 3, 30784 */
		0x80, 0x83, 0x00, 0x00, /* lwz 4, 0(3): no constant any more */
		0x3c, 0xc0, 0x00, 0x9c, /* lis 6, 156 */
		0xf8, 0x86, 0x00, 0x09, /* stdu 4, 8(6) */
		0x80, 0xc6, 0x8c, 0xa0, /* lwz 6, -29536(6) */
		0x38, 0xe0, 0x00, 0x07, /* li 7, 7 */
	};
	ASSERT_REFS(&im, 0x11000, code, 0x547840, 0x9c0008, 0x9b8ca0);
}

static void powerpc_states_the_toc_pointer_of_a_fixed_program(void **state)
{
	(void)state;
	static const struct image im = { .machine = EM_PPC64, .bits = 64, .big_endian = true };
	static const uint8_t code[] = {
		0x3c, 0x40, 0x10, 0x03, /* lis 2, 0x1003 */
		0x38, 0x42, 0x80, 0x00, /* addi 2, 2, -0x8000 */
		0x3d, 0x22, 0xff, 0xfe, /* addis 9, 2, -2 */
		0x39, 0x29, 0x00, 0x10, /* addi 9, 9, 16 */
	};
	ASSERT_REFS(&im, 0x10000000, code, 0x10008010);
}

static void z_architecture_counts_half_words_from_the_instruction(void **state)
{
	(void)state;
	static const struct image im = { .machine = EM_S390, .bits = 64, .big_endian = true };
	static const uint8_t code[] = {
		0x07, 0xfe,                         /* br %r14 */
		0xc0, 0x30, 0x00, 0x20, 0xa9, 0x81, /* larl %r3, 0x62a7a0 */
		0xa7, 0x29, 0xc0, 0x30,             /* lghi %r2, -16336 */
		0xc4, 0x1e, 0xff, 0xff, 0xff, 0xfb, /* llgfrl %r1, 10 bytes before */
		0xc0, 0xe5, 0x00, 0x00, 0x10, 0x00, /* brasl %r14: a call */
	};
	ASSERT_REFS(&im, 0x21549c, code, 0x62a7a0, 0x21549e);
}

/* `targets` ends in { 0 }. */
static void assert_uses(const struct image *im, const uint32_t *words, size_t count,
			const struct code_ref *targets)
{
	uint8_t code[64];
	code_ref_vec found = { 0 };
	size_t i = 0;
	assert_true(count * 4 <= sizeof code);
	for (size_t k = 0; k < count * 4; k++)
		code[k] = (uint8_t)(words[k / 4] >> 8 * (k % 4));
	data_refs(im, (struct bytes){ code, count * 4 }, 0x11000, &found);
	for (; targets[i].to != 0; i++) {
		assert_true(i < found.count);
		assert_int_equal(found.data[i].to, targets[i].to);
		assert_int_equal(found.data[i].use, targets[i].use);
	}
	assert_int_equal(found.count, i);
	vec_release(&found);
}

#define ASSERT_USES(im, words, ...)                                                                \
	assert_uses(im, words, COUNT_OF(words), (const struct code_ref[]){ __VA_ARGS__, { 0 } })
#define USED(addr)   { .to = (addr) }
#define NUMBER(addr) { .to = (addr), .use = USE_NUMBER }

static void words_of_arm_are_numbers_until_an_access_follows(void **state)
{
	(void)state;
	static const struct image im = { .machine = EM_ARM, .bits = 32 };
	static const uint32_t used[] = {
		0xe59f1004, /* ldr r1, [pc, #4] */
		0xe3a00001, /* mov r0, #1 */
		0xe5c10000, /* strb r0, [r1] */
		0x00400010,
	};
	static const uint32_t number[] = {
		0xe59f1004, /* ldr r1, [pc, #4] */
		0xe0020291, /* mul r2, r1, r2: the fields of a load of half a word, but for two */
		0xe12fff1e, /* bx lr */
		0x01000193,
	};
	static const uint32_t other[] = {
		0xe59f1004, /* ldr r1, [pc, #4] */
		0xe3a01001, /* mov r1, #1 */
		0xe5910000, /* ldr r0, [r1]: by another value */
		0x00400010,
	};
	static const uint32_t scratch[] = { 0xe59fb000, 0xe155000b, 0x001e8480 }; /* ldr, cmp */
	static const uint32_t branch[] = { 0xe59f1004, 0xea000001, 0xe5910000, 0x00400010 };
	ASSERT_USES(&im, used, USED(0x400010));
	ASSERT_USES(&im, number, NUMBER(0x1000193));
	ASSERT_USES(&im, other, NUMBER(0x400010));
	ASSERT_USES(&im, branch, NUMBER(0x400010));
	ASSERT_USES(&im, scratch, { .to = 0x1e8480, .use = USE_SCRATCH });
}

static void lui_of_risc_v_makes_numbers(void **state)
{
	(void)state;
	static const struct image im = { .machine = EM_RISCV, .bits = 64 };
	static const uint32_t code[] = {
		0x00400537, /* lui a0, 0x400 */
		0x01050513, /* addi a0, a0, 16 */
		0x00001537, /* lui a0, 1 */
		0x00400517, /* auipc a0, 0x400 */
		0x01052583, /* lw a1, 16(a0) */
	};
	ASSERT_USES(&im, code, NUMBER(0x400010), USED(0x41101c));
}

static void halves_of_mips_that_are_apart_are_numbers(void **state)
{
	(void)state;
	static const struct image im = { .machine = EM_MIPS, .bits = 64 };
	static const uint32_t code[] = {
		0x3c02007e, /* lui $2, 0x7e */
		0x005c102d, /* daddu $2, $2, $gp */
		0x64424ac0, /* daddiu $2, $2, 0x4ac0 */
		0x3c170040, /* lui $23, 0x40 */
		0x00000000, /* nop */
		0x66e20001, /* daddiu $2, $23, 1 */
	};
	ASSERT_USES(&im, code, USED(0x7e4ac0), NUMBER(0x400001));
}

static void halves_of_powerpc_that_are_apart_are_numbers(void **state)
{
	(void)state;
	static const struct image im = { .machine = EM_PPC64, .bits = 64 };
	static const uint32_t code[] = {
		0x3c600040, /* lis 3, 64 */
		0x38830010, /* addi 4, 3, 16 */
		0x38a3ffff, /* addi 5, 3, -1 */
		0x3c600041, /* lis 3, 65 */
		0x60630193, /* ori 3, 3, 0x193 */
		0x3c600040, /* lis 3, 64 */
		0x60000000, /* nop */
		0x3c630001, /* addis 3, 3, 1: of what stood there before */
		0x38630140, /* addi 3, 3, 320 */
	};
	ASSERT_USES(&im, code, USED(0x400010), NUMBER(0x3fffff), NUMBER(0x410193),
		    NUMBER(0x410140));
}

/* ---- code that moves ------------------------------------------------------------------------- */

/* A shared library with its code at CODE, and a GOT whose first slots have the words given. */
enum { CODE = 0x1000, GOT = 0x20000, GOT_SIZE = 64 };

static void assert_moving(uint16_t machine, unsigned bits, const uint32_t *words, size_t count,
			  const uint64_t *slots, size_t slot_count, const uint64_t *targets)
{
	struct elfgen g = elfgen_make(bits, false, ET_DYN, machine);
	struct input in;
	struct heft_err err;
	uint8_t code[128], got[GOT_SIZE] = { 0 };
	assert_true(count * 4 <= sizeof code && slot_count * bits / 8 <= sizeof got);
	for (size_t k = 0; k < count * 4; k++)
		code[k] = (uint8_t)(words[k / 4] >> 8 * (k % 4));
	for (size_t k = 0; k < slot_count * bits / 8; k++)
		got[k] = (uint8_t)(slots[k / (bits / 8)] >> 8 * (k % (bits / 8)));
	elfgen_load(&g, PF_R | PF_X,
		    elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, CODE, code,
				   count * 4));
	elfgen_load(&g, PF_R | PF_W,
		    elfgen_section(&g, ".got", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, GOT, got,
				   sizeof got));
	const struct bytes file = elfgen_finish(&g);
	assert_true(input_parse(&in, "test", file, NULL, &err));
	assert_refs(&in.images[0], CODE, code, count * 4, targets);
	input_close(&in);
	mem_free((void *)(uintptr_t)file.p);
}

#define ASSERT_MOVING(machine, bits, words, slots, ...)                                            \
	assert_moving(machine, bits, words, COUNT_OF(words), slots, COUNT_OF(slots),               \
		      (const uint64_t[]){ __VA_ARGS__, 0 })

static void powerpc_counts_from_the_toc_pointer(void **state)
{
	(void)state;
	static const uint64_t slots[] = { 0 };
	static const uint32_t code[] = {
		0x3c4c0002, 0x38427000, /* addis 2, 12, 2; addi 2, 2, 0x7000: GOT + 0x8000 */
		0x3d22fffe, 0x39298010, /* addis 9, 2, -2; addi 9, 9, -0x7ff0: 0x10 */
		0x81490004,             /* lwz 10, 4(9): in the same variable */
		0x7d295214, 0xe9290100, /* add 9, 9, 10; ld 9, 256(9): another array */
		0xe9428008,             /* ld 10, -0x7ff8(2): a slot */
		0x3c600001, 0x38630004, /* lis 3, 1; addi 3, 3, 4: a number */
		0x4e800020,             /* blr */
	};
	ASSERT_MOVING(EM_PPC64, 64, code, slots, 0x10, 0x110, GOT + 8);
}

static void mips_loads_addresses_from_the_table(void **state)
{
	(void)state;
	/* A page, and an address. */
	static const uint64_t slots[] = { 0, 0, 0x10000, 0x31234 };
	static const uint32_t code[] = {
		0x3c1c0002, 0x0399e02d, /* lui gp, 2; daddu gp, gp, t9 */
		0x679c6ff0,             /* daddiu gp, gp, 0x6ff0: GOT + 0x7ff0 */
		0xdf828020, 0x64420040, /* ld v0, -0x7fe0(gp); daddiu v0, v0, 0x40 */
		0x10000001, 0xdf838028, /* b .+8; ld v1, -0x7fd8(gp), which is executed first */
		0x3c020003, 0x24420004, /* lui v0, 3; addiu v0, v0, 4: a number */
	};
	ASSERT_MOVING(EM_MIPS, 64, code, slots, GOT + 16, 0x10040, GOT + 24, 0x31234);
}

static void arm_adds_words_to_the_address_of_code(void **state)
{
	(void)state;
	static const uint64_t slots[] = { 0 };
	static const uint32_t code[] = {
		0xe59f3014, /* ldr r3, [pc, #20] */
		0xe08f3003, /* add r3, pc, r3 */
		0xe59f2010, /* ldr r2, [pc, #16] */
		0xe7931002, /* ldr r1, [r3, r2]: a slot */
		0xe5932004, /* ldr r2, [r3, #4]: a slot */
		0xe59f2008, /* ldr r2, [pc, #8]: a number */
		0xe12fff1e, /* bx lr */
		GOT - CODE - 12, 0x00000008, 0x00001000,
	};
	ASSERT_MOVING(EM_ARM, 32, code, slots, GOT, GOT + 8, GOT + 4);
}

static void i386_counts_from_the_table(void **state)
{
	(void)state;
	struct elfgen g = elfgen_make(32, false, ET_DYN, EM_386);
	struct input in;
	struct heft_err err;
	code_ref_vec found = { 0 };
	static const uint8_t code[] = {
		0xe8, 0x21, 0x00, 0x00, 0x00,             /* call thunk */
		0x81, 0xc3, 0xfb, 0xef, 0x01, 0x00,       /* add $0x1effb, %ebx: GOT */
		0x8d, 0x83, 0x00, 0x01, 0x00, 0x00,       /* lea 0x100(%ebx), %eax */
		0x8b, 0x94, 0x8b, 0x00, 0xf0, 0xff, 0xff, /* mov -0x1000(%ebx,%ecx,4), %edx */
		0x31, 0xdb,                               /* xor %ebx, %ebx */
		0x8d, 0x83, 0x00, 0x02, 0x00, 0x00,       /* lea 0x200(%ebx), %eax: nothing */
		0xc3, 0x90, 0x90, 0x90, 0x90, 0x90, 0x8b,
		0x1c, 0x24, 0xc3, /* the thunk: mov (%esp), %ebx; ret */
	};
	elfgen_load(&g, PF_R | PF_X,
		    elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, CODE, code,
				   sizeof code));
	const struct bytes file = elfgen_finish(&g);
	assert_true(input_parse(&in, "test", file, NULL, &err));
	const struct bytes all = { code, sizeof code };
	assert_true(i386_got_refs(&in.images[0], all, CODE, GOT, &found));
	assert_int_equal(found.count, 2);
	assert_int_equal(found.data[0].to, GOT + 0x100);
	assert_int_equal(found.data[1].to, GOT - 0x1000);
	/* Another table is none that the code reaches. */
	assert_false(i386_got_refs(&in.images[0], all, CODE, GOT + 4, &found));
	assert_int_equal(found.count, 2);
	vec_release(&found);
	input_close(&in);
	mem_free((void *)(uintptr_t)file.p);
}

static void registers_are_those_of_a_branch_behind_an_end(void **state)
{
	(void)state;
	static const uint64_t slots[] = { 0 };
	static const uint32_t code[] = {
		0x3d22fffe, 0x39298010, /* addis 9, 2, -2; addi 9, 9, -0x7ff0: 0x10 */
		0x7f892840, 0x409d0014, /* cmplw; ble .+20 */
		0x39200000, 0x4e800020, /* li 9, 0; blr */
		0x60000000, 0x4e800020, /* nop; blr */
		0x7d295214, 0xe9290100, /* add 9, 9, 10; ld 9, 256(9) */
	};
	ASSERT_MOVING(EM_PPC64, 64, code, slots, 0x10, 0x110);
}

static void other_machines_are_not_asked(void **state)
{
	(void)state;
	static const struct image im = { .machine = EM_X86_64, .bits = 64 };
	assert_false(data_refs_known(&im));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(xtensa_loads_words_in_front_of_the_code),
		cmocka_unit_test(avr_reads_flash_where_lpm_follows_or_no_data_are),
		cmocka_unit_test(mips_makes_addresses_of_lui_and_what_follows),
		cmocka_unit_test(powerpc_makes_addresses_of_addis_and_what_follows),
		cmocka_unit_test(powerpc_states_the_toc_pointer_of_a_fixed_program),
		cmocka_unit_test(z_architecture_counts_half_words_from_the_instruction),
		cmocka_unit_test(words_of_arm_are_numbers_until_an_access_follows),
		cmocka_unit_test(lui_of_risc_v_makes_numbers),
		cmocka_unit_test(halves_of_mips_that_are_apart_are_numbers),
		cmocka_unit_test(halves_of_powerpc_that_are_apart_are_numbers),
		cmocka_unit_test(powerpc_counts_from_the_toc_pointer),
		cmocka_unit_test(mips_loads_addresses_from_the_table),
		cmocka_unit_test(arm_adds_words_to_the_address_of_code),
		cmocka_unit_test(i386_counts_from_the_table),
		cmocka_unit_test(registers_are_those_of_a_branch_behind_an_end),
		cmocka_unit_test(other_machines_are_not_asked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
