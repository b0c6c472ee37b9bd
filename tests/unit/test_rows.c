#include "map/label.h"
#include "map/rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "../lib/rng.h"

static const struct heft_measure measures[] = { { "file", "file", HEFT_BYTES, false, false },
						{ "vm", "vm", HEFT_BYTES, false, false } };

enum { BOTH = 1 << HEFT_SIZE_FILE | 1 << HEFT_SIZE_VM };

/* A tree made node by node. */
struct fixture {
	struct labels labels;
	struct tree tree;
	struct arena arena;
	struct rows_opts opts;
};

static struct fixture fixture_make(void)
{
	struct fixture f = {
		.opts = { .measures = measures, .keys = BOTH, .told = BOTH, .drop_repeats = true }
	};
	tree_init(&f.tree, COUNT_OF(measures), 2);
	return f;
}

static void fixture_release(struct fixture *f)
{
	tree_release(&f->tree);
	labels_release(&f->labels);
	arena_release(&f->arena);
}

static void add_sizes(struct fixture *f, uint32_t node, enum heft_role role, uint64_t file,
		      uint64_t vm)
{
	tree_sums(&f->tree, node, role)[HEFT_SIZE_FILE] += file;
	tree_sums(&f->tree, node, role)[HEFT_SIZE_VM] += vm;
}

/* Adds a node and its sizes to the sums above it; returns it. */
static uint32_t put(struct fixture *f, uint32_t parent, const char *label, uint64_t file,
		    uint64_t vm)
{
	const uint32_t node = tree_add(&f->tree, parent, label_copy(&f->labels, str_of(label)));
	add_sizes(f, node, HEFT_INPUT, file, vm);
	if (parent == 0)
		add_sizes(f, 0, HEFT_INPUT, file, vm);
	return node;
}

static void put_diff(struct fixture *f, const char *label, uint64_t now, uint64_t base)
{
	const uint32_t i = put(f, 0, label, now, now);
	add_sizes(f, i, HEFT_BASE, base, base);
	add_sizes(f, 0, HEFT_BASE, base, base);
	f->opts.diff = true;
	if (f->opts.sort == HEFT_SORT_AUTO)
		f->opts.sort = HEFT_SORT_GROWTH;
}

static const char *node_label(void *ctx, uint32_t node)
{
	const struct fixture *f = ctx;
	return label_text(&f->labels, f->tree.nodes.data[node].key).p;
}

static const struct heft_row *build(struct fixture *f)
{
	f->opts.label = node_label;
	f->opts.ctx = f;
	return rows_build(&f->tree, &f->opts, &f->arena);
}

/* The labels of the rows below `row`, in their order. */
static void assert_labels(const struct heft_row *row, const char *const *want, size_t count)
{
	assert_int_equal(row->child_count, count);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(row->children[i]->label, want[i]);
}

#define EXPECT(row, ...)                                                                           \
	assert_labels(row, (const char *const[]){ __VA_ARGS__ },                                   \
		      COUNT_OF(((const char *const[]){ __VA_ARGS__ })))

/* ---- order ------------------------------------------------------------------------------- */

static void the_larger_of_both_sizes_decides(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	put(&f, 0, "small", 10, 10);
	put(&f, 0, "file", 30, 0);
	put(&f, 0, "vm", 0, 50);
	EXPECT(build(&f), "vm", "file", "small");
	fixture_release(&f);
}

static void one_domain_can_decide_alone(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	put(&f, 0, "a", 10, 1);
	put(&f, 0, "b", 5, 2);
	put(&f, 0, "c", 1, 3);
	f.opts.keys = 1 << HEFT_SIZE_FILE;
	EXPECT(build(&f), "a", "b", "c");
	f.opts.keys = 1 << HEFT_SIZE_VM;
	EXPECT(build(&f), "c", "b", "a");
	fixture_release(&f);
}

static void ties_are_ordered_by_name_bytewise(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	put(&f, 0, "b", 5, 5);
	put(&f, 0, "\xc3\xa9", 5, 5);
	put(&f, 0, "B", 5, 5);
	put(&f, 0, "a", 5, 5);
	EXPECT(build(&f), "B", "a", "b", "\xc3\xa9");
	fixture_release(&f);
}

static void sorting_by_name_puts_others_last(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	put(&f, 0, "z", 50, 50);
	put(&f, 0, "m", 40, 40);
	put(&f, 0, "a", 30, 30);
	put(&f, 0, "b", 20, 20);
	f.opts.sort = HEFT_SORT_NAME;
	f.opts.limit = 3;
	EXPECT(build(&f), "a", "m", "z", "[1 Others]");
	fixture_release(&f);
}

static uint8_t group_by_case(void *ctx, uint32_t node)
{
	const char c = node_label(ctx, node)[0];
	return c >= 'A' && c <= 'Z' ? 1 : 2;
}

static void rows_of_a_lower_group_come_first_and_are_cut_last(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	put(&f, 0, "z", 50, 50);
	put(&f, 0, "A", 1, 1);
	put(&f, 0, "y", 40, 40);
	put(&f, 0, "B", 2, 2);
	put(&f, 0, "x", 30, 30);
	f.opts.group = group_by_case;
	EXPECT(build(&f), "B", "A", "z", "y", "x");
	f.opts.limit = 3;
	EXPECT(build(&f), "B", "A", "z", "[2 Others]");
	f.opts.limit = 1;
	EXPECT(build(&f), "B", "[4 Others]");
	f.opts.sort = HEFT_SORT_NAME;
	f.opts.limit = 0;
	EXPECT(build(&f), "A", "B", "x", "y", "z");
	fixture_release(&f);
}

static void rows_without_bytes_are_left_out(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	put(&f, 0, "nothing", 0, 0);
	put(&f, 0, "some", 0, 1);
	EXPECT(build(&f), "some");
	fixture_release(&f);
}

/* ---- the limit ------------------------------------------------------------------------------ */

static void rows_over_the_limit_are_summed_up(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	put(&f, 0, "a", 10, 1);
	put(&f, 0, "b", 9, 1);
	put(&f, 0, "c", 2, 1);
	put(&f, 0, "d", 1, 1);
	f.opts.limit = 2;
	const struct heft_row *top = build(&f);
	EXPECT(top, "a", "b", "[2 Others]");
	const struct heft_row *others = top->children[2];
	assert_int_equal(others->others, 2);
	assert_int_equal(others->now[HEFT_SIZE_FILE], 3);
	assert_int_equal(others->now[HEFT_SIZE_VM], 2);
	assert_int_equal(others->child_count, 0);
	assert_int_equal(top->children[0]->others, 0);
	fixture_release(&f);
}

static void others_take_their_place_by_size(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	put(&f, 0, "a", 10, 10);
	for (unsigned i = 0; i < 30; i++)
		put(&f, 0, i < 10 ? "b" : i < 20 ? "c" : "d", 9, 9);
	f.opts.limit = 1;
	EXPECT(build(&f), "[30 Others]", "a");
	fixture_release(&f);
}

static void exactly_the_limit_needs_no_others(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	put(&f, 0, "a", 10, 10);
	put(&f, 0, "b", 9, 9);
	f.opts.limit = 2;
	EXPECT(build(&f), "a", "b");
	f.opts.limit = 0;
	EXPECT(build(&f), "a", "b");
	fixture_release(&f);
}

static void every_level_has_the_limit_for_itself(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	const uint32_t a = put(&f, 0, "a", 10, 10);
	put(&f, a, "x", 5, 5);
	put(&f, a, "y", 3, 3);
	put(&f, a, "z", 2, 2);
	f.opts.limit = 2;
	const struct heft_row *top = build(&f);
	EXPECT(top, "a");
	EXPECT(top->children[0], "x", "y", "[1 Others]");
	fixture_release(&f);
}

/* ---- single children ------------------------------------------------------------------------- */

static void a_single_child_with_its_parents_label_is_dropped(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	const uint32_t a = put(&f, 0, "main", 10, 10), b = put(&f, 0, "other", 5, 5);
	put(&f, a, "main", 10, 10);
	put(&f, b, "main", 5, 5);
	const struct heft_row *top = build(&f);
	assert_int_equal(top->children[0]->child_count, 0);
	EXPECT(top->children[1], "main");
	fixture_release(&f);
}

static void a_single_unmapped_child_is_dropped_below_the_top(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	const uint32_t a = put(&f, 0, "[Unmapped]", 10, 0);
	const uint32_t b = put(&f, 0, ".text", 5, 5);
	put(&f, a, "[Unmapped]", 10, 0);
	put(&f, b, "[Unmapped]", 5, 5);
	const struct heft_row *top = build(&f);
	EXPECT(top, "[Unmapped]", ".text");
	assert_int_equal(top->children[0]->child_count, 0);
	assert_int_equal(top->children[1]->child_count, 0);
	fixture_release(&f);
}

static void a_single_unmapped_row_stays_at_the_top(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	put(&f, 0, "[Unmapped]", 10, 0);
	EXPECT(build(&f), "[Unmapped]");
	fixture_release(&f);
}

static void two_children_stay_whatever_they_are_called(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	const uint32_t a = put(&f, 0, "main", 10, 10);
	put(&f, a, "main", 6, 6);
	put(&f, a, "[Unmapped]", 4, 4);
	EXPECT(build(&f)->children[0], "main", "[Unmapped]");
	fixture_release(&f);
}

/* ---- diff ------------------------------------------------------------------------------------ */

static void a_diff_shows_what_changed_growth_first(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	put_diff(&f, "same", 1000, 1000);
	put_diff(&f, "gone", 0, 30);
	put_diff(&f, "new", 20, 0);
	put_diff(&f, "grown", 150, 100);
	put_diff(&f, "shrunk", 5, 10);
	const struct heft_row *top = build(&f);
	EXPECT(top, "grown", "new", "shrunk", "gone");
	assert_int_equal(top->now[HEFT_SIZE_FILE], 1175);
	assert_int_equal(top->base[HEFT_SIZE_FILE], 1140);
	assert_int_equal(top->children[3]->base[HEFT_SIZE_VM], 30);
	fixture_release(&f);
}

static void a_diff_of_the_same_has_no_rows(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	put_diff(&f, "a", 10, 10);
	put_diff(&f, "b", 10, 10);
	assert_int_equal(build(&f)->child_count, 0);
	fixture_release(&f);
}

static void the_limit_of_a_diff_keeps_the_largest_changes(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	put_diff(&f, "huge", 10000, 9999);
	put_diff(&f, "gone", 0, 30);
	put_diff(&f, "new", 20, 0);
	put_diff(&f, "less", 1, 3);
	f.opts.limit = 2;
	const struct heft_row *top = build(&f);
	EXPECT(top, "new", "[2 Others]", "gone");
	assert_int_equal(top->children[1]->now[HEFT_SIZE_FILE], 10001);
	assert_int_equal(top->children[1]->base[HEFT_SIZE_FILE], 10002);
	fixture_release(&f);
}

static void others_that_cancel_out_are_left_out(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	put_diff(&f, "new", 20, 0);
	put_diff(&f, "up", 12, 10);
	put_diff(&f, "down", 10, 12);
	f.opts.limit = 1;
	EXPECT(build(&f), "new");
	fixture_release(&f);
}

static void a_diff_can_be_sorted_by_size_or_name(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	put_diff(&f, "a", 10, 500);
	put_diff(&f, "c", 1000, 999);
	put_diff(&f, "b", 90, 10);
	f.opts.sort = HEFT_SORT_SIZE;
	EXPECT(build(&f), "c", "b", "a");
	f.opts.sort = HEFT_SORT_BASE;
	EXPECT(build(&f), "c", "a", "b");
	f.opts.sort = HEFT_SORT_GROWTH;
	EXPECT(build(&f), "b", "c", "a");
	f.opts.sort = HEFT_SORT_DELTA;
	EXPECT(build(&f), "a", "b", "c");
	f.opts.sort = HEFT_SORT_NAME;
	EXPECT(build(&f), "a", "b", "c");
	fixture_release(&f);
}

static void the_top_row_holds_the_totals(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	put(&f, 0, "a", 10, 4);
	put(&f, 0, "b", 7, 3);
	const struct heft_row *top = build(&f);
	assert_string_equal(top->label, "TOTAL");
	assert_int_equal(top->now[HEFT_SIZE_FILE], 17);
	assert_int_equal(top->now[HEFT_SIZE_VM], 7);
	fixture_release(&f);
}

/* ---- what other reports ask for -------------------------------------------------------------- */

static void small_rows_are_summed_up_apart_on_each_level(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	const uint32_t a = put(&f, 0, "a", 100, 0);
	put(&f, 0, "b", 9, 0);
	put(&f, 0, "c", 4, 0);
	put(&f, a, "x", 60, 0);
	put(&f, a, "y", 39, 0);
	put(&f, a, "z", 1, 0);
	f.opts.least = 5;
	f.opts.least_below = 50;
	const struct heft_row *top = build(&f);
	EXPECT(top, "a", "b", "[1 Others]");
	EXPECT(top->children[0], "x", "[2 Others]");
	assert_int_equal(top->children[0]->children[1]->others, 2);
	f.opts.limit = 1;
	EXPECT(build(&f), "a", "[2 Others]");
	fixture_release(&f);
}

static void others_can_stand_last(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	put(&f, 0, "a", 3, 0);
	put(&f, 0, "b", 2, 0);
	put(&f, 0, "c", 2, 0);
	put(&f, 0, "d", 2, 0);
	f.opts.limit = 2;
	EXPECT(build(&f), "[2 Others]", "a", "b");
	f.opts.others_last = true;
	EXPECT(build(&f), "a", "b", "[2 Others]");
	fixture_release(&f);
}

static void classes_keep_their_order_and_have_no_limit(void **state)
{
	struct fixture f = fixture_make();
	(void)state;
	put(&f, 0, "8..15", 1, 0);
	put(&f, 0, "16..31", 30, 0);
	put(&f, 0, "32..63", 20, 0);
	f.opts.sort = HEFT_SORT_NONE;
	f.opts.limit = 1;
	EXPECT(build(&f), "8..15", "16..31", "32..63");
	fixture_release(&f);
}

/* Each row is opened before its children are compared. */
static void assert_same(struct rows_maker *m, const struct heft_row *got,
			const struct heft_row *want)
{
	const bool made = got->children != NULL;
	assert_string_equal(got->label, want->label);
	assert_int_equal(got->child_count, want->child_count);
	rows_open(m, got);
	assert_int_equal(got->child_count, want->child_count);
	assert_true(made || got->children != NULL || got->child_count == 0);
	for (size_t i = 0; i < want->child_count; i++) {
		assert_ptr_equal(got->children[i]->now, want->children[i]->now);
		assert_same(m, got->children[i], want->children[i]);
	}
}

static void put_program(struct fixture *f)
{
	const uint32_t text = put(f, 0, ".text", 60, 60), data = put(f, 0, ".data", 20, 20);
	const uint32_t bss = put(f, 0, ".bss", 0, 10);
	const uint32_t unit = put(f, text, "a.c", 50, 50);
	put(f, text, "nothing", 0, 0);
	put(f, text, "b.c", 10, 10);
	put(f, unit, "main", 50, 50);
	put(f, data, ".data", 20, 20);
	put(f, data, "nothing", 0, 0);
	put(f, put(f, bss, "c.c", 0, 10), "c.c", 0, 10);
}

static void rows_made_level_by_level_are_those_made_at_once(void **state)
{
	struct fixture f = fixture_make();
	struct rows_maker m;
	(void)state;
	put_program(&f);
	f.opts.sort = HEFT_SORT_NONE;
	const struct heft_row *const want = build(&f);
	const struct heft_row *const top = rows_begin(&m, &f.tree, &f.opts, &f.arena);
	EXPECT(top, ".text", ".data", ".bss");
	assert_int_equal(top->children[0]->child_count, 2);
	assert_null(top->children[0]->children);
	assert_int_equal(top->children[1]->child_count, 0);
	assert_same(&m, top, want);
	rows_end(&m);
	fixture_release(&f);
}

/* Each row is visited when its turn comes, and what is below the one before is gone then. */
static void assert_visited(struct rows_maker *m, const struct heft_row *got,
			   const struct heft_row *want, size_t level)
{
	rows_visit(m, got, level);
	assert_string_equal(got->label, want->label);
	assert_ptr_equal(got->now, want->now);
	assert_int_equal(got->child_count, want->child_count);
	for (size_t i = 0; i < want->child_count; i++)
		assert_visited(m, got->children[i], want->children[i], level + 1);
}

static void rows_made_one_by_one_are_those_made_at_once(void **state)
{
	static const enum heft_sort sorts[] = { HEFT_SORT_NONE, HEFT_SORT_NAME, HEFT_SORT_SIZE };
	struct fixture f = fixture_make();
	struct rows_maker m;
	(void)state;
	put_program(&f);
	f.opts.limit = 0;
	for (size_t i = 0; i < COUNT_OF(sorts); i++) {
		f.opts.sort = sorts[i];
		const struct heft_row *const want = build(&f);
		assert_visited(&m, rows_visit_all(&m, &f.tree, &f.opts, NULL, &f.arena), want, 0);
		struct rows_maker other;
		assert_visited(&other, rows_visit_all(&other, &f.tree, &f.opts, &m, &f.arena), want,
			       0);
		rows_end(&other);
		rows_end(&m);
	}
	fixture_release(&f);
}

/* ---- filters --------------------------------------------------------------------------------- */

/* Bits of "a" and "b". */
static uint32_t match_letters(void *ctx, const struct heft_row *row)
{
	(*(unsigned *)ctx)++;
	return (strchr(row->label, 'a') ? 1 : 0) | (strchr(row->label, 'b') ? 2 : 0);
}

static bool repeats_in_brackets(void *ctx, const char *above, const char *label)
{
	(void)ctx;
	return label[0] == '(' && strncmp(label + 1, above, strlen(above)) == 0;
}

/* What a filter has to let through, row by row. */
struct wanted {
	const struct heft_row_filter *filter;
	struct rows_maker *maker;
	uint64_t leaves;
};

static bool says_again(const struct wanted *w, const struct heft_row *row)
{
	const size_t size = sizeof(uint64_t) * 2;
	const struct heft_row *only = row->child_count == 1 ? row->children[0] : NULL;
	return only && memcmp(row->now, only->now, size) == 0 &&
	       memcmp(row->base, only->base, size) == 0 &&
	       w->filter->repeats(NULL, row->label, only->label);
}

/* Returns the bytes of the file that are let through now and of the base; whether any row is. */
static bool sum_wanted(struct wanted *w, const struct heft_row *row, uint32_t found,
		       uint64_t sum[2])
{
	unsigned asked = 0;
	if (row->child_count == 0) {
		const bool shown = (found & w->filter->wanted) == w->filter->wanted &&
				   !(found & w->filter->unwanted);
		sum[0] += shown ? *row->now : 0;
		sum[1] += shown ? *row->base : 0;
		w->leaves += shown;
		return shown;
	}
	bool any = false;
	for (size_t i = 0; i < row->child_count; i++) {
		const struct heft_row *below = row->children[i];
		const uint32_t own = says_again(w, row) ? 0 : match_letters(&asked, below);
		any |= sum_wanted(w, below, found | own, sum);
	}
	return any;
}

static void check_filtered(struct wanted *w, const struct heft_row *row,
			   const struct heft_row *want, uint32_t found)
{
	const uint64_t *now, *base;
	const struct heft_row *const *list;
	uint64_t sum[2] = { 0 };
	unsigned asked = 0;
	size_t count, next = 0;
	const bool shown = sum_wanted(w, want, found, sum);
	assert_int_equal(rows_filtered(w->maker, row, &now, &base) == HEFT_ROW_SHOWN,
			 shown || want->now == tree_sums(w->maker->tree, 0, HEFT_INPUT));
	if (shown) {
		assert_int_equal(*now, sum[0]);
		assert_int_equal(*base, sum[1]);
	}
	list = rows_open_filtered(w->maker, row, &count);
	for (size_t i = 0; i < want->child_count; i++) {
		const struct heft_row *below = want->children[i];
		const uint32_t own = says_again(w, want) ? 0 : match_letters(&asked, below);
		uint64_t part[2] = { 0 };
		while (next < count && list[next]->now < below->now)
			next++;
		if (next < count && list[next]->now == below->now) {
			assert_string_equal(list[next]->label, below->label);
			check_filtered(w, list[next], below, found | own);
		} else {
			assert_false(sum_wanted(w, below, found | own, part));
		}
	}
}

/* Three levels of labels that repeat, some without bytes. */
static void put_at_random(struct fixture *f, struct rng *r)
{
	static const char *const labels[] = { "a",   "b",    "ab",  "c",      "cd",
					      "(a)", "(cd)", "[x]", "[None]", "bc" };
	for (unsigned i = 0; i < 40; i++) {
		const uint32_t parent =
			i < 4 ? 0 : (uint32_t)rng_below(r, min_u64(f->tree.nodes.count, 12));
		const uint32_t node = put(f, parent, labels[rng_below(r, COUNT_OF(labels))], 0, 0);
		const uint64_t now = rng_below(r, 3) * 8, was = rng_below(r, 2) * 8;
		for (uint32_t at = node, up = 0; up == 0; at = f->tree.nodes.data[at].parent) {
			add_sizes(f, at, HEFT_INPUT, now, now);
			add_sizes(f, at, HEFT_BASE, f->opts.diff ? was : 0, 0);
			up = at == 0;
		}
	}
}

static void filters_let_through_what_they_should(void **state)
{
	struct rng r = { 1 };
	uint64_t leaves = 0;
	(void)state;
	for (unsigned i = 0; i < 400; i++) {
		struct fixture f = fixture_make();
		struct rows_maker m;
		unsigned asked = 0;
		f.opts.diff = i % 2;
		f.opts.sort = HEFT_SORT_NONE;
		put_at_random(&f, &r);
		const struct heft_row *const want = build(&f);
		const struct heft_row *const top = rows_begin(&m, &f.tree, &f.opts, &f.arena);
		struct heft_row_filter filter = { .match = match_letters,
						  .repeats = repeats_in_brackets,
						  .ctx = &asked };
		struct wanted w = { .filter = &filter, .maker = &m };
		for (unsigned k = 0; k < 5; k++) {
			uint64_t sum[2] = { 0 };
			filter.wanted = k & 3;
			filter.unwanted = k == 4 ? 2 : 0;
			const uint64_t count = rows_filter(&m, &filter);
			w.leaves = 0;
			sum_wanted(&w, want, 0, sum);
			assert_int_equal(count, w.leaves);
			leaves += count;
			check_filtered(&w, top, want, 0);
		}
		assert_int_equal(rows_filter(&m, NULL), 0);
		assert_same(&m, top, want);
		rows_end(&m);
		fixture_release(&f);
	}
	assert_true(leaves > 1000);
}

static void labels_are_asked_about_once_a_level_and_few_rows_are_made(void **state)
{
	enum { MANY = 100000 };
	struct fixture f = fixture_make();
	struct rows_maker m;
	unsigned asked = 0;
	size_t count;
	char label[32];
	(void)state;
	const uint32_t sections[] = { put(&f, 0, "x", MANY, MANY), put(&f, 0, "y", MANY, MANY) };
	for (unsigned i = 0; i < MANY; i++)
		for (size_t k = 0; k < COUNT_OF(sections); k++) {
			snprintf(label, sizeof label, "%s%u", i % 1000 == 0 ? "a" : "f", i);
			put(&f, sections[k], label, 1, 1);
		}
	f.opts.sort = HEFT_SORT_NONE;
	f.opts.label = node_label;
	f.opts.ctx = &f;
	const struct heft_row *const top = rows_begin(&m, &f.tree, &f.opts, &f.arena);
	const struct heft_row *kept;
	struct heft_row_filter filter = { .match = match_letters, .ctx = &asked, .wanted = 1 };
	assert_int_equal(rows_filter(&m, &filter), 200);
	assert_int_equal(asked, MANY + 2);
	const struct heft_row *const *list = rows_open_filtered(&m, top->children[0], &count);
	assert_int_equal(count, 100);
	assert_null(top->children[0]->children);
	kept = list[5];
	filter.wanted = 2;
	filter.kept = &kept;
	filter.kept_count = 1;
	const uint64_t *now, *base;
	assert_int_equal(rows_filter(&m, &filter), 0);
	list = rows_open_filtered(&m, top->children[0], &count);
	assert_int_equal(count, 1);
	assert_string_equal(list[0]->label, "a5000");
	assert_int_equal(rows_filtered(&m, list[0], &now, &base), HEFT_ROW_KEPT);
	assert_int_equal(rows_filtered(&m, top->children[0], &now, &base), HEFT_ROW_KEPT);
	assert_int_equal(*now, 0);
	assert_int_equal(rows_filtered(&m, top->children[1], &now, &base), HEFT_ROW_HIDDEN);
	rows_end(&m);
	fixture_release(&f);
}

static void parts_of_bytes_are_weighed_as_numbers(void **state)
{
	static const struct heft_measure parts[] = { { "size", "size", HEFT_PARTS, false, false } };
	static const double sizes[][2] = {
		{ 0.25, 0 }, { 100.5, 101 }, { 3, 2 }, { 7, 7.0000001 }
	};
	struct fixture f = fixture_make();
	(void)state;
	tree_release(&f.tree);
	tree_init(&f.tree, 1, 2);
	tree_keep_fractions(&f.tree);
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		const char label[] = { (char)('a' + i), '\0' };
		const uint32_t node = tree_add(&f.tree, 0, label_copy(&f.labels, str_of(label)));
		*tree_exact(&f.tree, node, HEFT_INPUT) = sizes[i][0];
		*tree_exact(&f.tree, node, HEFT_BASE) = sizes[i][1];
	}
	tree_round(&f.tree, parts);
	f.opts.measures = parts;
	f.opts.keys = f.opts.told = 1;
	f.opts.diff = true;
	f.opts.sort = HEFT_SORT_DELTA;
	EXPECT(build(&f), "c", "b", "a");
	f.opts.sort = HEFT_SORT_GROWTH;
	EXPECT(build(&f), "c", "a", "b");
	f.opts.limit = 1;
	const struct heft_row *others = build(&f)->children[1];
	assert_string_equal(others->label, "[2 Others]");
	assert_true(*others->now_exact == 100.75 && *others->base_exact == 101);
	assert_int_equal(*others->now, 101); /* not the sum of rounded numbers: 0 + 101 */
	assert_int_equal(*build(&f)->children[0]->now, 3);
	fixture_release(&f);
}

static void rows_of_a_tree_with_one_side_have_nothing_before(void **state)
{
	static const struct heft_measure bytes[] = { { "size", "size", HEFT_BYTES, false, false } };
	struct fixture f = fixture_make();
	(void)state;
	tree_release(&f.tree);
	tree_init(&f.tree, 1, 1);
	for (uint32_t i = 0; i < 4; i++) {
		const char label[] = { (char)('a' + i), '\0' };
		const uint32_t node = tree_add(&f.tree, 0, label_copy(&f.labels, str_of(label)));
		*tree_sums(&f.tree, node, HEFT_INPUT) = 1 + 10 * i;
	}
	f.opts.measures = bytes;
	f.opts.keys = f.opts.told = 1;
	f.opts.limit = 2;
	const struct heft_row *top = build(&f);
	EXPECT(top, "d", "c", "[2 Others]");
	assert_int_equal(*top->base, 0);
	for (size_t i = 0; i < top->child_count; i++)
		assert_int_equal(*top->children[i]->base, 0);
	assert_int_equal(*top->children[0]->now, 31);
	assert_int_equal(*top->children[2]->now, 12);
	fixture_release(&f);
}

static void a_shared_measure_is_not_summed_up(void **state)
{
	static const struct heft_measure shared[] = { { "own", "own", HEFT_BYTES, false, false },
						      { "below", "below", HEFT_BYTES, true } };
	struct fixture f = fixture_make();
	(void)state;
	put(&f, 0, "a", 3, 10);
	put(&f, 0, "b", 2, 10);
	put(&f, 0, "c", 1, 10);
	f.opts.measures = shared;
	f.opts.keys = f.opts.told = 1;
	f.opts.limit = 1;
	const struct heft_row *others = build(&f)->children[0];
	assert_int_equal(others->others, 2);
	assert_int_equal(others->now[0], 3);
	assert_int_equal(others->now[1], 0);
	fixture_release(&f);
}

/* ---- trees ----------------------------------------------------------------------------------- */

enum { MANY = 2 * TREE_WIDE_FROM };

/* Keys in an order that no guess follows. */
static uint32_t scattered(uint32_t i)
{
	return i * 40503u % MANY;
}

static void nodes_below_a_wide_one_are_found_again(void **state)
{
	(void)state;
	struct tree t;
	tree_init(&t, 1, 1);
	uint32_t parents[TREE_WIDE_MOST + 2];
	for (uint32_t p = 0; p < COUNT_OF(parents); p++)
		parents[p] = tree_get(&t, 0, p);
	for (uint32_t p = 0; p < COUNT_OF(parents); p++)
		for (uint32_t i = 0; i < MANY; i++)
			++*tree_sums(&t, tree_get(&t, parents[p], scattered(i)), HEFT_INPUT);
	assert_int_equal(t.wide_count, TREE_WIDE_MOST);
	assert_int_equal(t.nodes.count, 1 + COUNT_OF(parents) * (1 + MANY));
	for (uint32_t i = 0; i < MANY; i++)
		for (uint32_t p = 0; p < COUNT_OF(parents); p++) {
			const uint32_t node = tree_get(&t, parents[p], i);
			assert_int_equal(t.nodes.data[node].parent, parents[p]);
			assert_int_equal(t.nodes.data[node].key, i);
			assert_int_equal(*tree_sums(&t, node, HEFT_INPUT), 1);
		}
	assert_int_equal(t.nodes.count, 1 + COUNT_OF(parents) * (1 + MANY));
	tree_release(&t);
}

static void a_measure_adds_up_if_children_do(void **state)
{
	struct tree t;
	(void)state;
	tree_init(&t, 2, 1);
	const uint32_t inner = tree_get(&t, 0, 1), a = tree_get(&t, inner, 2),
		       b = tree_get(&t, inner, 3);
	const uint32_t nodes[] = { 0, inner, a, b };
	for (size_t i = 0; i < COUNT_OF(nodes); i++)
		for (uint32_t m = 0; m < 2; m++)
			tree_sums(&t, nodes[i], HEFT_INPUT)[m] = i < 2 ? 7 : i == 2 ? 3 : 4;
	assert_true(tree_adds_up(&t, 0));
	tree_sums(&t, inner, HEFT_INPUT)[1] = tree_sums(&t, 0, HEFT_INPUT)[1] = 5;
	assert_true(tree_adds_up(&t, 0));
	assert_false(tree_adds_up(&t, 1));
	tree_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_larger_of_both_sizes_decides),
		cmocka_unit_test(one_domain_can_decide_alone),
		cmocka_unit_test(ties_are_ordered_by_name_bytewise),
		cmocka_unit_test(sorting_by_name_puts_others_last),
		cmocka_unit_test(rows_of_a_lower_group_come_first_and_are_cut_last),
		cmocka_unit_test(rows_without_bytes_are_left_out),
		cmocka_unit_test(rows_over_the_limit_are_summed_up),
		cmocka_unit_test(others_take_their_place_by_size),
		cmocka_unit_test(exactly_the_limit_needs_no_others),
		cmocka_unit_test(every_level_has_the_limit_for_itself),
		cmocka_unit_test(a_single_child_with_its_parents_label_is_dropped),
		cmocka_unit_test(a_single_unmapped_child_is_dropped_below_the_top),
		cmocka_unit_test(a_single_unmapped_row_stays_at_the_top),
		cmocka_unit_test(two_children_stay_whatever_they_are_called),
		cmocka_unit_test(a_diff_shows_what_changed_growth_first),
		cmocka_unit_test(a_diff_of_the_same_has_no_rows),
		cmocka_unit_test(the_limit_of_a_diff_keeps_the_largest_changes),
		cmocka_unit_test(others_that_cancel_out_are_left_out),
		cmocka_unit_test(a_diff_can_be_sorted_by_size_or_name),
		cmocka_unit_test(the_top_row_holds_the_totals),
		cmocka_unit_test(small_rows_are_summed_up_apart_on_each_level),
		cmocka_unit_test(others_can_stand_last),
		cmocka_unit_test(classes_keep_their_order_and_have_no_limit),
		cmocka_unit_test(rows_made_level_by_level_are_those_made_at_once),
		cmocka_unit_test(rows_made_one_by_one_are_those_made_at_once),
		cmocka_unit_test(filters_let_through_what_they_should),
		cmocka_unit_test(labels_are_asked_about_once_a_level_and_few_rows_are_made),
		cmocka_unit_test(parts_of_bytes_are_weighed_as_numbers),
		cmocka_unit_test(rows_of_a_tree_with_one_side_have_nothing_before),
		cmocka_unit_test(a_shared_measure_is_not_summed_up),
		cmocka_unit_test(nodes_below_a_wide_one_are_found_again),
		cmocka_unit_test(a_measure_adds_up_if_children_do),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
