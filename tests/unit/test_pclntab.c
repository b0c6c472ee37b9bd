/* Hand-assembled tables of Go's functions, in each layout and byte order. */
#include "../lib/pclntab_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

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
	for (unsigned i = 0; i < 2 * COUNT_OF(layout_magics); i++) {
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
