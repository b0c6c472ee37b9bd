#include "map/rollup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../lib/rng.h"

/* Names are interned in the order of first use. */
struct fixture {
	struct labels labels;
	struct rollup rollup;
	struct spans spans[4];
	size_t span_count;
};

static struct fixture fixture_make(void)
{
	struct fixture f = { 0 };
	rollup_init(&f.rollup, ROLLUP_COUNT, true);
	return f;
}

static void fixture_release(struct fixture *f)
{
	for (size_t i = 0; i < f->span_count; i++)
		spans_release(&f->spans[i]);
	pattern_free((struct pattern *)(uintptr_t)f->rollup.filter.include);
	pattern_free((struct pattern *)(uintptr_t)f->rollup.filter.exclude);
	rollup_release(&f->rollup);
	labels_release(&f->labels);
}

struct piece {
	uint64_t start, end;
	const char *label;
};

static const struct spans *spans_of(struct fixture *f, const struct piece *list, size_t count)
{
	struct spans *s = &f->spans[f->span_count++];
	for (size_t i = 0; i < count; i++)
		spans_push(s, list[i].start, list[i].end - list[i].start,
			   label_borrow(&f->labels, str_of(list[i].label)));
	return s;
}

#define SPANS(f, ...)                                                                              \
	spans_of(f, (const struct piece[]){ __VA_ARGS__ },                                         \
		 COUNT_OF(((const struct piece[]){ __VA_ARGS__ })))

static void add(struct fixture *f, enum heft_domain domain, enum heft_role role,
		const struct spans *a, const struct spans *b)
{
	const struct rollup_level levels[] = { { .spans = a }, { .spans = b } };
	rollup_add(&f->rollup, &(struct rollup_walk){ .domain = domain,
						      .role = role,
						      .levels = levels,
						      .level_count = b ? 2 : 1,
						      .labels = &f->labels });
}

static uint32_t node_count(const struct fixture *f)
{
	return (uint32_t)f->rollup.tree.nodes.count;
}

/* The node with this label below `parent`, which must be there. */
static uint32_t below(const struct fixture *f, uint32_t parent, const char *label)
{
	uint32_t found = 0;
	for (uint32_t i = 1; i < node_count(f); i++) {
		const struct tree_node *node = &f->rollup.tree.nodes.data[i];
		if (node->parent != parent ||
		    !str_eq(label_text(&f->labels, node->key), str_of(label)))
			continue;
		assert_int_equal(found, 0);
		found = i;
	}
	assert_int_not_equal(found, 0);
	return found;
}

static uint64_t sum(const struct fixture *f, uint32_t node, enum heft_size_measure m,
		    enum heft_role role)
{
	return tree_sums(&f->rollup.tree, node, role)[m];
}

static uint64_t file_of(const struct fixture *f, uint32_t node)
{
	return sum(f, node, HEFT_SIZE_FILE, HEFT_INPUT);
}

static uint64_t vm_of(const struct fixture *f, uint32_t node)
{
	return sum(f, node, HEFT_SIZE_VM, HEFT_INPUT);
}

static uint64_t count_of(const struct fixture *f, uint32_t node)
{
	return sum(f, node, HEFT_SIZE_COUNT, HEFT_INPUT);
}

/* ---- sums ----------------------------------------------------------------------------------- */

static void one_level_sums_up_every_label(void **state)
{
	struct fixture f = fixture_make();
	const struct spans *s = SPANS(&f, { 0, 10, "a" }, { 10, 15, "b" }, { 20, 30, "a" });
	(void)state;
	add(&f, HEFT_FILE, HEFT_INPUT, s, NULL);
	assert_int_equal(file_of(&f, 0), 25);
	assert_int_equal(file_of(&f, below(&f, 0, "a")), 20);
	assert_int_equal(file_of(&f, below(&f, 0, "b")), 5);
	assert_int_equal(node_count(&f), 3);
	fixture_release(&f);
}

static void domains_and_roles_are_summed_apart(void **state)
{
	struct fixture f = fixture_make();
	const struct spans *s = SPANS(&f, { 0, 10, "a" });
	const struct spans *t = SPANS(&f, { 0, 3, "a" });
	(void)state;
	add(&f, HEFT_FILE, HEFT_INPUT, s, NULL);
	add(&f, HEFT_VM, HEFT_INPUT, t, NULL);
	add(&f, HEFT_VM, HEFT_INPUT, t, NULL);
	add(&f, HEFT_VM, HEFT_BASE, s, NULL);
	const uint32_t a = below(&f, 0, "a");
	assert_int_equal(file_of(&f, a), 10);
	assert_int_equal(vm_of(&f, a), 6);
	assert_int_equal(sum(&f, a, HEFT_SIZE_VM, HEFT_BASE), 10);
	assert_int_equal(sum(&f, a, HEFT_SIZE_FILE, HEFT_BASE), 0);
	fixture_release(&f);
}

static void two_levels_are_cut_at_every_border(void **state)
{
	struct fixture f = fixture_make();
	const struct spans *s = SPANS(&f, { 0, 10, "x" }, { 10, 30, "y" });
	const struct spans *t = SPANS(&f, { 0, 5, "a" }, { 5, 20, "b" }, { 20, 30, "a" });
	(void)state;
	add(&f, HEFT_FILE, HEFT_INPUT, s, t);
	const uint32_t x = below(&f, 0, "x");
	const uint32_t y = below(&f, 0, "y");
	assert_int_equal(file_of(&f, below(&f, x, "a")), 5);
	assert_int_equal(file_of(&f, below(&f, x, "b")), 5);
	assert_int_equal(file_of(&f, below(&f, y, "b")), 10);
	assert_int_equal(file_of(&f, below(&f, y, "a")), 10);
	assert_int_equal(node_count(&f), 7);
	fixture_release(&f);
}

struct seen {
	size_t count;
	uint64_t start[8], size[8];
	label_id a[8], b[8];
};

static void see(void *ctx, uint64_t start, uint64_t size, const label_id *labels)
{
	struct seen *s = ctx;
	assert_true(s->count < 8);
	s->start[s->count] = start;
	s->size[s->count] = size;
	s->a[s->count] = labels[0];
	s->b[s->count++] = labels[1];
}

static void pieces_come_in_order_with_the_labels_of_all_levels(void **state)
{
	struct fixture f = fixture_make();
	const struct spans *s = SPANS(&f, { 5, 10, "x" }, { 20, 30, "y" });
	const struct spans *t = SPANS(&f, { 5, 7, "a" }, { 7, 10, "b" }, { 20, 30, "b" });
	const label_id shown[] = { 100, 101, 102, 103 };
	const struct rollup_level levels[] = { { .spans = s }, { .spans = t, .shown = shown } };
	struct seen seen = { 0 };
	(void)state;
	rollup_pieces(levels, 2, see, &seen);
	assert_int_equal(seen.count, 3);
	assert_int_equal(seen.start[0], 5);
	assert_int_equal(seen.size[0], 2);
	assert_int_equal(seen.start[1], 7);
	assert_int_equal(seen.start[2], 20);
	assert_int_equal(seen.size[2], 10);
	assert_int_equal(seen.a[1], s->list.data[0].label);
	assert_int_equal(seen.b[1], shown[t->list.data[1].label]);
	fixture_release(&f);
}

static void labels_shown_alike_share_a_row(void **state)
{
	struct fixture f = fixture_make();
	const struct spans *s = SPANS(&f, { 0, 10, "foo(int)" }, { 10, 15, "foo(long)" });
	const label_id foo = label_borrow(&f.labels, STR("foo()"));
	const label_id shown[] = { foo, foo, foo };
	const struct rollup_level level = { s, shown };
	(void)state;
	rollup_add(&f.rollup, &(struct rollup_walk){ .domain = HEFT_VM,
						     .role = HEFT_INPUT,
						     .levels = &level,
						     .level_count = 1,
						     .labels = &f.labels });
	assert_int_equal(node_count(&f), 2);
	assert_int_equal(vm_of(&f, below(&f, 0, "foo()")), 15);
	fixture_release(&f);
}

static void many_rows_keep_their_sums(void **state)
{
	struct fixture f = fixture_make();
	struct spans *s = &f.spans[f.span_count++];
	(void)state;
	for (uint64_t i = 0; i < 20000; i++)
		spans_push(s, 10 * i, 10, label_format(&f.labels, "label %d", (int)(i * 7 % 5000)));
	add(&f, HEFT_FILE, HEFT_INPUT, s, s);
	assert_int_equal(node_count(&f), 10001);
	for (uint32_t i = 1; i < node_count(&f); i++)
		assert_int_equal(file_of(&f, i), 40);
	fixture_release(&f);
}

/* ---- filters --------------------------------------------------------------------------------- */

static void add_filtered(struct fixture *f, const char *include, const char *exclude,
			 const struct spans *s, const struct spans *base)
{
	const struct rollup_level level = { .spans = s };
	f->rollup.filter =
		(struct filter){ .include = include ? pattern_new(str_of(include), NULL) : NULL,
				 .exclude = exclude ? pattern_new(str_of(exclude), NULL) : NULL };
	rollup_add(&f->rollup, &(struct rollup_walk){ .domain = HEFT_FILE,
						      .role = HEFT_INPUT,
						      .levels = &level,
						      .level_count = 1,
						      .base = base,
						      .labels = &f->labels });
}

static void an_include_filter_keeps_what_matches_and_counts_the_rest(void **state)
{
	struct fixture f = fixture_make();
	const struct spans *s = SPANS(&f, { 0, 10, "abc" }, { 10, 15, "xbx" }, { 15, 35, "def" });
	const struct spans *base = SPANS(&f, { 0, 35, "LOAD" });
	(void)state;
	add_filtered(&f, "b", NULL, s, base);
	assert_int_equal(file_of(&f, 0), 15);
	assert_int_equal(f.rollup.omitted_file, 20);
	assert_int_equal(f.rollup.omitted_vm, 0);
	assert_int_equal(node_count(&f), 3);
	fixture_release(&f);
}

static void an_exclude_filter_drops_what_matches(void **state)
{
	struct fixture f = fixture_make();
	const struct spans *s = SPANS(&f, { 0, 10, "abc" }, { 10, 15, "xbx" }, { 15, 35, "def" });
	const struct spans *base = SPANS(&f, { 0, 35, "LOAD" });
	(void)state;
	add_filtered(&f, NULL, "^x|f$", s, base);
	assert_int_equal(file_of(&f, 0), 10);
	assert_int_equal(f.rollup.omitted_file, 25);
	fixture_release(&f);
}

static void exclusion_beats_inclusion(void **state)
{
	struct fixture f = fixture_make();
	const struct spans *s = SPANS(&f, { 0, 10, "abc" }, { 10, 15, "xbx" }, { 15, 35, "def" });
	const struct spans *base = SPANS(&f, { 0, 35, "LOAD" });
	(void)state;
	add_filtered(&f, "b", "x", s, base);
	assert_int_equal(file_of(&f, 0), 10);
	fixture_release(&f);
}

static void a_filter_also_sees_the_base_map(void **state)
{
	struct fixture f = fixture_make();
	const struct spans *s = SPANS(&f, { 0, 30, "abc" });
	const struct spans *base = SPANS(&f, { 0, 12, "LOAD #3 [RX]" }, { 12, 30, "[Unmapped]" });
	(void)state;
	add_filtered(&f, "Unmapped", NULL, s, base);
	assert_int_equal(file_of(&f, 0), 18);
	assert_int_equal(f.rollup.omitted_file, 12);
	fixture_release(&f);
}

/* ---- counting -------------------------------------------------------------------------------- */

static void add_counted(struct fixture *f, enum heft_domain domain, const struct spans *s,
			const struct spans *symbols)
{
	const struct rollup_level level = { .spans = s };
	rollup_add(&f->rollup, &(struct rollup_walk){ .domain = domain,
						      .role = HEFT_INPUT,
						      .levels = &level,
						      .level_count = 1,
						      .symbols = symbols,
						      .labels = &f->labels });
}

static void a_symbol_counts_once_for_a_row_however_often_it_is_there(void **state)
{
	struct fixture f = fixture_make();
	const struct spans *s = SPANS(&f, { 0, 50, "x" }, { 50, 60, "y" });
	const struct spans *symbols = SPANS(&f, { 0, 10, "a" }, { 10, 20, "b" }, { 20, 30, "a" },
					    { 30, 40, "[section]" }, { 40, 60, "a" });
	(void)state;
	add_counted(&f, HEFT_VM, s, symbols);
	add_counted(&f, HEFT_FILE, s, symbols);
	assert_int_equal(count_of(&f, below(&f, 0, "x")), 2);
	assert_int_equal(count_of(&f, below(&f, 0, "y")), 1);
	assert_int_equal(count_of(&f, 0), 2);
	fixture_release(&f);
}

/* Objects have copies of one function each; what lies before them repeats their names. */
static void a_symbol_counts_once_for_an_image(void **state)
{
	struct fixture f = fixture_make();
	const struct spans *s = SPANS(&f, { 0, 60, "x" });
	const struct spans *symbols = SPANS(&f, { 0, 10, "c" }, { 10, 30, "a" }, { 30, 40, "b" },
					    { 40, 60, "a" });
	static const uint64_t starts[] = { 10, 20, 50 };
	const struct rollup_level level = { .spans = s };
	struct rollup_walk w = { .domain = HEFT_VM,
				 .role = HEFT_INPUT,
				 .levels = &level,
				 .level_count = 1,
				 .symbols = symbols,
				 .image_starts = starts,
				 .image_count = COUNT_OF(starts),
				 .labels = &f.labels };
	(void)state;
	rollup_add(&f.rollup, &w);
	assert_int_equal(count_of(&f, 0), 3);
	w.first_image = 3;
	rollup_add(&f.rollup, &w);
	assert_int_equal(count_of(&f, 0), 6);
	fixture_release(&f);
}

static void copies_are_all_instances_but_the_largest(void **state)
{
	(void)state;
	struct fixture f = fixture_make();
	rollup_release(&f.rollup);
	rollup_init(&f.rollup, ROLLUP_COUNT | ROLLUP_COPIES | ROLLUP_CODE, true);
	const struct spans *crates = SPANS(&f, { 0, 40, "a" }, { 40, 100, "b" });
	const struct spans *names = SPANS(&f, { 0, 30, "get<>" }, { 30, 40, "main" },
					  { 40, 100, "get<>" });
	const struct spans *symbols = SPANS(&f, { 0, 10, "get<1>" }, { 10, 30, "get<2>" },
					    { 30, 40, "main" }, { 40, 45, "get<3>" },
					    { 45, 95, "get<4>" }, { 95, 100, "get<3>" });
	struct spans code = { 0 };
	spans_push(&code, 0, 20, LABEL_NONE);
	spans_push(&code, 20, 30, 0);
	spans_push(&code, 50, 50, LABEL_NONE);
	const struct rollup_level levels[] = { { .spans = crates }, { .spans = names } };
	struct rollup_walk w = { .domain = HEFT_FILE,
				 .levels = levels,
				 .level_count = 2,
				 .symbols = symbols,
				 .code = &code,
				 .generics = 2,
				 .labels = &f.labels };
	rollup_add_both(&f.rollup,
			&(struct rollup_walk){ .domain = HEFT_VM,
					       .levels = levels,
					       .level_count = 2,
					       .symbols = symbols,
					       .generics = 2,
					       .labels = &f.labels },
			&w, 2);
	rollup_add_copies(&f.rollup);
	const uint32_t a = below(&f, 0, "a"), b = below(&f, 0, "b");
	assert_int_equal(sum(&f, below(&f, a, "get<>"), HEFT_SIZE_COPIES, HEFT_INPUT), 10);
	assert_int_equal(sum(&f, below(&f, a, "main"), HEFT_SIZE_COPIES, HEFT_INPUT), 0);
	assert_int_equal(sum(&f, b, HEFT_SIZE_COPIES, HEFT_INPUT), 10);
	assert_int_equal(sum(&f, 0, HEFT_SIZE_COPIES, HEFT_INPUT), 20);
	assert_int_equal(sum(&f, 0, HEFT_SIZE_COPIES, HEFT_BASE), 0);
	assert_int_equal(count_of(&f, below(&f, b, "get<>")), 2);
	assert_int_equal(sum(&f, a, f.rollup.code, HEFT_INPUT), 20);
	assert_int_equal(sum(&f, below(&f, a, "main"), f.rollup.code, HEFT_INPUT), 10);
	assert_int_equal(sum(&f, 0, f.rollup.code, HEFT_INPUT), 30);
	assert_int_equal(file_of(&f, 0), 100);
	spans_release(&code);
	fixture_release(&f);
}

static void counts_stay_right_for_many_symbols(void **state)
{
	struct fixture f = fixture_make();
	struct spans *symbols = &f.spans[f.span_count++];
	(void)state;
	for (uint64_t i = 0; i < 30000; i++)
		spans_push(symbols, i, 1, label_format(&f.labels, "s%d", (int)(i % 20000)));
	const struct spans *s = SPANS(&f, { 0, 30000, "all" });
	add_counted(&f, HEFT_VM, s, symbols);
	assert_int_equal(count_of(&f, below(&f, 0, "all")), 20000);
	fixture_release(&f);
}

/* ---- random ---------------------------------------------------------------------------------- */

static void random_spans(struct fixture *f, struct rng *r, uint64_t size)
{
	struct spans *s = &f->spans[f->span_count++];
	for (uint64_t at = 0, n; at < size; at += n) {
		n = min_u64(1 + rng_below(r, 30), size - at);
		spans_push(s, at, n, label_format(&f->labels, "%c", 'a' + (int)rng_below(r, 9)));
	}
}

static void rows_below_a_row_always_add_up_to_it(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 500; seed++) {
		struct rng r = { seed };
		struct fixture f = fixture_make();
		uint64_t sums[200] = { 0 };
		const uint64_t size = 1 + rng_below(&r, 1000);
		random_spans(&f, &r, size);
		random_spans(&f, &r, size);
		add(&f, HEFT_FILE, HEFT_INPUT, &f.spans[0], &f.spans[1]);
		assert_int_equal(file_of(&f, 0), size);
		assert_true(node_count(&f) < COUNT_OF(sums));
		for (uint32_t i = 1; i < node_count(&f); i++)
			sums[f.rollup.tree.nodes.data[i].parent] += file_of(&f, i);
		for (uint32_t i = 0; i < node_count(&f); i++)
			if (sums[i])
				assert_int_equal(sums[i], file_of(&f, i));
		fixture_release(&f);
	}
}

static void random_pair(struct fixture *f, uint64_t seed)
{
	struct rng r = { seed };
	for (size_t i = 0; i < 2; i++)
		random_spans(f, &r, 500000);
	for (size_t i = 0; i < 2; i++) {
		struct spans *s = &f->spans[f->span_count++];
		for (uint64_t at = 0; at < 400000; at += 8)
			spans_push(s, at, 8,
				   label_format(&f->labels, "%u", (unsigned)rng_below(&r, 3000)));
	}
}

static void two_domains_at_once_make_the_rows_of_one_after_the_other(void **state)
{
	struct fixture one = fixture_make(), both = fixture_make();
	struct fixture *fixtures[] = { &one, &both };
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct fixture *f = fixtures[i];
		random_pair(f, 7);
		const struct rollup_level vm[] = { { .spans = &f->spans[0] },
						   { .spans = &f->spans[1] } };
		const struct rollup_level file[] = { { .spans = &f->spans[2] },
						     { .spans = &f->spans[3] } };
		const struct rollup_walk first = {
			.domain = HEFT_VM, .levels = vm, .level_count = 2, .labels = &f->labels
		};
		const struct rollup_walk second = {
			.domain = HEFT_FILE, .levels = file, .level_count = 2, .labels = &f->labels
		};
		rollup_add_both(&f->rollup, &first, &second, i == 0 ? 1 : 2);
		rollup_add_both(&f->rollup, &first, &second, i == 0 ? 1 : 2);
	}
	const struct tree *want = &one.rollup.tree, *have = &both.rollup.tree;
	assert_int_equal(have->nodes.count, want->nodes.count);
	assert_memory_equal(have->nodes.data, want->nodes.data,
			    want->nodes.count * sizeof *want->nodes.data);
	assert_int_equal(have->sums.count, want->sums.count);
	assert_memory_equal(have->sums.data, want->sums.data,
			    want->sums.count * sizeof *want->sums.data);
	assert_int_equal(vm_of(&both, 0), 1000000);
	assert_int_equal(file_of(&both, 0), 800000);
	fixture_release(&one);
	fixture_release(&both);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_level_sums_up_every_label),
		cmocka_unit_test(domains_and_roles_are_summed_apart),
		cmocka_unit_test(two_levels_are_cut_at_every_border),
		cmocka_unit_test(pieces_come_in_order_with_the_labels_of_all_levels),
		cmocka_unit_test(labels_shown_alike_share_a_row),
		cmocka_unit_test(many_rows_keep_their_sums),
		cmocka_unit_test(an_include_filter_keeps_what_matches_and_counts_the_rest),
		cmocka_unit_test(an_exclude_filter_drops_what_matches),
		cmocka_unit_test(exclusion_beats_inclusion),
		cmocka_unit_test(a_filter_also_sees_the_base_map),
		cmocka_unit_test(a_symbol_counts_once_for_a_row_however_often_it_is_there),
		cmocka_unit_test(a_symbol_counts_once_for_an_image),
		cmocka_unit_test(copies_are_all_instances_but_the_largest),
		cmocka_unit_test(counts_stay_right_for_many_symbols),
		cmocka_unit_test(rows_below_a_row_always_add_up_to_it),
		cmocka_unit_test(two_domains_at_once_make_the_rows_of_one_after_the_other),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
