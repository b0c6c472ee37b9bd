/* Hand-assembled unwind entries: the rules at an address, and the step to the caller. */
#include "../lib/blob.h"
#include "unwind/cfi.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define FUNC  UINT64_C(0x1000)
#define STACK UINT64_C(0x7000)

enum { SP = 7, FP = 6, RA = 16, WORDS = 16 };

struct world {
	struct blob blob;
	struct unwind_section section;
	uint64_t words[WORDS]; /* at STACK */
};

static bool load(void *ctx, uint64_t addr, uint64_t *ret)
{
	const struct world *w = ctx;
	if (addr < STACK || (addr - STACK) / 8 >= WORDS || addr % 8 != 0)
		return false;
	*ret = w->words[(addr - STACK) / 8];
	return true;
}

/* A CIE that says cfa = sp + 8 and the return address below it, and an FDE of these bytes. */
static struct world world_make(const uint8_t *rules, size_t count)
{
	static const uint8_t cie_rules[] = { 0x0c, SP, 8, 0x80 | RA, 1 };
	struct world w = { .blob.big_endian = false };
	blob_u32(&w.blob, 4 + 1 + 1 + 3 + sizeof cie_rules);
	blob_u32(&w.blob, 0);
	blob_u8(&w.blob, 1);
	blob_text(&w.blob, "");
	blob_u8(&w.blob, 1);
	blob_u8(&w.blob, 0x78);
	blob_u8(&w.blob, RA);
	for (size_t i = 0; i < sizeof cie_rules; i++)
		blob_u8(&w.blob, cie_rules[i]);
	const uint64_t fde = w.blob.size;
	blob_u32(&w.blob, (uint32_t)(4 + 16 + count));
	blob_u32(&w.blob, (uint32_t)(fde + 4));
	blob_u64(&w.blob, FUNC);
	blob_u64(&w.blob, 0x100);
	for (size_t i = 0; i < count; i++)
		blob_u8(&w.blob, rules[i]);
	w.section = (struct unwind_section){ .addr = 0x9000, .address_size = 8, .path = "test" };
	return w;
}

static bool row_at(const struct world *w, uint64_t addr, struct cfi_row *ret)
{
	struct unwind_iter it;
	struct unwind_entry e;
	struct unwind_section section = w->section;
	section.bytes = (struct bytes){ w->blob.data, w->blob.size };
	unwind_init(&it, &section);
	bool good = unwind_next(&it, &e) && e.ok && e.cie && unwind_next(&it, &e) && e.ok;
	assert_true(good);
	good = cfi_row_at(&section, &e, addr, ret);
	unwind_release(&it);
	return good;
}

static bool step(struct world *w, uint64_t addr, struct cfi_frame *f)
{
	const struct cfi_memory m = { load, w, SP, false, 8 };
	struct cfi_row row;
	return row_at(w, addr, &row) && cfi_step(&row, &m, f);
}

/* push rbp at +1, mov rsp, rbp at +4, leave at +0x20. */
static void a_function_with_a_frame_pointer(void **state)
{
	(void)state;
	static const uint8_t rules[] = { 0x41, 0x0e, 16,   0x80 | FP, 2, 0x43,      0x0d, FP,
					 0x5c, 0x0a, 0x0c, SP,        8, 0xc0 | FP, 0x41, 0x0b };
	struct world w = world_make(rules, sizeof rules);
	w.words[2] = 0x5555; /* the caller's rbp */
	w.words[3] = 0xabcd; /* the return address */
	static const struct {
		uint64_t at, sp, fp;
	} places[] = { { 0, STACK + 24, 0x5555 },    { 1, STACK + 16, 0x5555 },
		       { 3, STACK + 16, 0x5555 },    { 4, STACK, STACK + 16 },
		       { 0x20, STACK + 24, 0x5555 }, { 0x21, STACK, STACK + 16 } };
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		struct cfi_frame f = { .known = UINT64_C(1) << SP | UINT64_C(1) << FP };
		f.regs[SP] = places[i].sp;
		f.regs[FP] = places[i].fp;
		assert_true(step(&w, FUNC + places[i].at, &f));
		assert_int_equal(f.pc, 0xabcd);
		assert_int_equal(f.regs[SP], STACK + 32);
		assert_int_equal(f.regs[FP], 0x5555);
	}
}

/* As the entry of a signal handler's caller: cfa = the word at sp + 40. */
static void expressions(void **state)
{
	(void)state;
	static const uint8_t rules[] = { 0x0f, 3, 0x77, 40, 0x06, 0x10, RA, 2, 0x77, 8 };
	struct world w = world_make(rules, sizeof rules);
	w.words[5] = STACK + 0x60;
	w.words[1] = 0x1234;
	struct cfi_frame f = { .known = UINT64_C(1) << SP };
	f.regs[SP] = STACK;
	assert_true(step(&w, FUNC + 3, &f));
	assert_int_equal(f.pc, 0x1234);
	assert_int_equal(f.regs[SP], STACK + 0x60);
}

static void the_outermost_frame_has_no_caller(void **state)
{
	(void)state;
	static const uint8_t rules[] = { 0x07, RA };
	struct world w = world_make(rules, sizeof rules);
	struct cfi_frame f = { .known = UINT64_C(1) << SP };
	f.regs[SP] = STACK;
	assert_false(step(&w, FUNC, &f));
}

static void expect_bad(const uint8_t *rules, size_t count)
{
	struct world w = world_make(rules, count);
	struct cfi_frame f = { .known = UINT64_C(1) << SP };
	f.regs[SP] = STACK;
	assert_false(step(&w, FUNC + 0xff, &f));
}

static void damage_ends_the_walk(void **state)
{
	(void)state;
	static const uint8_t unknown[] = { 0x3f }, alone[] = { 0x0b }, cut[] = { 0x0f, 200, 1 };
	static const uint8_t empty_stack[] = { 0x0f, 1, 0x22 }, far[] = { 0x0c, 40, 8 };
	static const uint8_t deep[] = { 10, 10, 10, 10, 10, 10, 10, 10, 10 };
	expect_bad(unknown, sizeof unknown);
	expect_bad(alone, sizeof alone);
	expect_bad(cut, sizeof cut);
	expect_bad(empty_stack, sizeof empty_stack);
	expect_bad(far, sizeof far);
	expect_bad(deep, sizeof deep);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_with_a_frame_pointer),
		cmocka_unit_test(expressions),
		cmocka_unit_test(the_outermost_frame_has_no_caller),
		cmocka_unit_test(damage_ends_the_walk),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
