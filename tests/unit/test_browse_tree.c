#include "browse/browse_tree.h"

#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* As the program has it: no assertion may fail here. */
void base_broken(const char *file, int line, const char *condition)
{
	fail_msg("%s:%d: %s", file, line, condition);
	abort();
}

/* Two sections: .text with three functions, .data whose only row says its name again. */
static const struct heft_measure measures[] = { { "file", "file", HEFT_BYTES, false, false },
						{ "own", "own", HEFT_PARTS, false, false } };
static const char *const levels[] = { "sections", "symbols" };
static const struct heft_text texts[] = { { "path", false } };

static const char *const main_path[] = { "src/Main.c" };

static struct heft_row alpha = { .label = "alpha", .texts = main_path };
static struct heft_row beta = { .label = "Beta" };
static struct heft_row gamma_row = { .label = "gamma" };
static struct heft_row again = { .label = "[section .data]" };
static const struct heft_row *const functions[] = { &alpha, &beta, &gamma_row };
static const struct heft_row *const data_rows[] = { &again };
static struct heft_row text = { .label = ".text", .children = functions, .child_count = 3 };
static struct heft_row data = { .label = ".data", .children = data_rows, .child_count = 1 };
static const struct heft_row *const sections[] = { &text, &data };
static struct heft_row top = { .label = "TOTAL", .children = sections, .child_count = 2 };
static const struct heft_table table = { .size = sizeof table,
					 .levels = levels,
					 .level_count = 2,
					 .measures = measures,
					 .measure_count = 2,
					 .texts = texts,
					 .text_count = 1,
					 .diff = true,
					 .top = &top };

static uint64_t values[6][4];
static double exact[6][4];

static void set(struct heft_row *row, unsigned i, uint64_t now, uint64_t base, double parts)
{
	values[i][0] = now;
	values[i][2] = base;
	exact[i][1] = parts;
	row->now = values[i];
	row->base = values[i] + 2;
	row->now_exact = exact[i];
	row->base_exact = exact[i] + 2;
}

static int setup(void **state)
{
	struct tree *t = *state = test_malloc(sizeof *t);
	set(&top, 0, 100, 60, 10);
	set(&text, 1, 70, 60, 7);
	set(&data, 2, 30, 0, 3);
	set(&alpha, 3, 10, 30, 1);
	set(&beta, 4, 40, 20, 4);
	set(&gamma_row, 5, 20, 10, (double)NAN);
	again.now = data.now;
	again.base = data.base;
	again.now_exact = data.now_exact;
	again.base_exact = data.base_exact;
	assert_true(tree_init(t, &(struct browse_table){ .table = &table, .only_now = true }));
	return 0;
}

static int teardown(void **state)
{
	tree_release(*state);
	test_free(*state);
	return 0;
}

static void assert_lines(const struct tree *t, const char *wanted)
{
	char got[200] = "";
	for (uint32_t i = 0; i < t->line_count; i++) {
		strcat(got, i ? " " : "");
		strcat(got, t->nodes[t->lines[i]].row->label);
	}
	assert_string_equal(got, wanted);
}

static uint32_t find(const struct tree *t, const char *label)
{
	for (uint32_t i = 0; i < t->count; i++)
		if (strcmp(t->nodes[i].row->label, label) == 0)
			return i;
	fail_msg("no row %s", label);
	return 0;
}

static bool filter(struct tree *t, const char *words)
{
	uint32_t cursor = 0;
	return tree_filter(t, words, &cursor);
}

static void open_row(struct tree *t, const char *label)
{
	t->nodes[find(t, label)].open = true;
	assert_true(tree_list(t));
}

static void rows_are_sorted_by_size_and_open_one_by_one(void **state)
{
	struct tree *t = *state;
	assert_lines(t, ".text .data");
	open_row(t, ".text");
	assert_lines(t, ".text Beta gamma alpha .data");
	assert_int_equal(tree_depth(t, find(t, "alpha")), 1);
	assert_int_equal(tree_depth(t, find(t, ".data")), 0);
}

static void a_level_that_says_the_name_again_is_no_row(void **state)
{
	struct tree *t = *state;
	assert_false(tree_has_children(t, find(t, ".data")));
	assert_true(tree_make_all(t));
	assert_int_equal(t->count, 6);
}

/* The newer table: .text has lost beta, .data is as it was. */
static void a_newer_table_is_looked_at_as_the_older_one_was(void **state)
{
	const struct tree *old = *state;
	static const struct heft_row *fewer[] = { &gamma_row, &alpha };
	struct heft_row newer_text = text, newer_top = top;
	const struct heft_row *newer_sections[] = { &data, &newer_text };
	struct heft_table newer_table = table;
	struct tree newer;
	newer_text.children = fewer;
	newer_text.child_count = 2;
	newer_top.children = newer_sections;
	newer_table.top = &newer_top;
	open_row(*state, ".text");
	tree_mark(*state, find(old, "alpha"), true);
	tree_mark(*state, find(old, "Beta"), true);
	tree_set_order(*state, 1, TREE_BY_NAME, true);

	assert_true(tree_init(&newer,
			      &(struct browse_table){ .table = &newer_table, .only_now = true }));
	uint32_t cursor = find(old, "gamma");
	assert_true(tree_carry(&newer, old, &cursor));
	assert_true(tree_list(&newer));
	assert_lines(&newer, ".text gamma alpha .data");
	assert_int_equal(cursor, find(&newer, "gamma"));
	assert_int_equal(newer.marked, 1);
	assert_true(newer.nodes[find(&newer, "alpha")].marked);
	assert_int_equal(newer.measure, 1);
	tree_release(&newer);
}

static void what_is_gone_leaves_the_cursor_and_the_whole_on_the_row_above(void **state)
{
	struct tree *old = *state, newer;
	struct heft_row newer_top = top;
	static const struct heft_row *only_data[] = { &data };
	struct heft_table newer_table = table;
	newer_top.children = only_data;
	newer_top.child_count = 1;
	newer_table.top = &newer_top;
	open_row(old, ".text");
	old->root = find(old, ".text");
	uint32_t cursor = find(old, "alpha");
	assert_true(tree_init(&newer,
			      &(struct browse_table){ .table = &newer_table, .only_now = true }));
	assert_true(tree_carry(&newer, old, &cursor));
	assert_true(tree_list(&newer));
	assert_int_equal(newer.root, 0);
	assert_int_equal(cursor, 0);
	assert_lines(&newer, ".data");
	tree_release(&newer);
}

static void of_many_marks_every_one_is_carried(void **state)
{
	enum { MANY = 1000 };
	static struct heft_row rows[MANY];
	static const struct heft_row *list[MANY], *turned[MANY];
	static char names[MANY][16];
	struct heft_row all = top, all_turned = top;
	struct heft_table one = table, other = table;
	struct tree from, to;
	(void)state;
	for (int i = 0; i < MANY; i++) {
		snprintf(names[i], sizeof names[i], "row%d", i);
		rows[i] = (struct heft_row){ .label = names[i],
					     .now = alpha.now,
					     .base = alpha.base };
		list[i] = turned[MANY - 1 - i] = &rows[i];
	}
	all.children = list;
	all_turned.children = turned;
	all.child_count = all_turned.child_count = MANY;
	one.top = &all;
	other.top = &all_turned;
	assert_true(tree_init(&from, &(struct browse_table){ .table = &one, .only_now = true }));
	assert_true(tree_init(&to, &(struct browse_table){ .table = &other, .only_now = true }));
	for (uint32_t i = 0; i < MANY; i += 2)
		tree_mark(&from, find(&from, names[i]), true);
	uint32_t cursor = UINT32_MAX;
	assert_true(tree_carry(&to, &from, &cursor));
	assert_int_equal(to.marked, MANY / 2);
	for (uint32_t i = 0; i < MANY; i++)
		assert_int_equal(to.nodes[find(&to, names[i])].marked, i % 2 == 0);
	tree_release(&from);
	tree_release(&to);
}

static void orders_are_by_name_change_and_reversed(void **state)
{
	struct tree *t = *state;
	open_row(t, ".text");
	tree_set_order(t, 0, TREE_BY_NAME, false);
	assert_true(tree_list(t));
	assert_lines(t, ".data .text Beta alpha gamma");
	tree_set_order(t, 0, TREE_BY_GROWTH, false);
	assert_true(tree_list(t));
	assert_lines(t, ".data .text Beta gamma alpha");
	t->diff = true;
	tree_set_order(t, 0, TREE_BY_SIZE, true);
	assert_true(tree_list(t));
	assert_lines(t, ".text gamma alpha Beta .data");
}

static void a_row_without_a_number_is_the_last(void **state)
{
	struct tree *t = *state;
	open_row(t, ".text");
	tree_set_order(t, 1, TREE_BY_SIZE, false);
	assert_true(tree_list(t));
	assert_lines(t, ".text Beta alpha gamma .data");
	assert_true(isnan(tree_now(t, find(t, "gamma"), 1)));
}

/* A level of rows of one size; the second measure is larger in the last one. */
static void assert_first_of_alike(unsigned count, const char *first, const char *second)
{
	static struct heft_row rows[5000];
	static const struct heft_row *list[5000];
	static char names[5000][16];
	static const uint64_t whole[2] = { 8, 1 };
	static const double same[2] = { 0, 1 }, larger[2] = { 0, 9 };
	struct heft_row all = top;
	struct heft_table alike = table;
	struct tree t;
	for (unsigned i = 0; i < count; i++) {
		snprintf(names[i], sizeof names[i], "row%04u", count - i);
		rows[i] = (struct heft_row){ .label = names[i],
					     .now = whole,
					     .base = whole,
					     .now_exact = same,
					     .base_exact = same };
		list[i] = &rows[i];
	}
	rows[count - 1].now_exact = larger;
	all.children = list;
	all.child_count = count;
	alike.top = &all;
	assert_true(tree_init(&t, &(struct browse_table){ .table = &alike, .only_now = true }));
	assert_string_equal(t.nodes[t.lines[0]].row->label, first);
	assert_string_equal(t.nodes[t.lines[1]].row->label, second);
	tree_release(&t);
}

static void rows_of_one_size_are_by_another_measure_then_by_name(void **state)
{
	(void)state;
	assert_first_of_alike(100, "row0001", "row0002");
	assert_first_of_alike(5000, "row0001", "row5000");
}

static void a_filter_shows_leaves_and_sums_them(void **state)
{
	struct tree *t = *state;
	open_row(t, ".text");
	assert_true(filter(t, "a !bet") && tree_list(t));
	assert_lines(t, ".data .text gamma alpha");
	assert_int_equal((int)tree_now(t, 0, 0), 60);
	assert_int_equal((int)tree_now(t, find(t, ".text"), 0), 30);
	assert_int_equal((int)tree_base(t, find(t, ".text"), 0), 40);
	assert_true(filter(t, "") && tree_list(t));
	assert_lines(t, ".text Beta gamma alpha .data");
	assert_int_equal((int)tree_now(t, 0, 0), 100);
}

static void words_with_a_capital_are_matched_exactly(void **state)
{
	struct tree *t = *state;
	assert_true(filter(t, "beta") && tree_list(t));
	assert_int_equal((int)tree_now(t, 0, 0), 40);
	assert_true(filter(t, "BETA") && tree_list(t));
	assert_int_equal(t->line_count, 0);
	assert_int_equal((int)tree_now(t, 0, 0), 0);
}

static void filters_look_at_labels_above_and_at_texts(void **state)
{
	struct tree *t = *state;
	assert_true(filter(t, ".text gamma") && tree_list(t));
	assert_int_equal((int)tree_now(t, 0, 0), 20);
	assert_true(filter(t, "Main.c") && tree_list(t));
	assert_int_equal((int)tree_now(t, 0, 0), 10);
	tree_open_shown(t, 5);
	assert_true(tree_list(t));
	assert_lines(t, ".text alpha");
}

static void more_words_than_fit_are_left_out(void **state)
{
	struct tree *t = *state;
	assert_true(filter(t, "a a a a a a a a a a a a a a a a a a ! !"));
	assert_true(tree_list(t));
	assert_int_equal((int)tree_now(t, find(t, ".text"), 0), 70);
}

static void what_is_below_something_marked_counts_once(void **state)
{
	struct tree *t = *state;
	double now, base;
	open_row(t, ".text");
	tree_mark(t, find(t, ".text"), true);
	tree_mark(t, find(t, "alpha"), true);
	tree_mark(t, find(t, ".data"), true);
	tree_marked(t, 0, &now, &base);
	assert_int_equal((int)now, 100);
	assert_int_equal((int)base, 60);
	assert_int_equal(t->marked, 3);
	tree_unmark_all(t);
	tree_marked(t, 0, &now, &base);
	assert_int_equal((int)now, 0);
}

static void a_row_can_be_the_whole(void **state)
{
	struct tree *t = *state;
	t->root = find(t, ".text");
	assert_true(tree_list(t));
	assert_lines(t, "Beta gamma alpha");
	assert_int_equal(tree_depth(t, find(t, "alpha")), 0);
}

/* ---- rows that are made later ---------------------------------------------------------------- */

static struct heft_row later_text, later_data;
static unsigned opened;
static bool has_memory;

/* Gives a row the children of the one that it stands for. */
static bool open_later(void *of, const struct heft_row *row)
{
	const struct heft_row *const made = row == &later_text ? &text : &data;
	assert_ptr_equal(of, &opened);
	assert_null(row->children);
	if (has_memory)
		((struct heft_row *)(uintptr_t)row)->children = made->children;
	opened += has_memory;
	return has_memory;
}

static void init_later(struct tree *t)
{
	static const struct heft_row *const rows[] = { &later_text, &later_data };
	static struct heft_row later_top;
	static struct heft_table later;
	later = table;
	later_top = top;
	later_text = text;
	later_data = data;
	later_top.children = rows;
	later_text.children = later_data.children = NULL;
	later.top = &later_top;
	opened = 0;
	has_memory = true;
	assert_true(tree_init(
		t, &(struct browse_table){ .table = &later,
					   .only_now = true,
					   .rows = { .open = open_later, .of = &opened } }));
}

static void rows_are_made_when_the_one_above_is_opened(void **state)
{
	struct tree t;
	(void)state;
	init_later(&t);
	assert_int_equal(opened, 1); /* .data, to see that its row says its name again */
	assert_true(tree_has_children(&t, find(&t, ".text")));
	assert_false(tree_has_children(&t, find(&t, ".data")));
	assert_int_equal(t.count, 3);
	open_row(&t, ".text");
	assert_int_equal(opened, 2);
	assert_lines(&t, ".text Beta gamma alpha .data");
	tree_release(&t);
}

static void a_filter_makes_all_rows(void **state)
{
	struct tree t;
	(void)state;
	init_later(&t);
	assert_true(filter(&t, "alpha") && tree_list(&t));
	assert_int_equal((int)tree_now(&t, 0, 0), 10);
	assert_int_equal(t.count, 6);
	tree_release(&t);
}

/* ---- tables that filter ---------------------------------------------------------------------- */

/* By row, as values[] has them: what the table's filter does, and the sums of what it lets
 * through. */
static enum heft_filtered how[6];
static uint64_t let_through[6][4];
static struct heft_row *const all_rows[] = { NULL,   &later_text, &later_data,
					     &alpha, &beta,       &gamma_row };
static const size_t above[] = { 0, 0, 0, 1, 1, 1 };

static size_t number_of(const struct heft_row *row)
{
	return (size_t)(row->now - values[0]) / 4;
}

static bool filter_table(void *of, const struct heft_row_filter *f, uint64_t *ret_count)
{
	assert_ptr_equal(of, &opened);
	memset(let_through, 0, sizeof let_through);
	*ret_count = 0;
	for (size_t i = 0; i < 6; i++)
		how[i] = f != NULL && i > 0 ? HEFT_ROW_HIDDEN : HEFT_ROW_SHOWN;
	for (size_t i = 0; f != NULL && i < f->kept_count; i++)
		for (size_t at = number_of(f->kept[i]); at != 0; at = above[at])
			how[at] = HEFT_ROW_KEPT;
	for (size_t i = 2; f != NULL && i < 6; i++) {
		uint32_t bits = f->match(f->ctx, all_rows[i]);
		bits |= above[i] != 0 ? f->match(f->ctx, all_rows[above[i]]) : 0;
		if ((bits & f->wanted) != f->wanted || (bits & f->unwanted) != 0)
			continue;
		++*ret_count;
		how[i] = how[above[i]] = HEFT_ROW_SHOWN;
		for (size_t at = i; at != 0; at = above[at])
			for (size_t k = 0; k < 4; k += 2)
				let_through[above[at]][k] += values[i][k];
	}
	return has_memory;
}

static bool open_shown(void *of, const struct heft_row *row, const struct heft_row *const **ret,
		       size_t *ret_count)
{
	static const struct heft_row *some[3];
	size_t count = 0;
	if (row != &later_text) {
		*ret = row->children;
		*ret_count = row->child_count;
		return true;
	}
	assert_ptr_equal(of, &opened);
	for (size_t i = 3; i < 6; i++)
		if (how[i] != HEFT_ROW_HIDDEN)
			some[count++] = all_rows[i];
	*ret = some;
	*ret_count = count;
	return has_memory;
}

static enum heft_filtered what_is_filtered(void *of, const struct heft_row *row,
					   const uint64_t **ret_now, const uint64_t **ret_base)
{
	const size_t i = number_of(row);
	assert_ptr_equal(of, &opened);
	*ret_now = i < 2 ? let_through[i] : row->now;
	*ret_base = i < 2 ? let_through[i] + 2 : row->base;
	return how[i];
}

static void init_filtering(struct tree *t)
{
	static struct tree made;
	init_later(&made);
	const struct browse_table from = { .table = made.table,
					   .only_now = true,
					   .rows = { open_later, filter_table, open_shown,
						     what_is_filtered, &opened } };
	tree_release(&made);
	opened = 0;
	assert_true(tree_init(t, &from));
}

static void a_table_that_filters_makes_only_what_is_shown(void **state)
{
	struct tree t;
	(void)state;
	init_filtering(&t);
	t.nodes[find(&t, ".text")].open = true;
	assert_true(filter(&t, "a !bet") && tree_list(&t));
	assert_lines(&t, ".data .text gamma alpha");
	assert_int_equal(t.count, 5);
	assert_int_equal((int)tree_now(&t, 0, 0), 60);
	assert_int_equal((int)tree_now(&t, find(&t, ".text"), 0), 30);
	assert_int_equal((int)tree_base(&t, find(&t, ".text"), 0), 40);
	assert_null(later_text.children);
	assert_true(filter(&t, "") && tree_list(&t));
	assert_lines(&t, ".text Beta gamma alpha .data");
	assert_int_equal((int)tree_now(&t, 0, 0), 100);
	tree_release(&t);
}

static void what_was_done_to_rows_outlasts_a_filter_that_hides_them(void **state)
{
	struct tree t;
	double now, base;
	(void)state;
	init_filtering(&t);
	open_row(&t, ".text");
	tree_mark(&t, find(&t, "Beta"), true);
	tree_set_order(&t, 0, TREE_BY_NAME, true);
	assert_true(filter(&t, "alpha") && tree_list(&t));
	assert_lines(&t, ".text alpha");
	tree_marked(&t, 0, &now, &base);
	assert_int_equal((int)now, 0);
	assert_true(filter(&t, "data") && tree_list(&t));
	assert_lines(&t, ".data");
	assert_int_equal(t.marked, 1);
	assert_true(filter(&t, "") && tree_list(&t));
	assert_lines(&t, ".text gamma alpha Beta .data");
	assert_true(t.nodes[find(&t, "Beta")].marked);
	tree_release(&t);
}

static void filter_as_typed(struct tree *t, const char *words, uint32_t *cursor)
{
	tree_close_opened(t, *cursor);
	assert_true(tree_filter(t, words, cursor));
	if (words[0] != '\0')
		tree_open_shown(t, 5);
	assert_true(tree_list(t));
}

/* Of a table that filters, and of one whose rows are all there. */
static void check_opened(struct tree *t)
{
	uint32_t cursor = 0;
	filter_as_typed(t, "alpha", &cursor);
	assert_lines(t, ".text alpha");
	assert_true(tree_filter(t, "al", &cursor) && tree_list(t)); /* nobody typed it */
	assert_lines(t, ".text alpha");
	filter_as_typed(t, "", &cursor);
	assert_lines(t, ".text .data");
	filter_as_typed(t, "alpha", &cursor);
	cursor = find(t, "alpha");
	filter_as_typed(t, "", &cursor);
	assert_lines(t, ".text Beta gamma alpha .data");
	assert_int_equal(cursor, find(t, "alpha"));
	filter_as_typed(t, "no such thing", &cursor);
	assert_int_equal(t->line_count, 0);
	filter_as_typed(t, "", &cursor);
	assert_lines(t, ".text Beta gamma alpha .data");
}

static void what_a_filter_opens_closes_unless_the_cursor_is_in_it(void **state)
{
	struct tree t;
	check_opened(*state);
	init_filtering(&t);
	check_opened(&t);
	tree_release(&t);
}

static void marks_below_rows_that_are_not_made_are_carried(void **state)
{
	struct tree *old = *state, t;
	init_later(&t);
	tree_mark(old, find(old, ".data"), true);
	uint32_t cursor = UINT32_MAX;
	assert_true(tree_carry(&t, old, &cursor));
	assert_int_equal(opened, 1);
	open_row(old, ".text");
	tree_mark(old, find(old, "Beta"), true);
	assert_true(tree_carry(&t, old, &cursor));
	assert_int_equal(opened, 2);
	assert_true(t.nodes[find(&t, "Beta")].marked);
	tree_release(&t);
}

static void without_memory_what_is_there_stays(void **state)
{
	struct tree t;
	(void)state;
	init_later(&t);
	has_memory = false;
	t.nodes[find(&t, ".text")].open = true;
	assert_false(tree_list(&t));
	assert_false(filter(&t, "alpha"));
	assert_int_equal(t.count, 3);
	has_memory = true;
	open_row(&t, ".text");
	assert_lines(&t, ".text Beta gamma alpha .data");
	tree_release(&t);
}

static void a_table_without_rows_has_no_lines(void **state)
{
	struct tree *t = *state, empty;
	static struct heft_row nothing = { .label = "TOTAL" };
	struct heft_table none = table;
	nothing.now = top.now;
	nothing.base = top.base;
	none.top = &nothing;
	assert_true(tree_init(&empty, &(struct browse_table){ .table = &none }));
	assert_int_equal(empty.line_count, 0);
	assert_true(filter(&empty, "x") && tree_list(&empty));
	tree_open_beside(&empty, 0, true);
	assert_int_equal(empty.line_count, 0);
	tree_release(&empty);
	(void)t;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rows_are_sorted_by_size_and_open_one_by_one),
		TEST(a_level_that_says_the_name_again_is_no_row),
		TEST(orders_are_by_name_change_and_reversed),
		TEST(a_row_without_a_number_is_the_last),
		TEST(rows_of_one_size_are_by_another_measure_then_by_name),
		TEST(a_filter_shows_leaves_and_sums_them),
		TEST(words_with_a_capital_are_matched_exactly),
		TEST(filters_look_at_labels_above_and_at_texts),
		TEST(more_words_than_fit_are_left_out),
		TEST(what_is_below_something_marked_counts_once),
		TEST(a_row_can_be_the_whole),
		TEST(rows_are_made_when_the_one_above_is_opened),
		TEST(a_filter_makes_all_rows),
		TEST(a_table_that_filters_makes_only_what_is_shown),
		TEST(what_was_done_to_rows_outlasts_a_filter_that_hides_them),
		TEST(what_a_filter_opens_closes_unless_the_cursor_is_in_it),
		TEST(marks_below_rows_that_are_not_made_are_carried),
		TEST(without_memory_what_is_there_stays),
		TEST(a_table_without_rows_has_no_lines),
		TEST(a_newer_table_is_looked_at_as_the_older_one_was),
		TEST(what_is_gone_leaves_the_cursor_and_the_whole_on_the_row_above),
		TEST(of_many_marks_every_one_is_carried),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
