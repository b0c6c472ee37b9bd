#include "map/view.h"
#include "names/namespace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

/* Spans of one byte for each label. */
static struct spans spans_of(struct labels *l, const char *const *names, size_t count)
{
	struct spans s = { 0 };
	for (size_t i = 0; i < count; i++)
		spans_push(&s, 2 * i, 1, label_borrow(l, str_of(names[i])));
	return s;
}

static const char *shown(const struct view *v, const struct labels *l, const struct spans *s,
			 size_t i)
{
	return label_text(l, v->shown[s->list.data[i].label]).p;
}

static void a_raw_view_without_rules_is_plain(void **state)
{
	const struct view plain = { .style = HEFT_NAMES_RAW },
			  other = { .style = HEFT_NAMES_SHORT };
	(void)state;
	assert_true(view_is_plain(&plain));
	assert_false(view_is_plain(&other));
}

static void names_are_shown_in_the_style_of_the_view(void **state)
{
	static const char *const names[] = { "_Z3fooi", "main", "_Z3fool", "[section .text]",
					     LABEL_AFTER "_ZN2ns3runEv)" };
	struct labels l = { 0 };
	struct spans s = spans_of(&l, names, COUNT_OF(names));
	struct view brief = { .style = HEFT_NAMES_SHORT }, full = { .style = HEFT_NAMES_FULL };
	(void)state;
	view_update(&brief, &l, &s, 1, NULL);
	view_update(&full, &l, &s, 1, NULL);
	assert_string_equal(shown(&brief, &l, &s, 0), "foo()");
	assert_string_equal(shown(&brief, &l, &s, 1), "main");
	assert_string_equal(shown(&brief, &l, &s, 3), "[section .text]");
	assert_int_equal(brief.shown[s.list.data[0].label], brief.shown[s.list.data[2].label]);
	assert_string_equal(shown(&full, &l, &s, 0), "foo(int)");
	assert_string_equal(shown(&full, &l, &s, 2), "foo(long)");
	assert_string_equal(shown(&full, &l, &s, 4), "(after ns::run())");
	view_release(&brief);
	view_release(&full);
	spans_release(&s);
	labels_release(&l);
}

static void rules_see_the_name_as_it_is_shown(void **state)
{
	static const char *const names[] = { "_Z3fooi", "bar" };
	struct labels l = { 0 };
	struct spans s = spans_of(&l, names, COUNT_OF(names));
	struct rules *rules = rules_new();
	(void)state;
	assert_true(rules_add(rules, STR("^foo\\((.*)\\)"), STR("takes \\1"), NULL));
	struct view v = { .style = HEFT_NAMES_FULL, .rules = rules };
	view_update(&v, &l, &s, 1, NULL);
	assert_string_equal(shown(&v, &l, &s, 0), "takes int");
	assert_string_equal(shown(&v, &l, &s, 1), "bar");
	view_release(&v);
	rules_free(rules);
	spans_release(&s);
	labels_release(&l);
}

static void a_second_update_only_adds(void **state)
{
	static const char *const first[] = { "_Z3fooi" }, *const second[] = { "_Z3bari",
									      "_Z3fooi" };
	struct labels l = { 0 };
	struct spans s = spans_of(&l, first, COUNT_OF(first));
	struct view v = { .style = HEFT_NAMES_SHORT };
	(void)state;
	view_update(&v, &l, &s, 1, NULL);
	const label_id foo = v.shown[s.list.data[0].label];
	struct spans t = spans_of(&l, second, COUNT_OF(second));
	view_update(&v, &l, &t, 1, NULL);
	assert_string_equal(shown(&v, &l, &t, 0), "bar()");
	assert_int_equal(v.shown[t.list.data[1].label], foo);
	view_release(&v);
	spans_release(&s);
	spans_release(&t);
	labels_release(&l);
}

/* More labels than one worker's share. */
static void ids_do_not_depend_on_the_number_of_threads(void **state)
{
	(void)state;
	label_id *want = NULL;
	for (unsigned threads = 1; threads <= 5; threads += 2) {
		struct labels l = { 0 };
		struct spans s = { 0 };
		struct view v = { .style = HEFT_NAMES_SHORT };
		enum { COUNT = 5000 };
		for (size_t i = 0; i < COUNT; i++)
			spans_push(&s, i, 1, label_format(&l, "_Z4f%03di", (int)(i % 999)));
		view_update(&v, &l, &s, threads, NULL);
		if (!want) {
			want = mem_zeroed(COUNT, sizeof *want);
			for (size_t i = 0; i < s.list.count; i++)
				want[i] = v.shown[s.list.data[i].label];
		}
		for (size_t i = 0; i < s.list.count; i++)
			assert_int_equal(v.shown[s.list.data[i].label], want[i]);
		assert_string_equal(shown(&v, &l, &s, 7), "f007()");
		view_release(&v);
		spans_release(&s);
		labels_release(&l);
	}
	mem_free(want);
}

static void a_label_that_begins_with_a_bracket_is_a_fallback(void **state)
{
	struct labels l = { 0 };
	(void)state;
	assert_true(label_is_fallback(&l, label_borrow(&l, STR("[Unmapped]"))));
	assert_false(label_is_fallback(&l, label_borrow(&l, STR("a[1]"))));
	assert_false(label_is_fallback(&l, label_borrow(&l, STR(""))));
	labels_release(&l);
}

static void equal_texts_are_one_label_however_they_came(void **state)
{
	struct labels l = { 0 };
	char buffer[] = "abc";
	(void)state;
	const label_id a = label_copy(&l, str_of(buffer));
	buffer[0] = 'x';
	assert_int_equal(label_borrow(&l, STR("abc")), a);
	assert_int_equal(label_format(&l, "a%s", "bc"), a);
	assert_int_not_equal(label_copy(&l, str_of(buffer)), a);
	assert_string_equal(label_text(&l, a).p, "abc");
	labels_release(&l);
}

static void each_frame_of_a_stack_is_shown_in_the_style(void **state)
{
	static const char *const names[] = { "main;_Z3fooi;_Z3barv", "_Z3fooi", "main" };
	struct labels l = { 0 };
	struct spans s = spans_of(&l, names, COUNT_OF(names));
	struct view v = { .style = HEFT_NAMES_SHORT, .form = VIEW_STACK };
	(void)state;
	view_update(&v, &l, &s, 2, NULL);
	assert_string_equal(shown(&v, &l, &s, 0), "main;foo();bar()");
	assert_string_equal(shown(&v, &l, &s, 1), "foo()");
	assert_string_equal(shown(&v, &l, &s, 2), "main");
	view_release(&v);
	spans_release(&s);
	labels_release(&l);
}

static void a_chain_is_shown_by_its_parts(void **state)
{
	static const char *const names[] = { "main", "_Z3fooi", "_Z3barl", "[section .text]" };
	struct labels l = { 0 };
	struct spans s = spans_of(&l, names, COUNT_OF(names)), chains = { 0 };
	const label_id two = label_chain(&l, s.list.data[0].label, s.list.data[1].label);
	const label_id three = label_chain(&l, two, s.list.data[2].label);
	struct view v = { .style = HEFT_NAMES_SHORT, .form = VIEW_STACK }, second = v, last = v;
	(void)state;
	assert_int_equal(label_chain(&l, two, s.list.data[2].label), three);
	assert_string_equal(label_text(&l, three).p, "main;_Z3fooi;_Z3barl");
	assert_true(
		label_is_fallback(&l, label_chain(&l, s.list.data[3].label, s.list.data[1].label)));
	spans_push(&chains, 0, 1, three);
	spans_push(&chains, 1, 1, s.list.data[0].label);
	second.level = 2;
	last.level = 9;
	view_update(&v, &l, &chains, 1, NULL);
	view_update(&second, &l, &chains, 1, NULL);
	view_update(&last, &l, &chains, 2, NULL);
	assert_string_equal(shown(&v, &l, &chains, 0), "main;foo();bar()");
	assert_string_equal(shown(&v, &l, &chains, 1), "main");
	assert_string_equal(shown(&second, &l, &chains, 0), "foo()");
	assert_string_equal(shown(&second, &l, &chains, 1), "main");
	assert_string_equal(shown(&last, &l, &chains, 0), "bar()");
	view_release(&v);
	view_release(&second);
	view_release(&last);
	spans_release(&s);
	spans_release(&chains);
	labels_release(&l);
}

static void paths_and_their_directories_are_mapped_first(void **state)
{
	static const char *const names[] = { "/build/lib/a.c", "[section .text]" };
	struct labels l = { 0 };
	struct spans s = spans_of(&l, names, COUNT_OF(names));
	struct paths paths = { 0 };
	struct view file = { .form = VIEW_PATH, .paths = &paths },
		    dir = { .form = VIEW_DIRECTORY, .paths = &paths },
		    part = { .form = VIEW_DIRECTORY, .paths = &paths, .level = 2 };
	(void)state;
	assert_true(view_is_plain(&file));
	assert_true(paths_add_map(&paths, STR("/build"), STR("/src"), NULL));
	assert_false(view_is_plain(&file));
	view_update(&file, &l, &s, 1, NULL);
	view_update(&dir, &l, &s, 1, NULL);
	view_update(&part, &l, &s, 1, NULL);
	assert_string_equal(shown(&file, &l, &s, 0), "/src/lib/a.c");
	assert_string_equal(shown(&dir, &l, &s, 0), "/src/lib");
	assert_string_equal(shown(&part, &l, &s, 0), "lib");
	assert_string_equal(shown(&dir, &l, &s, 1), "[section .text]");
	view_release(&file);
	view_release(&dir);
	view_release(&part);
	paths_release(&paths);
	spans_release(&s);
	labels_release(&l);
}

static void namespaces_learn_from_all_names_of_an_update(void **state)
{
	static const char *const names[] = { "_ZN1a1B1fEv", "_ZN1a1BC1Ev", "main",
					     "[section .text]", "/src/a.cc (debug info)" };
	struct labels l = { 0 };
	struct spans s = spans_of(&l, names, COUNT_OF(names));
	struct namespaces spaces = { 0 };
	struct view v = { .form = VIEW_NAMESPACE, .spaces = &spaces };
	(void)state;
	view_update(&v, &l, &s, 2, NULL);
	assert_string_equal(shown(&v, &l, &s, 0), "a");
	assert_string_equal(shown(&v, &l, &s, 2), "(global)");
	assert_string_equal(shown(&v, &l, &s, 3), "[section .text]");
	assert_string_equal(shown(&v, &l, &s, 4), "(debug info)");
	view_release(&v);
	namespaces_release(&spaces);
	spans_release(&s);
	labels_release(&l);
}

static void long_labels_are_formatted_whole(void **state)
{
	struct labels l = { 0 };
	char text[2000];
	(void)state;
	memset(text, 'y', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	const struct str made = label_text(&l, label_format(&l, "<%s>", text));
	assert_int_equal(made.len, sizeof text + 1);
	assert_memory_equal(made.p, "<yyy", 4);
	assert_string_equal(made.p + made.len - 2, "y>");
	labels_release(&l);
}

/* In any order a block has one label, and its text is that of its function and number. */
static void block_labels_are_one_for_each_function_and_number(void **state)
{
	static const uint32_t numbers[] = { 0, 1, 2, 7, 3, 4, 2, 7, 0, 9, 3 };
	struct labels l = { 0 };
	label_id seen[2][10] = { { 0 } };
	(void)state;
	const label_id functions[2] = { label_copy(&l, STR("_Z1fv")), label_copy(&l, STR("g")) };
	for (size_t i = 0; i < 2 * COUNT_OF(numbers); i++) {
		const size_t f = i % 2;
		const uint32_t n = numbers[i / 2];
		const label_id id = label_block(&l, functions[f], n);
		assert_true(seen[f][n] == 0 || seen[f][n] == id);
		seen[f][n] = id;
		assert_true(label_is_numbered(&l, id));
		assert_int_equal(label_numbered(&l, id).of, functions[f]);
		assert_int_equal(label_numbered(&l, id).number, n);
	}
	assert_int_equal(l.names.entries.count, 2 + 2 * 7);
	assert_string_equal(label_text(&l, seen[0][7]).p, "_Z1fv#7");
	assert_string_equal(label_text(&l, seen[1][0]).p, "g#0");
	assert_false(label_is_numbered(&l, functions[0]));
	assert_false(label_is_fallback(&l, seen[0][1]));
	labels_release(&l);
}

/* So has a line of a file, which is another one than the block of the same number. */
static void line_labels_are_one_for_each_file_and_number(void **state)
{
	struct labels l = { 0 };
	label_id ids[5];
	(void)state;
	const label_id file = label_copy(&l, STR("src/a.c"));
	const label_id nobody = label_copy(&l, STR("[built-in]"));
	const label_id block = label_block(&l, file, 7);
	const struct label_number list[] = {
		{ file, 7 }, { file, 0 }, { file, UINT32_MAX }, { file, 7 }, { nobody, 3 }
	};
	label_lines(&l, list, COUNT_OF(list), ids);
	assert_int_equal(ids[0], ids[3]);
	assert_int_not_equal(ids[0], block);
	assert_string_equal(label_text(&l, ids[0]).p, "src/a.c:7");
	assert_string_equal(label_text(&l, block).p, "src/a.c#7");
	assert_string_equal(label_text(&l, ids[1]).p, "src/a.c:0");
	assert_string_equal(label_text(&l, ids[2]).p, "src/a.c:4294967295");
	assert_int_equal(label_text(&l, ids[2]).len, 18);
	assert_ptr_equal(label_text(&l, ids[2]).p, label_text(&l, ids[2]).p);
	assert_string_equal(label_text(&l, ids[4]).p, "[built-in]:3");
	assert_true(label_is_fallback(&l, ids[4]));
	assert_false(label_is_fallback(&l, ids[0]));
	labels_release(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_raw_view_without_rules_is_plain),
		cmocka_unit_test(names_are_shown_in_the_style_of_the_view),
		cmocka_unit_test(rules_see_the_name_as_it_is_shown),
		cmocka_unit_test(a_second_update_only_adds),
		cmocka_unit_test(each_frame_of_a_stack_is_shown_in_the_style),
		cmocka_unit_test(a_chain_is_shown_by_its_parts),
		cmocka_unit_test(paths_and_their_directories_are_mapped_first),
		cmocka_unit_test(namespaces_learn_from_all_names_of_an_update),
		cmocka_unit_test(ids_do_not_depend_on_the_number_of_threads),
		cmocka_unit_test(a_label_that_begins_with_a_bracket_is_a_fallback),
		cmocka_unit_test(equal_texts_are_one_label_however_they_came),
		cmocka_unit_test(block_labels_are_one_for_each_function_and_number),
		cmocka_unit_test(line_labels_are_one_for_each_file_and_number),
		cmocka_unit_test(long_labels_are_formatted_whole),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
