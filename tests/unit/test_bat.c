/* BOLT's address translation tables, by the rules of its manual. */
#include "blocks/bat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

/* One function at 0x400000 whose first two pairs kept their offsets, one part split from it. */
static const uint8_t note[] = {
	5,   0,    0,    0,    58, 0, 0, 0, 1, 0, 0,
	0,                                  /* head: sizes */
	'B', 'O',  'L',  'T',  0,  0, 0, 0, /* its name */
	1,   0x80, 0x80, 0x80, 2,           /* one, address */
	8,   7,    6,    5,    4,  3, 2, 1, 4, 1, 3,
	2,                                        /* hash, blocks, entries, pairs, of them equal */
	2,                                        /* the second is a branch */
	0,   9,    0,    0,    0,  0, 0, 0, 0, 0, /* +0: block 0 */
	5,                                        /* +5: branch at 5 */
	2,   0x15, 6,    0,    0,  0, 0, 0, 0, 0, 3, /* +7: block 3 at 16 */
	4,                                           /* a further entry */
	1,   9,    0,    32,   1,  1, 0, 0, 1,       /* cold: at +16 */
	0,   0,    0,    0,    0,  0, 0, 2,          /* from 32 on */
};

static void pairs_lead_back_to_the_input(void **state)
{
	struct bat_cursor c;
	(void)state;
	assert_true(bat_open(&c, (struct bytes){ note, sizeof note }, false));
	assert_true(bat_next(&c));
	const struct bat_function *f = &c.function;
	assert_true(f->addr == 0x400000 && !f->cold && f->hash == 0x0102030405060708);
	assert_int_equal(f->blocks, 4);
	assert_int_equal(f->pairs.count, 3);
	assert_true(f->pairs.data[0].addr == 0x400000 && f->pairs.data[0].from == 0);
	assert_int_equal(f->pairs.data[0].hash, 9);
	assert_true(f->pairs.data[1].branch && f->pairs.data[1].from == 5);
	assert_true(f->pairs.data[2].addr == 0x400007 && f->pairs.data[2].from == 16);
	assert_int_equal(f->pairs.data[2].block, 3);
	assert_int_equal(f->entries.count, 1);
	assert_true(bat_next(&c));
	assert_true(f->cold && f->hot == 0 && f->addr == 0x400010);
	assert_int_equal(f->pairs.data[0].from, 32);
	assert_int_equal(f->pairs.data[0].block, 2);
	assert_false(bat_next(&c));
	assert_true(reader_ok(&c.reader));
	bat_close(&c);
}

static void what_is_cut_off_ends(void **state)
{
	(void)state;
	for (size_t size = 0; size < sizeof note; size++) {
		struct bat_cursor c;
		unsigned found = 0;
		if (bat_open(&c, (struct bytes){ note, size }, false))
			while (bat_next(&c))
				found++;
		assert_true(found < 2);
		bat_close(&c);
	}
}

static void a_table_translates(void **state)
{
	struct bat_table t;
	uint64_t from;
	(void)state;
	assert_true(bat_read(&t, (struct bytes){ note, sizeof note }, false));
	assert_false(t.damaged);
	assert_true(t.parts.count == 2 && t.function_count == 1);
	const struct bat_part *hot = bat_part_before(&t, 0x40000f), *cold;
	assert_true(hot->addr == 0x400000 && hot->next == 1);
	assert_true(bat_part_before(&t, 0x400010)->cold && !bat_part_before(&t, 0x3fffff));
	/* The branch; behind it, a call's return; one that llvm-bolt added; a block. */
	assert_true(bat_translate(&t, hot, 5, true, &from) && from == 5);
	assert_true(bat_translate(&t, hot, 6, false, &from) && from == 6);
	assert_true(bat_translate(&t, hot, 6, true, &from) && from == 5);
	assert_true(bat_translate(&t, hot, 8, false, &from) && from == 17);
	cold = bat_part_before(&t, 0x400020);
	assert_true(bat_translate(&t, cold, 0, false, &from) && from == 32);
	bat_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_lead_back_to_the_input),
		cmocka_unit_test(what_is_cut_off_ends),
		cmocka_unit_test(a_table_translates),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
