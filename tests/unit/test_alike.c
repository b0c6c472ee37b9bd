/* Code that does the same is told from code of the same size. */
#include "code/alike.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct bytes bytes_of(const uint8_t *p, size_t size)
{
	return (struct bytes){ p, size };
}

/* call FAR; jne inside; lea FAR(%rip),%rax; ret.  The jump goes from 7 to 14 whatever stands
 * around. */
static struct code_print x86_at(uint64_t addr, uint64_t callee, uint64_t data)
{
	uint8_t code[15] = { 0xe8, 0, 0, 0, 0, 0x75, 0x07, 0x48, 0x8d, 0x05, 0, 0, 0, 0, 0xc3 };
	struct code_print p;
	for (unsigned i = 0; i < 4; i++) {
		code[1 + i] = (uint8_t)((callee - (addr + 5)) >> 8 * i);
		code[10 + i] = (uint8_t)((data - (addr + 14)) >> 8 * i);
	}
	assert_true(code_print(CODE_X86_64, bytes_of(code, sizeof code), addr, &p));
	return p;
}

static void x86_code_is_the_same_where_it_refers_to_the_same(void **state)
{
	const struct code_print a = x86_at(0x1000, 0x5000, 0x9000),
				b = x86_at(0x2010, 0x5000, 0x9000),
				other_callee = x86_at(0x1000, 0x5001, 0x9000),
				other_data = x86_at(0x1000, 0x5000, 0x9008);
	(void)state;
	assert_true(a.whole == b.whole && a.shape == b.shape);
	assert_true(a.whole != other_callee.whole && a.shape == other_callee.shape);
	assert_true(a.whole != other_data.whole && a.shape == other_data.shape);
}

static void put_word(uint8_t *p, uint32_t word)
{
	for (unsigned i = 0; i < 4; i++)
		p[i] = (uint8_t)(word >> 8 * i);
}

/* adrp x0, PAGE; bl FAR; cbz x0, inside; ret. */
static struct code_print arm64_at(uint64_t addr, uint64_t page, uint64_t callee)
{
	const uint64_t pages = (page - (addr & ~UINT64_C(0xfff))) >> 12;
	uint8_t code[16];
	struct code_print p;
	put_word(code,
		 0x90000000 | (uint32_t)(pages & 3) << 29 | (uint32_t)(pages >> 2 & 0x7ffff) << 5);
	put_word(code + 4, 0x94000000 | (uint32_t)((callee - addr - 4) / 4 & 0x3ffffff));
	put_word(code + 8, 0xb4000020);
	put_word(code + 12, 0xd65f03c0);
	assert_true(code_print(CODE_ARM64, bytes_of(code, sizeof code), addr, &p));
	return p;
}

static void arm64_code_is_the_same_where_it_refers_to_the_same(void **state)
{
	const struct code_print a = arm64_at(0x10000, 0x44000, 0x20000),
				b = arm64_at(0x31ff0, 0x44000, 0x20000),
				other_page = arm64_at(0x10000, 0x45000, 0x20000),
				other_callee = arm64_at(0x10000, 0x44000, 0x20004);
	(void)state;
	assert_true(a.whole == b.whole && a.shape == b.shape);
	assert_true(a.whole != other_page.whole && a.shape == other_page.shape);
	assert_true(a.whole != other_callee.whole && a.shape == other_callee.shape);
}

static void what_is_no_code_has_no_number(void **state)
{
	static const uint8_t undefined[] = { 0x06, 0x07 }, odd[] = { 0, 0, 0 };
	struct code_print p;
	(void)state;
	assert_false(code_print(CODE_X86_64, bytes_of(undefined, sizeof undefined), 0, &p));
	assert_false(code_print(CODE_ARM64, bytes_of(odd, sizeof odd), 0, &p));
	assert_false(code_print(CODE_NONE, bytes_of(odd, sizeof odd), 0, &p));
}

static void data_are_told_apart_by_every_byte(void **state)
{
	uint8_t data[21] = { 0 };
	const struct code_print zeros = bytes_print(bytes_of(data, sizeof data));
	(void)state;
	for (size_t i = 0; i < sizeof data; i++) {
		data[i] = 1;
		assert_true(bytes_print(bytes_of(data, sizeof data)).whole != zeros.whole);
		data[i] = 0;
	}
	assert_true(bytes_print(bytes_of(data, sizeof data)).whole == zeros.whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(x86_code_is_the_same_where_it_refers_to_the_same),
		cmocka_unit_test(arm64_code_is_the_same_where_it_refers_to_the_same),
		cmocka_unit_test(what_is_no_code_has_no_number),
		cmocka_unit_test(data_are_told_apart_by_every_byte),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
