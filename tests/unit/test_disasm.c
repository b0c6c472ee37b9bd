/* Instructions as text. */
#include "code/disasm.h"
#include "image/elf/elf_const.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static bool open_for(struct disasm *d, uint16_t machine, bool big_endian, bool thumb)
{
	const struct image im = { .machine = machine, .big_endian = big_endian, .bits = 32 };
	return disasm_open(d, &im, thumb);
}

static void expect_insn_in(uint16_t machine, bool big_endian, bool thumb, const char *code,
			   size_t size, const char *name, const char *operands)
{
	struct disasm d;
	struct disasm_insn insn;
	uint8_t bytes[16] = { 0 };
	memcpy(bytes, code, size);
	assert_true(open_for(&d, machine, big_endian, thumb));
	disasm_next(&d, (struct bytes){ bytes, sizeof bytes }, 0x1000, &insn);
	assert_int_equal(insn.addr, 0x1000);
	assert_int_equal(insn.bytes.size, size);
	assert_ptr_equal(insn.bytes.p, bytes);
	assert_string_equal(insn.name, name);
	assert_string_equal(insn.operands, operands);
	disasm_close(&d);
}

static void expect_insn(uint16_t machine, bool thumb, const char *code, size_t size,
			const char *name, const char *operands)
{
	expect_insn_in(machine, false, thumb, code, size, name, operands);
}

static void each_machine_has_its_instructions(void **state)
{
	(void)state;
	if (!disasm_present())
		skip();
	expect_insn(EM_X86_64, false, "\x48\x89\xe5", 3, "mov", "rbp, rsp");
	expect_insn(EM_X86_64, false, "\xc3", 1, "ret", "");
	expect_insn(EM_386, false, "\x89\xe5", 2, "mov", "ebp, esp");
	expect_insn(EM_386, false, "\x40", 1, "inc", "eax");
	expect_insn(EM_AARCH64, false, "\xc0\x03\x5f\xd6", 4, "ret", "");
	expect_insn(EM_ARM, false, "\x1e\xff\x2f\xe1", 4, "bx", "lr");
	expect_insn(EM_ARM, true, "\x70\x47", 2, "bx", "lr");
	expect_insn_in(EM_ARM, true, false, "\xe1\x2f\xff\x1e", 4, "bx", "lr");
	expect_insn_in(EM_MIPS, true, false, "\x03\xe0\x00\x08", 4, "jr", "$ra");
	expect_insn(EM_MIPS, false, "\x08\x00\xe0\x03", 4, "jr", "$ra");
	expect_insn_in(EM_PPC, true, false, "\x4e\x80\x00\x20", 4, "blr", "");
	expect_insn_in(EM_SPARC, true, false, "\x81\xc3\xe0\x08", 4, "retl", "");
	expect_insn_in(EM_S390, true, false, "\x07\xfe", 2, "br", "%r14");
	expect_insn_in(EM_68K, true, false, "\x4e\x75", 2, "rts", "");
}

/* One byte, or the shortest instruction there is; less at the end. */
static void bytes_that_are_no_instruction_are_passed_over(void **state)
{
	static const uint8_t bad[] = { 0x06, 0xff, 0xff, 0xff };
	struct disasm d;
	struct disasm_insn insn;
	(void)state;
	if (!disasm_present())
		skip();
	assert_true(open_for(&d, EM_X86_64, false, false));
	disasm_next(&d, (struct bytes){ bad, 4 }, 0, &insn);
	assert_int_equal(insn.bytes.size, 1);
	assert_string_equal(insn.name, "(bad)");
	disasm_close(&d);
	assert_true(open_for(&d, EM_AARCH64, false, false));
	disasm_next(&d, (struct bytes){ bad, 3 }, 0, &insn);
	assert_int_equal(insn.bytes.size, 3);
	assert_string_equal(insn.name, "(bad)");
	disasm_close(&d);
	assert_true(open_for(&d, EM_S390, true, false));
	disasm_next(&d, (struct bytes){ bad + 1, 3 }, 0, &insn); /* of 6 bytes */
	assert_int_equal(insn.bytes.size, 3);
	assert_string_equal(insn.name, "(bad)");
	disasm_close(&d);
}

static void other_machines_have_none(void **state)
{
	struct disasm d;
	(void)state;
	assert_false(open_for(&d, EM_LOONGARCH, false, false));
	disasm_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_machine_has_its_instructions),
		cmocka_unit_test(bytes_that_are_no_instruction_are_passed_over),
		cmocka_unit_test(other_machines_have_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
