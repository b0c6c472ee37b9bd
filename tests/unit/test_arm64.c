/* Encodings as the assembler writes them; tests/oracle/arm64_refs.sh has real code. */
#include "code/flow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define ADDR UINT64_C(0x400100)
#define ALL  (REF_MEM | REF_ADDR | REF_CALL | REF_JUMP)

#define ADRP_X0      0xb0000000u /* adrp x0, the next page (0x401000 here) */
#define ADRP_X0_FAR  0xd0000000u /* adrp x0, the page after that */
#define ADRP_X19     0xb0000013u
#define ADD_X0_10    0x91004000u /* add x0, x0, #0x10 */
#define LDR_X1_18    0xf9400c01u /* ldr x1, [x0, #0x18] */
#define LDR_X1_X19_8 0xf9400661u /* ldr x1, [x19, #8] */
#define RET          0xd65f03c0u
#define BL_1000      0x94000400u /* bl . + 0x1000 */
#define NOP          0xd503201fu

static size_t run(const uint32_t *words, size_t count, unsigned kinds, struct code_ref *ret)
{
	uint8_t bytes[64 * 4];
	code_ref_vec refs = { 0 };
	for (size_t i = 0; i < count; i++)
		for (unsigned k = 0; k < 4; k++)
			bytes[4 * i + k] = (uint8_t)(words[i] >> (8 * k));
	assert_int_equal(arm64_refs((struct bytes){ bytes, 4 * count }, ADDR, kinds, &refs), 0);
	const size_t n = refs.count;
	for (size_t i = 0; i < n && i < 4; i++)
		ret[i] = refs.data[i];
	vec_release(&refs);
	return n;
}

#define RUN(refs, ...)                                                                             \
	run((const uint32_t[]){ __VA_ARGS__ },                                                     \
	    sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t), ALL, refs)

static void expect(const struct code_ref *r, unsigned index, uint64_t to, unsigned kind,
		   unsigned size)
{
	assert_int_equal(r->from, ADDR + 4 * index);
	assert_int_equal(r->to, to);
	assert_int_equal(r->kind, kind);
	assert_int_equal(r->size, size);
	assert_int_equal(r->field, 0);
}

static void adrp_and_add_take_an_address(void **state)
{
	(void)state;
	struct code_ref r[4];
	assert_int_equal(RUN(r, ADRP_X0, NOP, ADD_X0_10), 1);
	expect(r, 2, 0x401010, REF_ADDR, 0);
}

static void adrp_alone_refers_to_nothing(void **state)
{
	(void)state;
	struct code_ref r[4];
	assert_int_equal(RUN(r, ADRP_X0, RET), 0);
}

static void adrp_and_load_access_memory_of_the_width_of_the_load(void **state)
{
	(void)state;
	static const struct {
		uint32_t word;
		uint64_t to;
		unsigned size;
	} table[] = {
		{ 0x39400c01, 0x401003, 1 },  /* ldrb w1, [x0, #3] */
		{ 0x79400c01, 0x401006, 2 },  /* ldrh w1, [x0, #6] */
		{ 0xb9400c01, 0x40100c, 4 },  /* ldr w1, [x0, #12] */
		{ 0xf9400c01, 0x401018, 8 },  /* ldr x1, [x0, #24] */
		{ 0xb9800c01, 0x40100c, 4 },  /* ldrsw x1, [x0, #12] */
		{ 0xf9000c01, 0x401018, 8 },  /* str x1, [x0, #24] */
		{ 0x3d400c01, 0x401003, 1 },  /* ldr b1, [x0, #3] */
		{ 0x7d400c01, 0x401006, 2 },  /* ldr h1 */
		{ 0xbd400c01, 0x40100c, 4 },  /* ldr s1 */
		{ 0xfd400c01, 0x401018, 8 },  /* ldr d1 */
		{ 0x3dc00c01, 0x401030, 16 }, /* ldr q1, [x0, #48] */
		{ 0x3d800c01, 0x401030, 16 }, /* str q1, [x0, #48] */
		{ 0xf9800c00, 0x401018, 0 },  /* prfm pldl1keep, [x0, #24] */
	};
	for (size_t i = 0; i < COUNT_OF(table); i++) {
		struct code_ref r[4];
		assert_int_equal(RUN(r, ADRP_X0, table[i].word), 1);
		expect(r, 1, table[i].to, REF_MEM, table[i].size);
	}
}

static void one_page_serves_several_accesses(void **state)
{
	(void)state;
	struct code_ref r[4];
	assert_int_equal(RUN(r, ADRP_X0, LDR_X1_18, NOP, LDR_X1_18, ADD_X0_10, LDR_X1_18), 3);
	expect(&r[0], 1, 0x401018, REF_MEM, 8);
	expect(&r[1], 3, 0x401018, REF_MEM, 8);
	expect(&r[2], 4, 0x401010, REF_ADDR, 0);
}

static void an_overwritten_register_has_no_page(void **state)
{
	(void)state;
	static const uint32_t writers[] = {
		0xaa0103e0,             /* mov x0, x1 */
		0xd2800000,             /* mov x0, #0 */
		0x8b020020,             /* add x0, x1, x2 */
		0x11000400,             /* add w0, w0, #1 */
		0xf9400020,             /* ldr x0, [x1] */
		0xf8408420,             /* ldr x0, [x1], #8 */
		0xf8408401,             /* ldr x1, [x0], #8 */
		0xa9400820,             /* ldp x0, x2, [x1] */
		0xa9400022,             /* ldp x2, x0, [x1] */
		0xa8810801,             /* stp x1, x2, [x0], #16 */
		0xc85f7c20,             /* ldxr x0, [x1] */
		0xb8210040,             /* ldadd w1, w0, [x2] */
		0x9e660000,             /* fmov x0, d0 */
		0x1e380000,             /* fcvtzs w0, s0 */
		0x4e083c00,             /* umov x0, v0.d[0] */
		0x58000020,             /* ldr x0, . + 4 (inside) */
		0x9ac10800,             /* udiv x0, x0, x1 */
		0x4cdf7c00,             /* ld1 {v0.2d}, [x0], #16 */
		BL_1000,    0xd63f0020, /* blr x1 */
	};
	for (size_t i = 0; i < COUNT_OF(writers); i++) {
		struct code_ref r[4];
		const size_t n = RUN(r, ADRP_X0, writers[i], LDR_X1_18);
		assert_int_equal(n, writers[i] == BL_1000 ? 1 : 0);
	}
}

static void what_only_reads_a_register_leaves_its_page(void **state)
{
	(void)state;
	static const uint32_t readers[] = {
		0xf9000020, /* str x0, [x1] */
		0xf81f8020, /* stur x0, [x1, #-8] */
		0xa9000820, /* stp x0, x2, [x1] */
		0xeb01001f, /* cmp x0, x1 */
		0x9e670000, /* fmov d0, x0: bits 4-0 name d0 */
		0x1e602820, /* fadd d0, d1, d0 */
		0x4ea01c20, /* mov v0.16b, v1.16b */
		0xfd400020, /* ldr d0, [x1] */
		0x3dc00020, /* ldr q0, [x1] */
	};
	for (size_t i = 0; i < COUNT_OF(readers); i++) {
		struct code_ref r[4];
		const size_t n = RUN(r, ADRP_X0, readers[i], LDR_X1_18);
		assert_true(n >= 1);
		expect(&r[n - 1], 2, 0x401018, REF_MEM, 8);
	}
}

static void registers_that_calls_keep_keep_their_page(void **state)
{
	(void)state;
	struct code_ref r[4];
	assert_int_equal(RUN(r, ADRP_X19, BL_1000, LDR_X1_X19_8), 2);
	expect(&r[0], 1, ADDR + 4 + 0x1000, REF_CALL, 0);
	expect(&r[1], 2, 0x401008, REF_MEM, 8);
}

static void behind_a_return_the_page_is_that_at_the_branch_there(void **state)
{
	(void)state;
	struct code_ref r[4];
	/* adrp x0; cbz x2, L; ldr; ret; L: ldr */
	assert_int_equal(RUN(r, ADRP_X0, 0xb4000062, LDR_X1_18, RET, LDR_X1_18), 2);
	expect(&r[1], 4, 0x401018, REF_MEM, 8);
	/* cbz x2, L; adrp x0, other; ldr; ret; L: x0 was not set yet */
	assert_int_equal(RUN(r, 0xb4000082, ADRP_X0_FAR, LDR_X1_18, RET, LDR_X1_18), 1);
	/* nothing known branches behind the return */
	assert_int_equal(RUN(r, ADRP_X0, LDR_X1_18, RET, LDR_X1_18), 1);
}

static void the_cases_of_a_switch_see_the_page_before_it(void **state)
{
	(void)state;
	struct code_ref r[4];
	/* adrp x0; br x2; ldr; adrp x0, other; ret; ldr */
	assert_int_equal(RUN(r, ADRP_X0, 0xd61f0040, LDR_X1_18, RET, LDR_X1_18), 2);
	expect(&r[1], 4, 0x401018, REF_MEM, 8);
	assert_int_equal(RUN(r, ADRP_X0, 0xd61f0040, ADRP_X0_FAR, RET, LDR_X1_18), 0);
}

static void adr_and_literals_and_branches_are_direct(void **state)
{
	(void)state;
	static const struct {
		uint32_t word;
		uint64_t to;
		unsigned kind, size;
	} table[] = {
		{ 0x10008000, ADDR + 0x1000, REF_ADDR, 0 }, /* adr x0, . + 0x1000 */
		{ 0x30008000, ADDR + 0x1001, REF_ADDR, 0 }, /* adr x0, . + 0x1001 */
		{ 0x18008000, ADDR + 0x1000, REF_MEM, 4 },  /* ldr w0, . + 0x1000 */
		{ 0x58008000, ADDR + 0x1000, REF_MEM, 8 },  /* ldr x0 */
		{ 0x98008000, ADDR + 0x1000, REF_MEM, 4 },  /* ldrsw x0 */
		{ 0x1c008000, ADDR + 0x1000, REF_MEM, 4 },  /* ldr s0 */
		{ 0x5c008000, ADDR + 0x1000, REF_MEM, 8 },  /* ldr d0 */
		{ 0x9c008000, ADDR + 0x1000, REF_MEM, 16 }, /* ldr q0 */
		{ 0x17ffffff, ADDR - 4, REF_JUMP, 0 },      /* b . - 4 */
		{ 0x97ffffff, ADDR - 4, REF_CALL, 0 },      /* bl . - 4 */
		{ 0x54008000, ADDR + 0x1000, REF_JUMP, 0 }, /* b.eq */
		{ 0x35008000, ADDR + 0x1000, REF_JUMP, 0 }, /* cbnz w0 */
		{ 0xb4008000, ADDR + 0x1000, REF_JUMP, 0 }, /* cbz x0 */
		{ 0x36008000, ADDR + 0x1000, REF_JUMP, 0 }, /* tbz w0, #0 */
		{ 0xb70fffe0, ADDR - 4, REF_JUMP, 0 },      /* tbnz x0, #33, . - 4 */
	};
	for (size_t i = 0; i < COUNT_OF(table); i++) {
		struct code_ref r[4];
		assert_int_equal(RUN(r, table[i].word), 1);
		expect(r, 0, table[i].to, table[i].kind, table[i].size);
	}
}

static void only_the_kinds_asked_for_are_reported(void **state)
{
	(void)state;
	struct code_ref r[4];
	const uint32_t code[] = { ADRP_X0, LDR_X1_18, ADD_X0_10, BL_1000 };
	assert_int_equal(run(code, 4, REF_ADDR, r), 1);
	assert_int_equal(r[0].kind, REF_ADDR);
	assert_int_equal(run(code, 4, 0, r), 0);
}

static void targets_inside_are_reported_on_demand(void **state)
{
	(void)state;
	struct code_ref r[4];
	const uint32_t code[] = { NOP, 0x17ffffff };
	assert_int_equal(run(code, 2, ALL, r), 0);
	assert_int_equal(run(code, 2, ALL | REF_INSIDE, r), 1);
	expect(r, 1, ADDR, REF_JUMP, 0);
}

static void bytes_that_are_no_instruction_are_counted(void **state)
{
	(void)state;
	static const uint8_t code[] = { 0xff, 0xff, 0xff, 0xff, 0x1f, 0x20, 0x03, 0xd5, 1, 2 };
	code_ref_vec refs = { 0 };
	assert_int_equal(arm64_refs((struct bytes){ code, sizeof code }, ADDR, ALL, &refs), 6);
	assert_int_equal(refs.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adrp_and_add_take_an_address),
		cmocka_unit_test(adrp_alone_refers_to_nothing),
		cmocka_unit_test(adrp_and_load_access_memory_of_the_width_of_the_load),
		cmocka_unit_test(one_page_serves_several_accesses),
		cmocka_unit_test(an_overwritten_register_has_no_page),
		cmocka_unit_test(what_only_reads_a_register_leaves_its_page),
		cmocka_unit_test(registers_that_calls_keep_keep_their_page),
		cmocka_unit_test(behind_a_return_the_page_is_that_at_the_branch_there),
		cmocka_unit_test(the_cases_of_a_switch_see_the_page_before_it),
		cmocka_unit_test(adr_and_literals_and_branches_are_direct),
		cmocka_unit_test(only_the_kinds_asked_for_are_reported),
		cmocka_unit_test(targets_inside_are_reported_on_demand),
		cmocka_unit_test(bytes_that_are_no_instruction_are_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
