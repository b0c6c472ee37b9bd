/* Instructions as text. */
#include "code/disasm.h"
#include "image/elf_const.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void expect_insn(uint32_t machine, bool thumb, const char *code, size_t size,
			const char *name, const char *operands)
{
	struct disasm d;
	struct disasm_insn insn;
	uint8_t bytes[16] = { 0 };
	memcpy(bytes, code, size);
	assert_true(disasm_open(&d, machine, false, thumb));
	disasm_next(&d, (struct bytes){ bytes, sizeof bytes }, 0x1000, &insn);
	assert_int_equal(insn.addr, 0x1000);
	assert_int_equal(insn.bytes.size, size);
	assert_ptr_equal(insn.bytes.p, bytes);
	assert_string_equal(insn.name, name);
	assert_string_equal(insn.operands, operands);
	disasm_close(&d);
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
	assert_true(disasm_open(&d, EM_X86_64, false, false));
	disasm_next(&d, (struct bytes){ bad, 4 }, 0, &insn);
	assert_int_equal(insn.bytes.size, 1);
	assert_string_equal(insn.name, "(bad)");
	disasm_close(&d);
	assert_true(disasm_open(&d, EM_AARCH64, false, false));
	disasm_next(&d, (struct bytes){ bad, 3 }, 0, &insn);
	assert_int_equal(insn.bytes.size, 3);
	assert_string_equal(insn.name, "(bad)");
	disasm_close(&d);
}

static void other_machines_have_none(void **state)
{
	struct disasm d;
	(void)state;
	assert_false(disasm_open(&d, EM_RISCV, false, false));
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
