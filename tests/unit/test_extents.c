/* Where data end whose symbols state no size. */
#include "attr/attr_refs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

enum { TABLE = 0x1000, NEXT = 0x1100, END = 0x1200 };
enum { LABEL_TABLE = 1, LABEL_NEXT, READER, STRANGER, LABELS };

struct scene {
	struct section sections[2];
	struct image im;
	struct labels labels;
	struct source_file file;
	struct attr a;
	struct attr_scratch scratch;
	target_vec targets;
};

static void begin(struct scene *s, bool write, bool local)
{
	memset(s, 0, sizeof *s);
	s->sections[1] = (struct section){ .addr = TABLE, .size = END - TABLE, .write = write };
	s->im.sections = s->sections;
	s->labels.kinds.count = LABELS;
	s->file.labels = &s->labels;
	s->scratch = (struct attr_scratch){ 0 };
	s->a = (struct attr){ .f = &s->file, .im = &s->im, .scratch = &s->scratch };
	vec_push(&s->scratch.guessed, (struct place){ .addr = TABLE,
						      .size = NEXT - TABLE,
						      .label = LABEL_TABLE,
						      .section = 1,
						      .local = local });
	vec_push(&s->scratch.guessed, (struct place){ .addr = NEXT,
						      .size = END - NEXT,
						      .label = LABEL_NEXT,
						      .section = 1,
						      .local = local });
}

static void put(struct scene *s, uint64_t addr, label_id label)
{
	vec_push(&s->targets, (struct target){ addr, label, WHY_CODE_REF });
}

/* The size of the first symbol. */
static uint64_t size(struct scene *s)
{
	extents_find(&s->a, &s->targets);
	const uint64_t ret = s->scratch.guessed.data[0].size;
	assert_int_equal(s->scratch.guessed.data[1].size, END - NEXT);
	vec_release(&s->scratch.guessed);
	vec_release(&s->targets);
	return ret;
}

static void a_symbol_ends_where_somebody_else_refers(void **state)
{
	struct scene s;
	(void)state;
	begin(&s, false, true);
	put(&s, TABLE, READER);
	put(&s, TABLE + 0x10, READER);
	put(&s, TABLE + 0x20, STRANGER);
	put(&s, TABLE + 0x30, STRANGER);
	assert_int_equal(size(&s), 0x20);
	begin(&s, false, true);
	put(&s, TABLE + 8, STRANGER); /* nobody refers to its start */
	assert_int_equal(size(&s), 8);
}

static void who_refers_to_the_symbol_reads_its_fields(void **state)
{
	struct scene s;
	(void)state;
	begin(&s, true, true);
	put(&s, TABLE, READER);
	put(&s, TABLE + 8, STRANGER);
	put(&s, TABLE + 8, READER);
	extents_find(&s.a, &s.targets);
	assert_int_equal(s.scratch.guessed.data[0].size, NEXT - TABLE);
	for (size_t i = 0; i < 3; i++) { /* all of them lead to the symbol */
		assert_int_equal(s.targets.data[i].addr, TABLE);
		assert_int_equal(s.targets.data[i].label, LABEL_TABLE);
	}
	vec_release(&s.scratch.guessed);
	vec_release(&s.targets);
}

static void pointers_end_it_where_local_data_have_no_symbols(void **state)
{
	static const struct {
		bool write, local;
		uint64_t size;
	} cases[] = { { false, false, 0x18 },
		      { true, false, NEXT - TABLE },
		      { false, true, NEXT - TABLE } };
	struct scene s;
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		begin(&s, cases[i].write, cases[i].local);
		put(&s, TABLE, READER);
		put(&s, TABLE + 0x18, LABEL_NONE);
		assert_int_equal(size(&s), cases[i].size);
	}
}

static void owners_behind_a_symbol_end_it(void **state)
{
	struct scene s;
	(void)state;
	begin(&s, false, true);
	spans_push(&s.a.vm, TABLE + 0x40, 8, STRANGER);
	assert_int_equal(size(&s), 0x40);
	spans_release(&s.a.vm);
}

static void aliases_are_as_large_as_their_symbol(void **state)
{
	struct scene s;
	(void)state;
	begin(&s, false, true);
	s.scratch.guessed.data[1].addr = TABLE;
	put(&s, TABLE + 0x50, STRANGER);
	extents_find(&s.a, &s.targets);
	assert_int_equal(s.scratch.guessed.data[1].size, 0x50);
	vec_release(&s.scratch.guessed);
	vec_release(&s.targets);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_symbol_ends_where_somebody_else_refers),
		cmocka_unit_test(who_refers_to_the_symbol_reads_its_fields),
		cmocka_unit_test(pointers_end_it_where_local_data_have_no_symbols),
		cmocka_unit_test(owners_behind_a_symbol_end_it),
		cmocka_unit_test(aliases_are_as_large_as_their_symbol),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
