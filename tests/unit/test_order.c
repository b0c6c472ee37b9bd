/* Which function owns data, by the order of units. */
#include "attr/attr_order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* Each unit has one function and one variable of 16 bytes. A function's label is its number. */
enum { UNITS = 1000, CODE = 0x1000, DATA = 0x100000, WIDTH = 16, LATE = 900, EARLY = 100 };

struct scene {
	struct section sections[3];
	const struct section *data[2];
	struct image im;
	struct labels labels;
	struct source_file file;
	struct attr_scratch scratch;
	struct attr a;
	target_vec targets;
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

static void judge(struct scene *s)
{
	code_order_read(&s->order.code, &s->a, s->data, 2);
	order_judge(&s->order, &s->a, &s->targets, s->data, 2);
}

static void end(struct scene *s)
{
	order_release(&s->order);
	vec_release(&s->targets);
	vec_release(&s->scratch.fdes);
	spans_release(&s->a.vm);
}

/* Every unit uses its own variable, except `but`, which `by` uses. */
static void use_own(struct scene *s, uint32_t but, label_id by, enum why why)
{
	for (uint32_t i = 0; i < UNITS; i++)
		use(s, i, i == but ? by : i, i == but ? why : WHY_CODE_REF);
}

static void data_belong_to_the_function_in_their_place(void **state)
{
	struct scene s;
	(void)state;
	begin(&s);
	for (uint32_t i = 0; i < UNITS; i++) {
		if (i == LATE) /* the first function by address is another unit's */
			use(&s, i, EARLY, WHY_CODE_REF);
		use(&s, i, i, WHY_CODE_REF);
	}
	judge(&s);
	for (uint32_t i = 0; i < UNITS; i++) {
		const struct order_verdict *v = order_verdict_next(&s.order, variable(i));
		assert_non_null(v);
		assert_int_equal(v->label, i);
		assert_int_equal(v->shared, i == LATE);
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

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(data_belong_to_the_function_in_their_place),
		cmocka_unit_test(a_function_far_away_is_outside),
		cmocka_unit_test(references_without_an_order_tell_nothing),
		cmocka_unit_test(unwind_entries_tell_units),
		cmocka_unit_test(entries_that_are_all_aligned_tell_no_units),
		cmocka_unit_test(code_that_lies_apart_is_ranked_with_its_unit),
		cmocka_unit_test(pointers_are_judged_by_the_place_of_their_owner),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
