/* Hand-assembled tables of Go's functions, in each layout and byte order. */
#include "../lib/blob.h"
#include "debug/pclntab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { TEXT = 0x401000, FIRST_SIZE = 40, ROOM = 64, SECOND_SIZE = 16 };

static const uint32_t magics[] = { 0xfffffffb, 0xfffffffa, 0xfffffff0, 0xfffffff1 };

struct made {
	struct blob b;
	enum pclntab_layout layout;
	size_t names, values, files, units, funcs; /* where these begin */
	size_t records[2];
};

static void align(struct made *m)
{
	blob_zeros(&m->b, -m->b.size % 8);
}

/* "main.main", "main.run"; a table of values of 40 bytes of code and one of 16; a file. */
static void put_tables(struct made *m)
{
	static const uint8_t values[] = { 0, 2, 8, 4, 32, 0, 2, 16, 0 };
	m->names = m->b.size;
	blob_text(&m->b, "main.main");
	blob_text(&m->b, "main.run");
	m->values = m->b.size;
	for (size_t i = 0; i < sizeof values; i++)
		blob_u8(&m->b, values[i]);
	m->files = m->b.size;
	blob_text(&m->b, "main.go");
	align(m);
	m->units = m->b.size;
	if (m->layout == PCLNTAB_2)
		blob_u32(&m->b, 2);
	blob_u32(&m->b, (uint32_t)(m->layout == PCLNTAB_2 ? m->files : 0));
	align(m);
}

static void put_record(struct made *m, unsigned i)
{
	const uint32_t base = m->layout == PCLNTAB_2 ? (uint32_t)m->values : 0;
	const uint32_t values = base + (i == 0 ? 1 : 6);
	const uint64_t addr = i * ROOM + (m->layout >= PCLNTAB_18 ? 0 : TEXT);
	m->records[i] = m->b.size;
	if (m->layout >= PCLNTAB_18)
		blob_u32(&m->b, (uint32_t)addr);
	else
		blob_u64(&m->b, addr);
	blob_u32(&m->b, (uint32_t)((m->layout == PCLNTAB_2 ? m->names : 0) + i * 10));
	blob_u32(&m->b, 0);
	blob_u32(&m->b, 0);
	for (unsigned k = 0; k < 3; k++)
		blob_u32(&m->b, values);
	blob_u32(&m->b, 1); /* further tables */
	if (m->layout != PCLNTAB_2)
		blob_u32(&m->b, 0);
	if (m->layout == PCLNTAB_20)
		blob_u32(&m->b, 7);
	blob_u32(&m->b, m->b.big_endian ? 1 : 1u << 24); /* pieces of data */
	blob_u32(&m->b, values);
	if (m->layout < PCLNTAB_18)
		align(m);
	if (m->layout >= PCLNTAB_18)
		blob_u32(&m->b, 0x20);
	else
		blob_u64(&m->b, 0x20);
}

static void put_list(struct made *m)
{
	const unsigned width = m->layout >= PCLNTAB_18 ? 4 : 8;
	m->funcs = m->b.size;
	blob_zeros(&m->b, 5 * width);
	if (m->layout == PCLNTAB_2)
		blob_u32(&m->b, 0); /* where the files are */
	align(m);
}

static void fill_list(struct made *m)
{
	const unsigned width = m->layout >= PCLNTAB_18 ? 4 : 8;
	const uint64_t text = m->layout >= PCLNTAB_18 ? 0 : TEXT;
	const uint64_t base = m->layout == PCLNTAB_2 ? 0 : m->funcs;
	for (unsigned i = 0; i < 3; i++)
		blob_patch(&m->b, m->funcs + 2 * i * width, text + i * ROOM, width);
	for (unsigned i = 0; i < 2; i++)
		blob_patch(&m->b, m->funcs + (2 * i + 1) * width, m->records[i] - base, width);
}

static void make(struct made *m, enum pclntab_layout layout, bool big_endian)
{
	*m = (struct made){ .b = { .big_endian = big_endian }, .layout = layout };
	blob_u32(&m->b, magics[layout]);
	blob_u8(&m->b, 0);
	blob_u8(&m->b, 0);
	blob_u8(&m->b, 1);
	blob_u8(&m->b, 8);
	blob_u64(&m->b, 2);
	const size_t header = m->b.size;
	for (unsigned i = 0; layout != PCLNTAB_2 && i < 7; i++)
		blob_u64(&m->b, 0);
	if (layout == PCLNTAB_2)
		put_list(m);
	put_tables(m);
	if (layout != PCLNTAB_2)
		put_list(m);
	put_record(m, 0);
	put_record(m, 1);
	fill_list(m);
	if (layout == PCLNTAB_2) {
		blob_patch(&m->b, m->funcs + 40, m->units, 4);
		return;
	}
	const uint64_t words[] = { 1, TEXT, m->names, m->units, m->files, m->values, m->funcs };
	const size_t skipped = layout == PCLNTAB_16 ? 1 : 7;
	for (size_t i = 0, at = header; i < COUNT_OF(words); i++)
		if (i != skipped) {
			blob_patch(&m->b, at, words[i], 8);
			at += 8;
		}
}

static void expect_function(const struct made *m, const struct pclntab *t, unsigned i)
{
	struct pclntab_func f;
	uint64_t word, name;
	struct str text;
	assert_true(pclntab_func(t, i, &f));
	assert_int_equal(f.addr, TEXT + i * ROOM);
	assert_int_equal(f.size, i == 0 ? FIRST_SIZE : SECOND_SIZE);
	assert_int_equal(f.room, ROOM);
	assert_true(str_eq(f.name, i == 0 ? STR("main.main") : STR("main.run")));
	assert_int_equal(f.record, m->records[i]);
	assert_int_equal(f.record + f.record_size, i == 0 ? m->records[1] : m->b.size);
	assert_int_equal(f.data_count, 1);
	assert_int_equal(pclntab_more(t, &f, 0), f.tables[PCLNTAB_FILE]);
	const int64_t file = m->layout == PCLNTAB_2 ? 1 : 0;
	assert_true(pclntab_file(t, &f, file, &word, &name));
	assert_true(bytes_cstr(t->bytes, name, &text) && str_eq(text, STR("main.go")));
	assert_false(pclntab_file(t, &f, -1, &word, &name));
}

static void functions_of_every_layout_are_read(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2 * COUNT_OF(magics); i++) {
		struct made m;
		struct pclntab t;
		make(&m, (enum pclntab_layout)(i / 2), i % 2 != 0);
		assert_true(pclntab_open(&t, blob_bytes(&m.b), m.b.big_endian));
		assert_int_equal(t.func_count, 2);
		expect_function(&m, &t, 0);
		expect_function(&m, &t, 1);
	}
}

static void values_hold_up_to_an_address(void **state)
{
	(void)state;
	struct made m;
	struct pclntab t;
	make(&m, PCLNTAB_18, false);
	assert_true(pclntab_open(&t, blob_bytes(&m.b), false));
	struct pclntab_values v = pclntab_values(&t, 1);
	assert_true(pclntab_values_next(&v));
	assert_int_equal(v.value, 0);
	assert_int_equal(v.end, 8);
	assert_true(pclntab_values_next(&v));
	assert_int_equal(v.value, 2);
	assert_int_equal(v.end, FIRST_SIZE);
	assert_false(pclntab_values_next(&v));
	assert_int_equal(v.r.pos, m.values + 6);
}

static void what_states_too_much_is_refused(void **state)
{
	(void)state;
	struct made m;
	struct pclntab t;
	make(&m, PCLNTAB_20, false);
	const struct bytes b = blob_bytes(&m.b);
	blob_patch(&m.b, 8, UINT64_MAX / 8, 8);
	assert_false(pclntab_open(&t, b, false));
	blob_patch(&m.b, 8, 2, 8);
	blob_patch(&m.b, m.funcs + 4, UINT32_MAX, 4); /* a record outside */
	struct pclntab_func f;
	assert_true(pclntab_open(&t, b, false));
	assert_false(pclntab_func(&t, 0, &f));
	assert_true(pclntab_func(&t, 1, &f));
	for (uint64_t size = 0; size < m.funcs; size++)
		assert_false(pclntab_open(&t, bytes_sub(b, 0, size), false));
	blob_patch(&m.b, 0, 0xfffffff2, 4);
	assert_false(pclntab_open(&t, b, false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_of_every_layout_are_read),
		cmocka_unit_test(values_hold_up_to_an_address),
		cmocka_unit_test(what_states_too_much_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
