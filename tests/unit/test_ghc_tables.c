/* GHC's info tables, made by hand. */
#include "../lib/blob.h"
#include "runtime/ghc_tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum {
	CODE = 0x1000,
	DATA = 0x100000,
	WORD = 8,
	FUNCTIONS = 20,
	THUNK = 16,
	GENERAL = 0,
	PATTERN = 4
};

static const char text[] = "base:GHC.Maybe.Just";

static struct bytes load(void *ctx, uint64_t addr, uint64_t size)
{
	const struct bytes all = { (const uint8_t *)text, sizeof text };
	(void)ctx;
	if (addr < DATA || addr - DATA >= all.size)
		return (struct bytes){ 0 };
	return bytes_sub(all, addr - DATA, min_u64(size, all.size - (addr - DATA)));
}

/* A table of `more` words before the last two. `srt`: the last field, or the word that it tells
 * of. Returns the address of the code, one word of it. */
static uint64_t add_table(struct blob *b, uint64_t layout, unsigned type, unsigned more, bool apart)
{
	const uint64_t entry = CODE + b->size + 2 * WORD;
	blob_u64(b, layout);
	blob_u32(b, type);
	blob_u32(b, more == 0 ? 0 : apart ? 1 : (uint64_t)DATA + WORD - entry);
	blob_u64(b, UINT64_C(0x9090909090e3ff48));
	return entry;
}

static uint64_t add_function(struct blob *b, bool apart)
{
	const uint64_t words = apart ? 4 : 3, entry = CODE + b->size + words * WORD;
	if (apart)
		blob_u64(b, DATA + WORD - entry);
	blob_u32(b, PATTERN);
	blob_u32(b, 1);
	return add_table(b, 0, GHC_FUNCTION_LAST, 1, apart);
}

static void add_constructor(struct blob *b)
{
	blob_u64(b, (uint64_t)DATA - (CODE + b->size + 3 * WORD));
	add_table(b, b->big_endian ? UINT64_C(1) << 32 : 1, GHC_CONSTRUCTOR + 1, 0, false);
}

static void find(struct ghc_tables *t, const struct blob *b, bool apart)
{
	const struct ghc_code code = { CODE, blob_bytes(b) };
	const struct ghc_image im = { .code = &code,
				      .count = 1,
				      .big_endian = b->big_endian,
				      .inline_srt = !apart,
				      .load = load };
	ghc_tables_find(t, &im);
}

static void functions_frames_and_constructors_are_found(void **state)
{
	(void)state;
	for (unsigned form = 0; form < 4; form++) {
		struct blob b = { .big_endian = form & 1 };
		struct ghc_tables t;
		uint64_t entries[FUNCTIONS];
		add_constructor(&b);
		for (size_t i = 0; i < FUNCTIONS; i++) {
			entries[i] = add_function(&b, form & 2);
			add_table(&b, 2 | 1 << 6, GHC_RETURN, 0, form & 2);
		}
		find(&t, &b, form & 2);
		assert_int_equal(t.list.count, 1 + 2 * FUNCTIONS);
		assert_int_equal(t.list.data[0].data, DATA);
		assert_int_equal(t.list.data[0].size, 3 * WORD);
		for (size_t i = 0; i < FUNCTIONS; i++) {
			const struct ghc_table *f = ghc_table_at(&t, entries[i]);
			assert_non_null(f);
			assert_int_equal(f->data, DATA + WORD);
			assert_int_equal(f->size, (form & 2 ? 4 : 3) * WORD);
			assert_false(ghc_table_continues(f));
			assert_true(ghc_table_continues(f + 1));
		}
		assert_null(ghc_table_at(&t, entries[0] + WORD));
		ghc_tables_release(&t);
	}
}

/* A function of any arguments: before its arity stand a bitmap, and the code for slow calls. */
static void code_for_slow_calls_is_found(void **state)
{
	struct blob b = { 0 };
	struct ghc_tables t;
	(void)state;
	for (size_t i = 0; i < FUNCTIONS; i++)
		add_function(&b, false);
	blob_u64(&b, 0 - (uint64_t)(6 * WORD));
	blob_u64(&b, 1);
	blob_u32(&b, GENERAL);
	blob_u32(&b, 3);
	const uint64_t entry = add_table(&b, 0, GHC_FUNCTION_LAST, 1, false);
	find(&t, &b, false);
	const struct ghc_table *f = ghc_table_at(&t, entry);
	assert_non_null(f);
	assert_int_equal(f->size, 5 * WORD);
	assert_int_equal(f->slow, entry - 6 * WORD);
	ghc_tables_release(&t);
}

/* Small numbers of 64 bits look like tables of thunks; none leads to an object. */
static void numbers_in_a_row_are_no_tables(void **state)
{
	struct blob b = { 0 };
	struct ghc_tables t;
	(void)state;
	for (uint64_t i = 0; i < 900; i++)
		blob_u64(&b, THUNK + i % 8);
	find(&t, &b, false);
	assert_int_equal(t.list.count, 0);
	ghc_tables_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_frames_and_constructors_are_found),
		cmocka_unit_test(code_for_slow_calls_is_found),
		cmocka_unit_test(numbers_in_a_row_are_no_tables),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
