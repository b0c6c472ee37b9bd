/* Which function owns data, by the order of units. */
#include "attr/attr_order.h"
#include "image/elf/elf_const.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* Each unit has one function and one variable of 16 bytes. A function's label is its number. */
enum {
	UNITS = 1000,
	CODE = 0x1000,
	DATA = 0x100000,
	WIDTH = 16,
	LATE = 900,
	EARLY = 100,
	INIT = 0x200000
};

struct scene {
	struct section sections[4];
	const struct section *data[2];
	struct image im;
	struct labels labels;
	struct source_file file;
	struct attr_scratch scratch;
	struct attr a;
	target_vec targets;
	struct vtables pointers;
	struct order order;
};

static void begin(struct scene *s)
{
	memset(s, 0, sizeof *s);
	s->sections[1] = (struct section){ .addr = CODE,
					   .size = UNITS * WIDTH,
					   .alloc = true,
					   .exec = true,
					   .index = 1,
					   .type = 1 };
	s->sections[2] = (struct section){
		.addr = DATA, .size = UNITS * WIDTH, .alloc = true, .index = 2, .type = 1
	};
	s->sections[3] = (struct section){
		.addr = INIT, .size = 8, .alloc = true, .index = 3, .type = SHT_INIT_ARRAY
	};
	s->order.pointers = &s->pointers;
	s->scratch.ghc_read = true;
	s->data[0] = &s->sections[1];
	s->data[1] = &s->sections[2];
	s->im.sections = s->sections;
	s->im.section_count = COUNT_OF(s->sections);
	s->labels.kinds.count = UNITS;
	s->file.labels = &s->labels;
	s->file.threads = 1;
	s->a = (struct attr){ .f = &s->file, .im = &s->im, .scratch = &s->scratch };
	for (uint32_t i = 0; i < UNITS; i++)
		spans_push(&s->a.vm, CODE + i * WIDTH, WIDTH, i);
}

static uint64_t variable(uint32_t unit)
{
	return DATA + unit * WIDTH;
}

static void use(struct scene *s, uint32_t unit, label_id by, enum why why)
{
	vec_push(&s->targets, (struct target){ variable(unit), by, why, 0 });
}

static void point(struct scene *s, uint64_t place, label_id to)
{
	vec_push(&s->pointers.places, (struct pointer_place){ place, CODE + to * WIDTH });
}

static void judge(struct scene *s)
{
	code_order_read(&s->order.code, &s->a, s->data, 2);
	order_judge(&s->order, &s->a, &s->targets, s->data, 2);
}

static void end(struct scene *s)
{
	order_release(&s->order);
	vec_release(&s->targets);
	vec_release(&s->pointers.places);
	vec_release(&s->scratch.fdes);
	spans_release(&s->a.vm);
}

/* Every unit uses its own variable, except `but`, which `by` uses. */
static void use_own(struct scene *s, uint32_t but, label_id by, enum why why)
{
	for (uint32_t i = 0; i < UNITS; i++)
		use(s, i, i == but ? by : i, i == but ? why : WHY_CODE_REF);
}

/* Every unit uses its own variable. `by` also uses the variable of LATE. */
static void share_late(struct scene *s, label_id by)
{
	for (uint32_t i = 0; i < UNITS; i++) {
		if (i == LATE)
			use(s, i, by, WHY_CODE_REF);
		use(s, i, i, WHY_CODE_REF);
	}
}

static void data_belong_to_the_function_in_their_place(void **state)
{
	struct scene s;
	(void)state;
	begin(&s);
	share_late(&s, EARLY);
	judge(&s);
	for (uint32_t i = 0; i < UNITS; i++) {
		const struct order_verdict *v = order_verdict_next(&s.order, variable(i));
		assert_non_null(v);
		assert_int_equal(v->label, i);
		assert_int_equal(v->units, i == LATE ? 2 : 1);
		assert_int_equal(v->sure, i != LATE);
	}
	assert_null(order_verdict_next(&s.order, variable(UNITS)));
	end(&s);
}

static void a_function_far_away_is_outside(void **state)
{
	static const enum why ways[] = { WHY_CODE_REF, WHY_GOT };
	struct scene s;
	(void)state;
	for (size_t i = 0; i < COUNT_OF(ways); i++) {
		begin(&s);
		use_own(&s, LATE, EARLY, ways[i]);
		judge(&s);
		const struct order_verdict *v = order_verdict_next(&s.order, variable(LATE));
		assert_non_null(v);
		assert_true(v->outside);
		assert_int_equal(v->strange, ways[i] == WHY_GOT);
		assert_false(v->sure);
		assert_int_equal(v->global, ways[i] == WHY_GOT);
		end(&s);
	}
}

static void references_without_an_order_tell_nothing(void **state)
{
	struct scene s;
	uint32_t at = 1, sure = 0;
	(void)state;
	begin(&s);
	for (uint32_t i = 0; i < UNITS; i++) {
		at = at * 1103515245 + 12345;
		use(&s, i, (at >> 8) % UNITS, WHY_CODE_REF);
	}
	judge(&s);
	for (uint32_t i = 0; i < UNITS; i++)
		sure += order_verdict_next(&s.order, variable(i))->sure;
	assert_int_equal(sure, 0);
	end(&s);
}

static void pointers_are_judged_by_the_place_of_their_owner(void **state)
{
	struct scene s;
	(void)state;
	begin(&s);
	for (uint32_t i = 0; i < UNITS; i++)
		if (i != LATE)
			use(&s, i, i, WHY_CODE_REF);
	judge(&s);
	const uint64_t place = variable(LATE + 1);
	assert_true(order_of_pointer(&s.order, place, LATE + 1, variable(LATE)).sure);
	assert_true(order_of_pointer(&s.order, place, EARLY, variable(LATE)).strange);
	/* No function has this label: the place tells. */
	assert_true(order_of_pointer(&s.order, place, UNITS, variable(LATE)).sure);
	assert_false(order_of_pointer(&s.order, place, LATE, CODE).sure);
	end(&s);
}

/* Lists unwind entries of all functions. The last of `per_unit` entries is aligned to 8 bytes, the
 * others to `align`. */
static void list_entries(struct scene *s, uint32_t per_unit, uint64_t align)
{
	uint64_t off = 0;
	for (uint32_t i = 0; i < UNITS; i++) {
		const bool last = (i + 1) % per_unit == 0;
		const uint64_t size = align_up(off + 20, last ? 8 : align) - off;
		vec_push(&s->scratch.fdes, (struct fde){ .addr = CODE + i * WIDTH,
							 .size = WIDTH,
							 .off = off,
							 .bytes = size,
							 .section = 1,
							 .padded = size >= 24 });
		off += size;
	}
}

static void unwind_entries_tell_units(void **state)
{
	struct scene s;
	(void)state;
	begin(&s);
	list_entries(&s, 3, 4); /* 20, 20 and 24 bytes */
	for (uint32_t i = 0; i < UNITS; i++) {
		if (i % 3 == 1) /* the next function of the unit */
			use(&s, i, i + 1, WHY_CODE_REF);
		use(&s, i, i, WHY_CODE_REF);
	}
	judge(&s);
	for (uint32_t i = 0; i < UNITS; i++)
		assert_int_equal(s.order.code.groups[i], i / 3);
	for (uint32_t i = 0; i < UNITS; i++)
		assert_true(order_verdict_next(&s.order, variable(i))->sure);
	end(&s);
}

static void entries_that_are_all_aligned_tell_no_units(void **state)
{
	struct scene s;
	(void)state;
	begin(&s);
	list_entries(&s, 3, 8);
	judge(&s);
	for (uint32_t i = 0; i < UNITS; i++)
		assert_int_equal(s.order.code.groups[i], i);
	end(&s);
}

/* Startup code lies apart, in another order than the data. Its unwind entries do not. */
static void code_that_lies_apart_is_ranked_with_its_unit(void **state)
{
	struct scene s;
	(void)state;
	begin(&s);
	list_entries(&s, 3, 4);
	for (uint32_t i = 0; i < UNITS; i++) {
		const uint32_t place = i % 2 ? i : (i * 7 + 3) % UNITS / 2 * 2;
		s.scratch.fdes.data[i].addr = CODE + place * WIDTH;
		use(&s, i, place, WHY_CODE_REF);
	}
	judge(&s);
	for (uint32_t i = 0; i < UNITS; i++) {
		assert_int_equal(s.order.code.groups[i], i / 3);
		assert_false(order_verdict_next(&s.order, variable(i))->outside);
	}
	end(&s);
}

/* Returns the verdict about the variable of LATE. */
static const struct order_verdict *judge_late(struct scene *s)
{
	judge(s);
	return order_verdict_next(&s->order, variable(LATE));
}

static void functions_in_data_tell_which_user_owns_the_data(void **state)
{
	struct scene s;
	(void)state;
	for (int also = 0; also < 2; also++) { /* also: functions of another unit */
		begin(&s);
		share_late(&s, LATE - 1);
		point(&s, variable(LATE), LATE);
		if (also)
			point(&s, variable(LATE) + 8, EARLY);
		const struct order_verdict *v = judge_late(&s);
		assert_int_equal(v->units, 1 + also);
		assert_int_equal(v->sure, !also);
		end(&s);
	}
}

static void data_without_a_user_belong_to_a_function_that_they_name(void **state)
{
	static const label_id to[] = { LATE, EARLY };
	struct scene s;
	(void)state;
	for (size_t i = 0; i < COUNT_OF(to); i++) {
		begin(&s);
		use_own(&s, LATE, LABEL_NONE, WHY_DATA_REF);
		point(&s, variable(LATE), to[i]);
		const struct order_verdict *v = judge_late(&s);
		if (to[i] == EARLY) { /* in the place of other units */
			assert_null(v);
		} else {
			assert_int_equal(v->label, LATE);
			assert_true(v->pointee);
		}
		end(&s);
	}
}

static void startup_code_owns_the_variables_that_it_makes(void **state)
{
	struct scene s;
	(void)state;
	for (int write = 0; write < 2; write++) {
		begin(&s);
		s.sections[2].write = write;
		share_late(&s, LATE - 1);
		point(&s, INIT, LATE);
		const struct order_verdict *v = judge_late(&s);
		assert_int_equal(v->units, 2 - write);
		end(&s);
	}
}

static void an_address_after_an_array_may_bound_a_loop(void **state)
{
	struct scene s;
	(void)state;
	begin(&s);
	use(&s, LATE - 1, EARLY, WHY_CODE_REF);
	use(&s, LATE, EARLY, WHY_CODE_REF);
	use(&s, LATE, EARLY + 1, WHY_CODE_REF);
	assert_int_equal(judge_late(&s)->label, EARLY + 1);
	end(&s);
}

static void a_constant_of_many_units_may_be_in_none_of_them(void **state)
{
	struct scene s;
	(void)state;
	for (int zeros = 0; zeros < 2; zeros++) {
		begin(&s);
		list_entries(&s, 3, 4);
		s.sections[2].nobits = zeros;
		for (uint32_t i = 0; i < UNITS; i++)
			for (uint32_t k = 0; k < (i == LATE ? 4 : 1); k++)
				use(&s, i, i + 3 * k, WHY_CODE_REF);
		const struct order_verdict *v = judge_late(&s);
		assert_int_equal(v->units, 4);
		assert_false(v->outside);
		assert_int_equal(v->strange, !zeros);
		end(&s);
	}
}

static void an_address_is_in_one_chain(void **state)
{
	struct scene s;
	(void)state;
	begin(&s);
	list_entries(&s, 3, 4);
	for (uint32_t i = 0; i < UNITS; i++) {
		use(&s, i, i - i % 3, WHY_CODE_REF);
		use(&s, i, i - i % 3 + 1, WHY_CODE_REF);
	}
	assert_int_equal(judge_late(&s)->units, 1);
	assert_int_equal(s.order.sections.data[0].chain_count, 1);
	assert_int_equal(s.order.sections.data[0].chains[0].count, UNITS);
	end(&s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(data_belong_to_the_function_in_their_place),
		cmocka_unit_test(a_function_far_away_is_outside),
		cmocka_unit_test(references_without_an_order_tell_nothing),
		cmocka_unit_test(functions_in_data_tell_which_user_owns_the_data),
		cmocka_unit_test(data_without_a_user_belong_to_a_function_that_they_name),
		cmocka_unit_test(startup_code_owns_the_variables_that_it_makes),
		cmocka_unit_test(an_address_after_an_array_may_bound_a_loop),
		cmocka_unit_test(a_constant_of_many_units_may_be_in_none_of_them),
		cmocka_unit_test(an_address_is_in_one_chain),
		cmocka_unit_test(unwind_entries_tell_units),
		cmocka_unit_test(entries_that_are_all_aligned_tell_no_units),
		cmocka_unit_test(code_that_lies_apart_is_ranked_with_its_unit),
		cmocka_unit_test(pointers_are_judged_by_the_place_of_their_owner),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
