#include "code/code.h"
#include "image/image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define ADDR    UINT64_C(0x401000)
#define ALL     (REF_MEM | REF_ADDR | REF_CALL | REF_JUMP | REF_IMM)
#define B(text) (const uint8_t *)(text), sizeof(text) - 1

/* Decodes the code alone and with as many nops behind it as the fast path needs. */
static size_t refs_of(enum code_isa isa, const uint8_t *p, size_t n, unsigned kinds,
		      struct code_ref *ret)
{
	uint8_t padded[64];
	code_ref_vec refs = { 0 };
	memset(padded, 0x90, sizeof padded);
	memcpy(padded, p, n);
	for (unsigned pad = 0; pad < 2; pad++) { /* the tail of the code, then its middle */
		refs.count = 0;
		const struct bytes code = { padded, pad ? sizeof padded : n };
		assert_int_equal(code_refs(isa, code, ADDR,
					   &(struct ref_wish){ kinds, 0x400000, 0x500000 }, &refs),
				 0);
	}
	const size_t count = refs.count;
	for (size_t i = 0; i < count && i < 4; i++)
		ret[i] = refs.data[i];
	vec_release(&refs);
	return count;
}

static void expect(const struct code_ref *r, uint64_t from, uint64_t to, unsigned field,
		   unsigned tail, unsigned kind, unsigned size)
{
	assert_int_equal(r->from, from);
	assert_int_equal(r->to, to);
	assert_int_equal(r->field, from + field);
	assert_int_equal(r->tail, tail);
	assert_int_equal(r->kind, kind);
	assert_int_equal(r->size, size);
}

static enum code_isa isa_of(uint16_t machine)
{
	const struct image im = { .machine = machine };
	return code_isa_of(&im);
}

static void machines_without_a_decoder_have_none(void **state)
{
	(void)state;
	assert_int_equal(isa_of(3), CODE_I386);
	assert_int_equal(isa_of(62), CODE_X86_64);
	assert_int_equal(isa_of(183), CODE_ARM64);
	assert_int_equal(isa_of(40), CODE_NONE);
	assert_int_equal(isa_of(243), CODE_NONE);
}

static void without_a_decoder_nothing_is_decoded(void **state)
{
	(void)state;
	code_ref_vec refs = { 0 };
	assert_int_equal(code_refs(CODE_NONE, (struct bytes){ B("abcde") }, 0,
				   &(struct ref_wish){ ALL, 0, 1 }, &refs),
			 5);
	assert_int_equal(refs.count, 0);
}

static void memory_addresses_calls_and_jumps_are_told_apart(void **state)
{
	(void)state;
	struct code_ref r[4];
	assert_int_equal(refs_of(CODE_X86_64, B("\x48\x8b\x05\0\x10\0\0"), ALL, r), 1);
	expect(&r[0], ADDR, ADDR + 7 + 0x1000, 3, 4, REF_MEM, 8);
	assert_int_equal(refs_of(CODE_X86_64, B("\x48\x8d\x05\0\x10\0\0"), ALL, r), 1);
	expect(&r[0], ADDR, ADDR + 7 + 0x1000, 3, 4, REF_ADDR, 0);
	assert_int_equal(refs_of(CODE_X86_64, B("\xe8\0\x10\0\0"), ALL, r), 1);
	expect(&r[0], ADDR, ADDR + 5 + 0x1000, 1, 4, REF_CALL, 0);
	assert_int_equal(refs_of(CODE_X86_64, B("\x0f\x84\0\x10\0\0"), ALL, r), 1);
	expect(&r[0], ADDR, ADDR + 6 + 0x1000, 2, 4, REF_JUMP, 0);
	assert_int_equal(refs_of(CODE_X86_64, B("\xeb\x80"), ALL, r), 1);
	expect(&r[0], ADDR, ADDR + 2 - 0x80, 1, 1, REF_JUMP, 0);
	assert_int_equal(refs_of(CODE_X86_64, B("\xff\x25\0\x10\0\0"), ALL, r), 1);
	expect(&r[0], ADDR, ADDR + 6 + 0x1000, 2, 4, REF_MEM, 8);
}

static void an_immediate_behind_the_field_counts_into_its_tail(void **state)
{
	(void)state;
	struct code_ref r[4];
	assert_int_equal(refs_of(CODE_X86_64, B("\x80\x3d\0\x10\0\0\1"), ALL, r), 1);
	expect(&r[0], ADDR, ADDR + 7 + 0x1000, 2, 5, REF_MEM, 1);
	assert_int_equal(refs_of(CODE_X86_64, B("\x48\xc7\x05\0\x10\0\0\x10\0\x40\0"), ALL, r), 2);
	expect(&r[0], ADDR, ADDR + 11 + 0x1000, 3, 8, REF_MEM, 8);
	expect(&r[1], ADDR, 0x400010, 7, 4, REF_IMM, 0);
}

static void immediates_and_absolute_displacements_in_range_may_be_addresses(void **state)
{
	(void)state;
	static const struct {
		const uint8_t *p;
		size_t n;
		unsigned field;
		enum ref_use use;
	} table[] = {
		{ B("\xbf\x10\x20\x40\0"), 1, USE_NUMBER },             /* mov $T,%edi */
		{ B("\x68\x10\x20\x40\0"), 1, USE_NUMBER },             /* push $T */
		{ B("\x48\x3d\x10\x20\x40\0"), 2, USE_NUMBER },         /* cmp $T,%rax */
		{ B("\x48\x81\xfb\x10\x20\x40\0"), 3, USE_NUMBER },     /* cmp $T,%rbx */
		{ B("\x48\xc7\x03\x10\x20\x40\0"), 3, USE_NUMBER },     /* movq $T,(%rbx) */
		{ B("\xf7\xc3\x10\x20\x40\0"), 2, USE_NUMBER },         /* test $T,%ebx */
		{ B("\xff\x24\xc5\x10\x20\x40\0"), 3, USE_ACCESS },     /* jmp *T(,%rax,8) */
		{ B("\x8b\x04\x85\x10\x20\x40\0"), 3, USE_ACCESS },     /* mov T(,%rax,4),%eax */
		{ B("\x0f\xb6\x80\x10\x20\x40\0"), 3, USE_NUMBER },     /* movzbl T(%rax),%eax */
		{ B("\x8b\x04\x25\x10\x20\x40\0"), 3, USE_ACCESS },     /* mov T,%eax */
		{ B("\x48\xb8\x10\x20\x40\0\0\0\0\0"), 2, USE_NUMBER }, /* movabs $T,%rax */
		{ B("\xf3\x0f\x10\x04\x85\x10\x20\x40\0"), 5, USE_ACCESS }, /* movss T(,%rax,4) */
	};
	for (size_t i = 0; i < COUNT_OF(table); i++) {
		struct code_ref r[4];
		assert_int_equal(refs_of(CODE_X86_64, table[i].p, table[i].n, ALL, r), 1);
		expect(&r[0], ADDR, 0x402010, table[i].field, (unsigned)table[i].n - table[i].field,
		       REF_IMM, 0);
		assert_int_equal(r[0].use, table[i].use);
		assert_int_equal(refs_of(CODE_X86_64, table[i].p, table[i].n, ALL & ~REF_IMM, r),
				 0);
	}
}

static void immediates_out_of_range_are_numbers(void **state)
{
	(void)state;
	struct code_ref r[4];
	assert_int_equal(refs_of(CODE_X86_64, B("\xbf\xff\xff\x3f\0"), ALL, r), 0);
	assert_int_equal(refs_of(CODE_X86_64, B("\xbf\0\0\x50\0"), ALL, r), 0);
	assert_int_equal(refs_of(CODE_X86_64, B("\xbf\0\0\x40\0"), ALL, r), 1);
	assert_int_equal(refs_of(CODE_X86_64, B("\x66\xbb\x40\0"), ALL, r), 0);
}

static void the_operand_of_a_nop_refers_to_nothing(void **state)
{
	(void)state;
	struct code_ref r[4];
	assert_int_equal(refs_of(CODE_X86_64, B("\x0f\x1f\x05\0\x10\0\0"), ALL, r), 0);
	assert_int_equal(refs_of(CODE_X86_64, B("\x0f\x1f\x80\x10\x20\x40\0"), ALL, r), 0);
}

static void i386_addresses_have_32_bits(void **state)
{
	(void)state;
	struct code_ref r[4];
	assert_int_equal(refs_of(CODE_I386, B("\xa1\x10\x20\x40\0"), ALL, r), 1);
	expect(&r[0], ADDR, 0x402010, 1, 4, REF_IMM, 0);
	assert_int_equal(refs_of(CODE_I386, B("\x8b\x0d\x10\x20\x40\0"), ALL, r), 1);
	expect(&r[0], ADDR, 0x402010, 2, 4, REF_IMM, 0);
	assert_int_equal(r[0].use, USE_ACCESS);
	assert_int_equal(refs_of(CODE_I386, B("\x8d\x05\x10\x20\x40\0"), ALL, r), 1); /* lea */
	assert_int_equal(r[0].use, USE_ACCESS);
	assert_int_equal(refs_of(CODE_I386, B("\xe8\0\0\0\x80"), ALL, r), 1);
	expect(&r[0], ADDR, 0x80401005, 1, 4, REF_CALL, 0);
	assert_int_equal(refs_of(CODE_I386, B("\xe8\0\0\0\xf0"), ALL, r), 1);
	assert_int_equal(r[0].to, 0xf0401005);
}

static void targets_inside_the_code_are_left_out_unless_asked_for(void **state)
{
	(void)state;
	struct code_ref r[4];
	assert_int_equal(refs_of(CODE_X86_64, B("\xe8\0\0\0\0\xc3"), ALL, r), 0);
	assert_int_equal(refs_of(CODE_X86_64, B("\xe8\0\0\0\0\xc3"), ALL | REF_INSIDE, r), 1);
	expect(&r[0], ADDR, ADDR + 5, 1, 4, REF_CALL, 0);
	assert_int_equal(refs_of(CODE_X86_64, B("\x48\x8d\x05\0\0\0\0"), ALL | REF_INSIDE, r), 1);
	assert_int_equal(r[0].kind, REF_ADDR);
}

static void an_undecodable_byte_is_counted_and_passed_over(void **state)
{
	(void)state;
	static const uint8_t code[] = { 0x06, 0x06, 0xe8, 0, 0x10, 0, 0 };
	code_ref_vec refs = { 0 };
	const struct bytes b = { code, sizeof code };
	assert_int_equal(code_refs(CODE_X86_64, b, ADDR, &(struct ref_wish){ .kinds = ALL }, &refs),
			 2);
	assert_int_equal(refs.count, 1);
	assert_int_equal(refs.data[0].from, ADDR + 2);
	assert_int_equal(code_refs(CODE_I386, b, ADDR, &(struct ref_wish){ .kinds = ALL }, &refs),
			 0);
	vec_release(&refs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(machines_without_a_decoder_have_none),
		cmocka_unit_test(without_a_decoder_nothing_is_decoded),
		cmocka_unit_test(memory_addresses_calls_and_jumps_are_told_apart),
		cmocka_unit_test(an_immediate_behind_the_field_counts_into_its_tail),
		cmocka_unit_test(immediates_and_absolute_displacements_in_range_may_be_addresses),
		cmocka_unit_test(immediates_out_of_range_are_numbers),
		cmocka_unit_test(the_operand_of_a_nop_refers_to_nothing),
		cmocka_unit_test(i386_addresses_have_32_bits),
		cmocka_unit_test(targets_inside_the_code_are_left_out_unless_asked_for),
		cmocka_unit_test(an_undecodable_byte_is_counted_and_passed_over),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
