#include "map/space.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../lib/rng.h"

/* Labels of the tests are small numbers; names are for reading only. */
enum { FOO = 1, BAR = 2, BAZ = 3, QUX = 4 };

static void put(struct claims *c, uint64_t start, uint64_t size, label_id label)
{
	claim(c, start, size, label, WHY_SYMBOL);
}

static void put_unknown(struct claims *c, uint64_t start, label_id label)
{
	claim_unknown(c, start, label, WHY_SYMBOL);
}

/* The spans are exactly these { start, end, label }. */
static void assert_spans(const struct spans *s, const uint64_t (*want)[3], size_t count)
{
	assert_int_equal(s->list.count, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(s->list.data[i].start, want[i][0]);
		assert_int_equal(s->list.data[i].start + s->list.data[i].size, want[i][1]);
		assert_int_equal(s->list.data[i].label, want[i][2]);
	}
}

#define EXPECT(claims, ...)                                                                        \
	do {                                                                                       \
		struct spans s_;                                                                   \
		const uint64_t want_[][3] = { __VA_ARGS__ };                                       \
		claims_resolve(claims, 1000, &s_);                                                 \
		assert_spans(&s_, want_, COUNT_OF(want_));                                         \
		assert_int_equal((claims)->list.count, 0);                                         \
		spans_release(&s_);                                                                \
	} while (0)

/* ---- claims of known size ------------------------------------------------------------ */

static void no_claims_make_no_spans(void **state)
{
	struct claims c = { 0 };
	struct spans s;
	(void)state;
	claims_resolve(&c, 1000, &s);
	assert_int_equal(s.list.count, 0);
	put(&c, 100, 0, FOO);
	claims_resolve(&c, 1000, &s);
	assert_int_equal(s.list.count, 0);
	spans_release(&s);
}

static void claims_apart_stay_as_they_are(void **state)
{
	struct claims c = { 0 };
	(void)state;
	put(&c, 4, 3, FOO);
	put(&c, 30, 5, BAR);
	put(&c, 50, 20, BAZ);
	EXPECT(&c, { 4, 7, FOO }, { 30, 35, BAR }, { 50, 70, BAZ });
}

static void the_order_of_claims_apart_does_not_matter(void **state)
{
	struct claims c = { 0 };
	(void)state;
	put(&c, 50, 20, BAZ);
	put(&c, 4, 3, FOO);
	put(&c, 30, 5, BAR);
	EXPECT(&c, { 4, 7, FOO }, { 30, 35, BAR }, { 50, 70, BAZ });
}

static void an_earlier_claim_keeps_its_bytes(void **state)
{
	struct claims c = { 0 };
	(void)state;
	put(&c, 100, 10, FOO);
	put(&c, 95, 20, BAR);
	EXPECT(&c, { 95, 100, BAR }, { 100, 110, FOO }, { 110, 115, BAR });
}

static void a_later_claim_inside_an_earlier_one_gets_nothing(void **state)
{
	struct claims c = { 0 };
	(void)state;
	put(&c, 100, 50, FOO);
	put(&c, 110, 10, BAR);
	put(&c, 100, 50, BAZ);
	EXPECT(&c, { 100, 150, FOO });
}

static void a_later_claim_fills_every_gap(void **state)
{
	struct claims c = { 0 };
	(void)state;
	put(&c, 10, 10, FOO);
	put(&c, 30, 10, BAR);
	put(&c, 50, 10, FOO);
	put(&c, 0, 100, BAZ);
	EXPECT(&c, { 0, 10, BAZ }, { 10, 20, FOO }, { 20, 30, BAZ }, { 30, 40, BAR },
	       { 40, 50, BAZ }, { 50, 60, FOO }, { 60, 100, BAZ });
}

static void neighbours_of_one_label_become_one_span(void **state)
{
	struct claims c = { 0 };
	(void)state;
	put(&c, 10, 10, FOO);
	put(&c, 20, 10, FOO);
	put(&c, 25, 15, FOO);
	put(&c, 40, 5, BAR);
	EXPECT(&c, { 10, 40, FOO }, { 40, 45, BAR });
}

static void a_claim_that_continues_the_last_one_costs_no_record(void **state)
{
	struct claims c = { 0 };
	(void)state;
	put(&c, 10, 10, FOO);
	put(&c, 20, 10, FOO);
	assert_int_equal(c.list.count, 1);
	claim(&c, 30, 10, FOO, WHY_PLT);
	assert_int_equal(c.list.count, 2);
	vec_release(&c.list);
}

static void the_ends_of_the_space_can_be_claimed(void **state)
{
	struct claims c = { 0 };
	struct spans s;
	(void)state;
	put(&c, UINT64_MAX - 10, 100, FOO);
	put(&c, UINT64_MAX, 1, BAR);
	put(&c, 0, 1, BAZ);
	claims_resolve(&c, UINT64_MAX, &s);
	assert_int_equal(s.list.count, 2);
	assert_int_equal(s.list.data[0].start, 0);
	assert_int_equal(s.list.data[1].start, UINT64_MAX - 10);
	assert_int_equal(s.list.data[1].size, 10);
	spans_release(&s);
}

/* A file may say any size; none of them may turn into "unknown". */
static void huge_sizes_stay_known(void **state)
{
	const uint64_t sizes[] = { SIZE_UNKNOWN - 1, SIZE_UNKNOWN, SIZE_UNKNOWN + 1, UINT64_MAX };
	(void)state;
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		struct claims c = { 0 };
		struct spans s;
		put(&c, 0, sizes[i], FOO);
		put(&c, 100, 10, BAR);
		claims_resolve(&c, 1000, &s);
		assert_int_equal(s.list.count, 1);
		assert_int_equal(s.list.data[0].label, FOO);
		assert_int_equal(s.list.data[0].size, SIZE_UNKNOWN - 1);
		spans_release(&s);
	}
}

/* ---- claims of unknown size ------------------------------------------------------------ */

static void an_unknown_size_ends_at_the_next_start(void **state)
{
	struct claims c = { 0 };
	(void)state;
	put_unknown(&c, 100, FOO);
	put(&c, 95, 10, BAR);
	EXPECT(&c, { 95, 100, BAR }, { 100, 105, FOO });
}

static void an_unknown_size_ends_at_the_end_of_the_claim_around_it(void **state)
{
	struct claims c = { 0 };
	(void)state;
	put_unknown(&c, 100, FOO);
	put_unknown(&c, 150, BAR);
	put(&c, 100, 100, BAZ);
	EXPECT(&c, { 100, 150, FOO }, { 150, 200, BAR });
}

static void a_known_claim_inside_an_unknown_one_cuts_it_short(void **state)
{
	struct claims c = { 0 };
	(void)state;
	put_unknown(&c, 100, FOO);
	put(&c, 200, 50, BAR);
	put(&c, 150, 10, BAZ);
	EXPECT(&c, { 100, 150, FOO }, { 150, 160, BAZ }, { 200, 250, BAR });
}

static void an_unknown_size_does_not_go_on_behind_what_cut_it(void **state)
{
	struct claims c = { 0 };
	(void)state;
	put_unknown(&c, 100, FOO);
	put(&c, 120, 10, BAR);
	EXPECT(&c, { 100, 120, FOO }, { 120, 130, BAR });
}

static void an_unknown_claim_in_a_known_one_gets_nothing(void **state)
{
	struct claims c = { 0 };
	(void)state;
	put(&c, 100, 50, FOO);
	put_unknown(&c, 110, BAR);
	put_unknown(&c, 100, BAZ);
	EXPECT(&c, { 100, 150, FOO });
}

static void an_unknown_claim_just_behind_a_known_one_is_its_neighbour(void **state)
{
	struct claims c = { 0 };
	(void)state;
	put(&c, 100, 50, FOO);
	put_unknown(&c, 150, BAR);
	put(&c, 170, 10, BAZ);
	EXPECT(&c, { 100, 150, FOO }, { 150, 170, BAR }, { 170, 180, BAZ });
}

static void the_first_of_two_unknown_claims_at_one_address_wins(void **state)
{
	struct claims c = { 0 };
	(void)state;
	put_unknown(&c, 100, FOO);
	put_unknown(&c, 100, BAR);
	put(&c, 140, 10, BAZ);
	EXPECT(&c, { 100, 140, FOO }, { 140, 150, BAZ });
}

static void the_last_unknown_size_ends_with_the_space(void **state)
{
	struct claims c = { 0 };
	(void)state;
	put_unknown(&c, 990, FOO);
	EXPECT(&c, { 990, 1000, FOO });
	put_unknown(&c, 1000, FOO);
	put(&c, 10, 10, BAR);
	EXPECT(&c, { 10, 20, BAR });
}

/* ---- random cross-checks ---------------------------------------------------------------- */

enum { SPACE = 300, CLAIMS = 40 };

struct model {
	struct {
		uint64_t start, size; /* size UINT64_MAX: unknown */
		label_id label;
	} claims[CLAIMS];
	size_t count;
	label_id owner[SPACE];
};

static void model_paint(struct model *m, uint64_t from, uint64_t to, label_id label)
{
	for (uint64_t i = from; i < to && i < SPACE; i++)
		if (m->owner[i] == LABEL_NONE)
			m->owner[i] = label;
}

/* How far claim i of unknown size reaches, by the words of space.h. */
static uint64_t model_end(const struct model *m, size_t i)
{
	const uint64_t at = m->claims[i].start;
	uint64_t end = SPACE;
	for (size_t k = 0; k < m->count; k++) {
		const uint64_t start = m->claims[k].start, size = m->claims[k].size;
		if (k != i && start > at)
			end = min_u64(end, start);
		if (size == UINT64_MAX && start == at && k < i)
			return at;
		if (size == UINT64_MAX || at < start || at - start >= size)
			continue;
		if (k < i)
			return at;
		end = min_u64(end, start + size);
	}
	return end;
}

static void model_resolve(struct model *m)
{
	memset(m->owner, 0xff, sizeof m->owner);
	for (size_t i = 0; i < m->count; i++) {
		const uint64_t start = m->claims[i].start, size = m->claims[i].size;
		model_paint(m, start, size == UINT64_MAX ? model_end(m, i) : start + size,
			    m->claims[i].label);
	}
}

/* The same claims to both.  Labels differ from claim to claim, so that none are merged. */
static void random_claims(struct model *m, struct claims *c, struct rng *r, bool unknown)
{
	m->count = rng_below(r, CLAIMS);
	for (size_t i = 0; i < m->count; i++) {
		const uint64_t start = rng_below(r, SPACE - 40);
		uint64_t size = 1 + rng_below(r, rng_once_in(r, 4) ? 40 : 8);
		if (unknown && rng_once_in(r, 3))
			size = UINT64_MAX;
		m->claims[i].start = start;
		m->claims[i].size = size;
		m->claims[i].label = (label_id)i;
		if (size == UINT64_MAX)
			put_unknown(c, start, (label_id)i);
		else
			put(c, start, size, (label_id)i);
	}
}

static void compare_with_model(bool unknown, size_t parts)
{
	for (uint64_t seed = 0; seed < 20000 / parts; seed++) {
		struct rng r = { seed };
		struct model m;
		struct claims c = { 0 };
		struct spans s;
		random_claims(&m, &c, &r, unknown);
		model_resolve(&m);
		claims_resolve_parts(&c, SPACE, parts, &s);
		for (uint64_t at = 0; at < SPACE; at++)
			if (spans_label(&s, at) != m.owner[at])
				fail_msg("seed %d, byte %d: label %d, the model says %d", (int)seed,
					 (int)at, (int)spans_label(&s, at), (int)m.owner[at]);
		spans_release(&s);
	}
}

static void known_sizes_agree_with_painting_byte_by_byte(void **state)
{
	(void)state;
	compare_with_model(false, 1);
}

static void unknown_sizes_agree_with_the_rule_in_words(void **state)
{
	(void)state;
	compare_with_model(true, 1);
}

static void claims_cut_into_parts_agree_with_them_as_well(void **state)
{
	(void)state;
	compare_with_model(false, 2);
	compare_with_model(true, 5);
}

static void claim_in_both(struct model *m, struct claims *c, uint64_t start, uint64_t size)
{
	const label_id label = (label_id)m->count;
	m->claims[m->count].start = start;
	m->claims[m->count].size = size;
	m->claims[m->count++].label = label;
	put(c, start, size, label);
}

/* Claims that follow one another, at ten places in any order; some reach into the next place, and
 * some of the places are claimed again. */
static void random_stretches(struct model *m, struct claims *c, struct rng *r)
{
	const uint64_t first = rng_below(r, 10), step = 1 + 2 * rng_below(r, 2);
	m->count = 0;
	for (uint64_t i = 0; i < 10; i++) {
		uint64_t at = (first + i * step) % 10 * 30;
		for (uint64_t k = 1 + rng_below(r, 3); k > 0; k--) {
			const uint64_t size = rng_once_in(r, 60) ? 35 : 1 + rng_below(r, 9);
			claim_in_both(m, c, at, size);
			at += size + rng_below(r, 2);
		}
		if (rng_once_in(r, 20))
			claim_in_both(m, c, at - at % 30, 2);
	}
}

static void claims_in_stretches_agree_with_painting_byte_by_byte(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 20000; seed++) {
		struct rng r = { seed };
		struct model m;
		struct claims c = { 0 };
		struct spans s;
		random_stretches(&m, &c, &r);
		model_resolve(&m);
		claims_resolve(&c, SPACE, &s);
		for (uint64_t at = 0; at < SPACE; at++)
			if (spans_label(&s, at) != m.owner[at])
				fail_msg("seed %d, byte %d: label %d, the model says %d", (int)seed,
					 (int)at, (int)spans_label(&s, at), (int)m.owner[at]);
		spans_release(&s);
	}
}

/* ---- spans --------------------------------------------------------------------------------- */

static struct spans spans_of(const uint64_t (*list)[3], size_t count)
{
	struct spans s = { 0 };
	for (size_t i = 0; i < count; i++)
		spans_push(&s, list[i][0], list[i][1] - list[i][0], (label_id)list[i][2]);
	return s;
}

#define SPANS(...)                                                                                 \
	spans_of((const uint64_t[][3]){ __VA_ARGS__ },                                             \
		 COUNT_OF(((const uint64_t[][3]){ __VA_ARGS__ })))

static void an_overlay_keeps_the_top_and_fills_its_gaps(void **state)
{
	struct spans top = SPANS({ 10, 20, FOO }, { 30, 40, BAR });
	struct spans below = SPANS({ 0, 15, BAZ }, { 18, 35, QUX }, { 50, 60, BAZ });
	(void)state;
	spans_overlay(&top, &below);
	const uint64_t want[][3] = {
		{ 0, 10, BAZ }, { 10, 20, FOO }, { 20, 30, QUX }, { 30, 40, BAR }, { 50, 60, BAZ }
	};
	assert_spans(&top, want, COUNT_OF(want));
	assert_int_equal(below.list.count, 0);
	spans_release(&top);
}

static void an_overlay_with_nothing_changes_nothing(void **state)
{
	struct spans top = SPANS({ 10, 20, FOO }), nothing = { 0 };
	const uint64_t want[][3] = { { 10, 20, FOO } };
	(void)state;
	spans_overlay(&top, &nothing);
	assert_spans(&top, want, 1);
	spans_overlay(&nothing, &top);
	assert_spans(&nothing, want, 1);
	spans_release(&nothing);
}

static void an_overlay_is_the_same_as_claiming_later(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 5000; seed++) {
		struct rng r = { seed };
		struct model upper, lower;
		struct claims c = { 0 };
		struct spans top, below;
		random_claims(&upper, &c, &r, false);
		claims_resolve(&c, SPACE, &top);
		random_claims(&lower, &c, &r, false);
		claims_resolve(&c, SPACE, &below);
		model_resolve(&upper);
		model_resolve(&lower);
		spans_overlay(&top, &below);
		for (uint64_t at = 0; at < SPACE; at++) {
			const label_id want = upper.owner[at] != LABEL_NONE ? upper.owner[at]
									    : lower.owner[at];
			assert_int_equal(spans_label(&top, at), want);
		}
		spans_release(&top);
	}
}

static void look_ups_find_the_span_or_nothing(void **state)
{
	struct spans s = SPANS({ 10, 20, FOO }, { 20, 30, BAR }, { 40, 50, BAZ }), none = { 0 };
	(void)state;
	assert_null(spans_find(&s, 9));
	assert_int_equal(spans_find(&s, 10)->label, FOO);
	assert_int_equal(spans_find(&s, 19)->label, FOO);
	assert_int_equal(spans_find(&s, 20)->label, BAR);
	assert_null(spans_find(&s, 30));
	assert_int_equal(spans_label(&s, 49), BAZ);
	assert_int_equal(spans_label(&s, 50), LABEL_NONE);
	assert_int_equal(spans_label(&s, UINT64_MAX), LABEL_NONE);
	assert_null(spans_find(&none, 0));
	spans_release(&s);
}

static void a_cursor_finds_what_a_look_up_finds(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 2000; seed++) {
		struct rng r = { seed };
		struct model m;
		struct claims c = { 0 };
		struct spans s;
		random_claims(&m, &c, &r, true);
		claims_resolve(&c, SPACE, &s);
		struct span_cursor cursor = { &s, 0 };
		uint64_t at = 0;
		for (unsigned i = 0; i < 60; i++) {
			/* Rising as a rule, with jumps in both directions. */
			at = rng_once_in(&r, 8) ? rng_below(&r, SPACE) : at + rng_below(&r, 12);
			assert_int_equal(cursor_label(&cursor, at), spans_label(&s, at));
		}
		spans_release(&s);
	}
}

static void the_total_is_the_sum_of_all_sizes(void **state)
{
	struct spans s = SPANS({ 10, 20, FOO }, { 20, 30, BAR }, { 40, 41, BAZ });
	(void)state;
	assert_int_equal(spans_total(&s), 21);
	spans_release(&s);
}

/* ---- padding -------------------------------------------------------------------------------- */

struct padding {
	struct labels labels;
	label_id real, other, fallback, hole;
};

static struct padding padding_make(void)
{
	struct padding p = { 0 };
	p.real = label_borrow(&p.labels, STR("main"));
	p.other = label_borrow(&p.labels, STR("other"));
	p.fallback = label_borrow(&p.labels, STR("[section .text]"));
	p.hole = label_borrow(&p.labels, STR("[Unmapped]"));
	return p;
}

static void a_short_fallback_goes_to_the_label_before_it(void **state)
{
	struct padding p = padding_make();
	struct spans s = SPANS({ 0, 20, p.real }, { 20, 36, p.fallback }, { 36, 50, p.other });
	const uint64_t want[][3] = { { 0, 36, p.real }, { 36, 50, p.other } };
	(void)state;
	spans_pad(&s, &p.labels, PAD_OWNERS, NULL, 0);
	assert_spans(&s, want, COUNT_OF(want));
	spans_release(&s);
	labels_release(&p.labels);
}

static void seventeen_bytes_are_no_padding(void **state)
{
	struct padding p = padding_make();
	struct spans s = SPANS({ 0, 20, p.real }, { 20, 37, p.fallback }, { 37, 50, p.other });
	const uint64_t want[][3] = { { 0, 20, p.real },
				     { 20, 37, p.fallback },
				     { 37, 50, p.other } };
	(void)state;
	spans_pad(&s, &p.labels, PAD_OWNERS, NULL, 0);
	assert_spans(&s, want, COUNT_OF(want));
	spans_release(&s);
	labels_release(&p.labels);
}

static void padding_behind_a_fallback_or_a_gap_stays(void **state)
{
	struct padding p = padding_make();
	struct spans s = SPANS({ 0, 20, p.fallback }, { 20, 24, p.hole }, { 30, 34, p.fallback },
			       { 40, 44, p.real }, { 45, 46, p.fallback });
	const uint64_t want[][3] = { { 0, 20, p.fallback },
				     { 20, 24, p.hole },
				     { 30, 34, p.fallback },
				     { 40, 44, p.real },
				     { 45, 46, p.fallback } };
	(void)state;
	spans_pad(&s, &p.labels, PAD_OWNERS, NULL, 0);
	assert_spans(&s, want, COUNT_OF(want));
	spans_release(&s);
	labels_release(&p.labels);
}

static void padding_behind_what_is_left_of_a_section_goes_to_it(void **state)
{
	struct padding p = padding_make();
	struct spans s = SPANS({ 0, 20, p.fallback }, { 20, 24, p.hole }, { 30, 34, p.fallback },
			       { 34, 51, p.hole }, { 60, 64, p.fallback }, { 64, 68, p.hole });
	const uint64_t starts[] = { 64 };
	const uint64_t want[][3] = { { 0, 24, p.fallback },
				     { 30, 34, p.fallback },
				     { 34, 51, p.hole },
				     { 60, 64, p.fallback },
				     { 64, 68, p.hole } };
	(void)state;
	spans_pad(&s, &p.labels, PAD_SECTIONS, starts, COUNT_OF(starts));
	assert_spans(&s, want, COUNT_OF(want));
	spans_release(&s);
	labels_release(&p.labels);
}

static void two_paddings_in_a_row_both_go_to_the_label_before(void **state)
{
	struct padding p = padding_make();
	struct spans s = SPANS({ 0, 20, p.real }, { 20, 24, p.fallback }, { 24, 30, p.hole });
	const uint64_t want[][3] = { { 0, 30, p.real } };
	(void)state;
	spans_pad(&s, &p.labels, PAD_OWNERS, NULL, 0);
	assert_spans(&s, want, COUNT_OF(want));
	spans_release(&s);
	labels_release(&p.labels);
}

static void a_short_section_is_no_padding(void **state)
{
	struct padding p = padding_make();
	struct spans s = SPANS({ 0, 20, p.real }, { 20, 24, p.fallback }, { 24, 40, p.other },
			       { 40, 44, p.fallback });
	const uint64_t starts[] = { 3, 20, 20, 39 };
	const uint64_t want[][3] = { { 0, 20, p.real },
				     { 20, 24, p.fallback },
				     { 24, 44, p.other } };
	(void)state;
	spans_pad(&s, &p.labels, PAD_OWNERS, starts, COUNT_OF(starts));
	assert_spans(&s, want, COUNT_OF(want));
	spans_release(&s);
	labels_release(&p.labels);
}

static void what_begins_within_a_gap_is_no_padding(void **state)
{
	struct padding p = padding_make();
	struct spans s = SPANS({ 0, 4, p.real }, { 4, 20, p.fallback }, { 20, 24, p.other });
	const uint64_t starts[] = { 0, 16, 18 };
	const uint64_t want[][3] = { { 0, 16, p.real },
				     { 16, 20, p.fallback },
				     { 20, 24, p.other } };
	(void)state;
	spans_pad(&s, &p.labels, PAD_OWNERS, starts, COUNT_OF(starts));
	assert_spans(&s, want, COUNT_OF(want));
	spans_release(&s);
	labels_release(&p.labels);
}

static void padding_between_two_parts_of_a_symbol_joins_them(void **state)
{
	struct padding p = padding_make();
	struct spans s = SPANS({ 0, 20, p.real }, { 20, 24, p.fallback }, { 24, 40, p.real });
	const uint64_t want[][3] = { { 0, 40, p.real } };
	(void)state;
	spans_pad(&s, &p.labels, PAD_OWNERS, NULL, 0);
	assert_spans(&s, want, COUNT_OF(want));
	spans_release(&s);
	labels_release(&p.labels);
}

static void every_reason_has_a_text(void **state)
{
	(void)state;
	for (unsigned why = 0; why < WHY_COUNT; why++)
		assert_true(strlen(why_text((enum why)why)) > 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_claims_make_no_spans),
		cmocka_unit_test(claims_apart_stay_as_they_are),
		cmocka_unit_test(the_order_of_claims_apart_does_not_matter),
		cmocka_unit_test(an_earlier_claim_keeps_its_bytes),
		cmocka_unit_test(a_later_claim_inside_an_earlier_one_gets_nothing),
		cmocka_unit_test(a_later_claim_fills_every_gap),
		cmocka_unit_test(neighbours_of_one_label_become_one_span),
		cmocka_unit_test(a_claim_that_continues_the_last_one_costs_no_record),
		cmocka_unit_test(the_ends_of_the_space_can_be_claimed),
		cmocka_unit_test(huge_sizes_stay_known),
		cmocka_unit_test(an_unknown_size_ends_at_the_next_start),
		cmocka_unit_test(an_unknown_size_ends_at_the_end_of_the_claim_around_it),
		cmocka_unit_test(a_known_claim_inside_an_unknown_one_cuts_it_short),
		cmocka_unit_test(an_unknown_size_does_not_go_on_behind_what_cut_it),
		cmocka_unit_test(an_unknown_claim_in_a_known_one_gets_nothing),
		cmocka_unit_test(an_unknown_claim_just_behind_a_known_one_is_its_neighbour),
		cmocka_unit_test(the_first_of_two_unknown_claims_at_one_address_wins),
		cmocka_unit_test(the_last_unknown_size_ends_with_the_space),
		cmocka_unit_test(known_sizes_agree_with_painting_byte_by_byte),
		cmocka_unit_test(unknown_sizes_agree_with_the_rule_in_words),
		cmocka_unit_test(claims_cut_into_parts_agree_with_them_as_well),
		cmocka_unit_test(claims_in_stretches_agree_with_painting_byte_by_byte),
		cmocka_unit_test(an_overlay_keeps_the_top_and_fills_its_gaps),
		cmocka_unit_test(an_overlay_with_nothing_changes_nothing),
		cmocka_unit_test(an_overlay_is_the_same_as_claiming_later),
		cmocka_unit_test(look_ups_find_the_span_or_nothing),
		cmocka_unit_test(a_cursor_finds_what_a_look_up_finds),
		cmocka_unit_test(the_total_is_the_sum_of_all_sizes),
		cmocka_unit_test(a_short_fallback_goes_to_the_label_before_it),
		cmocka_unit_test(seventeen_bytes_are_no_padding),
		cmocka_unit_test(padding_behind_a_fallback_or_a_gap_stays),
		cmocka_unit_test(padding_behind_what_is_left_of_a_section_goes_to_it),
		cmocka_unit_test(two_paddings_in_a_row_both_go_to_the_label_before),
		cmocka_unit_test(a_short_section_is_no_padding),
		cmocka_unit_test(what_begins_within_a_gap_is_no_padding),
		cmocka_unit_test(padding_between_two_parts_of_a_symbol_joins_them),
		cmocka_unit_test(every_reason_has_a_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
