#include "map/rules.h"

#include "base/pool.h"

#include <setjmp.h>
#include <stdlib.h>

/* After our headers: cmocka's fail() is a macro. */
#include <cmocka.h>

static void expect_match(const char *regex, struct str text, bool expected)
{
	struct heft_err err = { 0 };
	struct notes notes;
	notes_init(&notes);
	struct pattern *p = pattern_new(str_of(regex), &err);
	assert_non_null(p);
	assert_int_equal(pattern_matches(p, text, &notes), expected);
	assert_int_equal(notes.count, 0);
	pattern_free(p);
	notes_release(&notes);
}

/* The label after the rules, NULL where none matched.  To be freed. */
static char *apply(const struct rules *r, struct str label)
{
	struct text out = { 0 };
	char *ret = NULL;
	if (rules_apply(r, label, &out, NULL)) {
		text_add(&out, STR("\0"));
		ret = out.p;
	} else {
		text_release(&out);
	}
	return ret;
}

static void expect_rewrite(const char *regex, const char *replacement, const char *label,
			   const char *expected)
{
	struct heft_err err = { 0 };
	struct rules *r = rules_new();
	assert_true(rules_add(r, str_of(regex), str_of(replacement), &err));
	char *got = apply(r, str_of(label));
	if (expected) {
		assert_non_null(got);
		assert_string_equal(got, expected);
	} else {
		assert_null(got);
	}
	mem_free(got);
	rules_free(r);
}

static void patterns_match_anywhere(void **state)
{
	(void)state;
	expect_match("b", STR("abc"), true);
	expect_match("^b", STR("abc"), false);
	expect_match("B", STR("abc"), false);
	expect_match("(?i)B", STR("abc"), true);
	expect_match("", STR(""), true);
	expect_match("", STR("x"), true);
	expect_match("x", (struct str){ NULL, 0 }, false);
	expect_match("LOAD #[0-9]+ \\[R", STR("[section LOAD #3 [RX]]"), true);
}

static void syntax_of_re2_is_understood(void **state)
{
	(void)state;
	expect_match("(?P<name>a+)b", STR("aab"), true);
	expect_match("\\Qa.b\\E", STR("a.b"), true);
	expect_match("\\Qa.b\\E", STR("axb"), false);
	expect_match("[[:alpha:]]\\pL\\z", STR("ab"), true);
	expect_match("(?s)a.b", STR("a\nb"), true);
	expect_match("a.b", STR("a\nb"), false);
	/* The very end, not also before a final newline. */
	expect_match("a$", STR("a"), true);
	expect_match("a$", STR("a\n"), false);
	expect_match("(?m)a$", STR("a\nb"), true);
}

static void labels_are_bytes(void **state)
{
	(void)state;
	expect_match("^.\\xff.$", STR("a\xff\xfe"), true);
	expect_match("a\\x00b", STR("a\0b"), true);
	expect_match("^..$", STR("\xc3\xa9"), true);
	expect_match("\xc3\xa9", STR("caf\xc3\xa9"), true);
}

static void a_bad_expression_is_explained(void **state)
{
	(void)state;
	struct heft_err err = { 0 };
	assert_null(pattern_new(STR("ab(c"), &err));
	assert_int_equal(err.code, HEFT_EARG);
	assert_string_equal(err.text, "invalid regular expression \"ab(c\" at byte 4: missing "
				      "closing parenthesis");
	assert_null(pattern_new(STR("a\n[z-a]"), &err));
	assert_non_null(strstr(err.text, "\"a?[z-a]\" at byte 5: range out of order"));
	assert_null(pattern_new(STR("(*UTF)a"), &err));
	assert_non_null(strstr(err.text, "UTF"));
	assert_null(pattern_new(STR("("), NULL));

	struct rules *r = rules_new();
	err.code = HEFT_OK;
	assert_false(rules_add(r, STR("*"), STR("x"), &err));
	assert_int_equal(err.code, HEFT_EARG);
	assert_null(apply(r, STR("*")));
	rules_free(r);
}

static void a_match_replaces_the_whole_label(void **state)
{
	(void)state;
	expect_rewrite("b", "X", "abc", "X");
	expect_rewrite("z", "X", "abc", NULL);
	expect_rewrite("b", "", "abc", "");
	expect_rewrite("^(\\.[a-z]+)", "\\1", ".text.main", ".text");
	expect_rewrite("b+", "<\\0>", "abbbc", "<bbb>");
	expect_rewrite("(a)(b)(c)", "\\3\\2\\1\\\\", "xabcx", "cba\\");
	expect_rewrite("(a)|(b)", "1=\\1 2=\\2", "b", "1= 2=b");
	expect_rewrite("^(.*)$", "\\1\\1", "[Unmapped]", "[Unmapped][Unmapped]");
	expect_rewrite("(1)(2)(3)(4)(5)(6)(7)(8)(9)(a)(b)", "\\9\\1", "123456789ab", "91");
	expect_rewrite("(1)(2)(3)(4)(5)(6)(7)(8)(9)(a)(b)", "\\10", "123456789ab", "10");
}

static void the_first_rule_that_matches_wins(void **state)
{
	(void)state;
	struct rules *r = rules_new();
	assert_true(rules_add(r, STR("^a"), STR("first"), NULL));
	assert_true(rules_add(r, STR("b"), STR("second"), NULL));
	assert_true(rules_add(r, STR("first"), STR("never chained"), NULL));
	char *ab = apply(r, STR("ab")), *cb = apply(r, STR("cb"));
	assert_string_equal(ab, "first");
	assert_string_equal(cb, "second");
	assert_null(apply(r, STR("c")));
	mem_free(ab);
	mem_free(cb);
	rules_free(r);
}

static void no_rules_change_nothing(void **state)
{
	(void)state;
	struct rules *r = rules_new();
	assert_null(apply(r, STR("x")));
	rules_free(r);
	rules_free(NULL);
	pattern_free(NULL);
}

static void a_replacement_must_make_sense(void **state)
{
	(void)state;
	struct heft_err err = { 0 };
	struct rules *r = rules_new();
	assert_false(rules_add(r, STR("(a)b"), STR("x\\2"), &err));
	assert_int_equal(err.code, HEFT_EARG);
	assert_string_equal(err.text, "replacement \"x\\2\" uses \\2, but \"(a)b\" has 1 group");
	assert_false(rules_add(r, STR("ab"), STR("\\1"), &err));
	assert_string_equal(err.text, "replacement \"\\1\" uses \\1, but \"ab\" has 0 groups");
	assert_false(rules_add(r, STR("a"), STR("x\\"), &err));
	assert_string_equal(err.text, "replacement \"x\\\": the backslash at byte 1 needs a digit "
				      "or a backslash after it");
	assert_false(rules_add(r, STR("a"), STR("\\n"), &err));
	assert_int_equal(err.code, HEFT_EARG);
	assert_null(apply(r, STR("ab")));
	rules_free(r);
}

static void output_is_replaced_and_kept_where_nothing_matches(void **state)
{
	(void)state;
	struct text out = { 0 };
	struct rules *r = rules_new();
	assert_true(rules_add(r, STR("a"), STR("[\\0]"), NULL));
	text_set(&out, STR("before"));
	assert_false(rules_apply(r, STR("x"), &out, NULL));
	assert_true(str_eq((struct str){ out.p, out.len }, STR("before")));
	assert_true(rules_apply(r, STR("bab"), &out, NULL));
	assert_true(str_eq((struct str){ out.p, out.len }, STR("[a]")));
	text_release(&out);
	assert_null(out.p);
	rules_free(r);
}

static void a_match_without_end_gives_up_and_is_noted_once(void **state)
{
	(void)state;
	const struct str label = STR("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n!");
	struct notes notes;
	struct text out = { 0 };
	struct rules *r = rules_new();
	notes_init(&notes);
	assert_true(rules_add(r, STR("^(a+)+$"), STR("endless"), NULL));
	assert_true(rules_add(r, STR("!"), STR("next"), NULL));
	assert_true(rules_apply(r, label, &out, &notes));
	assert_true(rules_apply(r, label, &out, &notes));
	assert_true(str_eq((struct str){ out.p, out.len }, STR("next")));
	assert_int_equal(notes.count, 1);
	assert_int_equal(notes.data[0].count, 2);
	assert_string_equal(notes.data[0].path, "^(a+)+$");
	assert_non_null(strstr(notes.data[0].text, "limit"));
	assert_null(strchr(notes.data[0].text, '\n'));
	assert_true(rules_apply(r, label, &out, NULL));
	text_release(&out);
	rules_free(r);
	notes_release(&notes);
}

static void long_labels_do_not_exhaust_the_small_stack_of_the_jit(void **state)
{
	(void)state;
	char label[20000];
	memset(label, 'a', sizeof label);
	expect_match("^(?:(a)|(b))*$", (struct str){ label, sizeof label }, true);
}

struct shared {
	const struct rules *rules;
	const struct pattern *pattern;
	size_t wrong[64];
};

static void match_many(void *ctx, size_t i, unsigned worker)
{
	struct shared *s = ctx;
	struct text out = { 0 };
	(void)worker;
	for (unsigned k = 0; k < 2000; k++) {
		const char label[] = { (char)('a' + i % 26), (char)('0' + k % 10), '!' };
		const char expected[] = { label[1], label[0] };
		const bool fine = rules_apply(s->rules, (struct str){ label, 3 }, &out, NULL) &&
				  str_eq((struct str){ out.p, out.len },
					 (struct str){ expected, 2 }) &&
				  pattern_matches(s->pattern, (struct str){ label, 3 }, NULL);
		s->wrong[i] += !fine;
	}
	text_release(&out);
}

static void threads_share_rules(void **state)
{
	(void)state;
	struct shared s = { 0 };
	struct rules *r = rules_new();
	struct pattern *p = pattern_new(STR("[a-z][0-9]"), NULL);
	assert_true(rules_add(r, STR("^([a-z])([0-9])!$"), STR("\\2\\1"), NULL));
	s.rules = r;
	s.pattern = p;
	parallel_for(4, COUNT_OF(s.wrong), match_many, &s);
	for (size_t i = 0; i < COUNT_OF(s.wrong); i++)
		assert_int_equal(s.wrong[i], 0);
	pattern_free(p);
	rules_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_match_anywhere),
		cmocka_unit_test(syntax_of_re2_is_understood),
		cmocka_unit_test(labels_are_bytes),
		cmocka_unit_test(a_bad_expression_is_explained),
		cmocka_unit_test(a_match_replaces_the_whole_label),
		cmocka_unit_test(the_first_rule_that_matches_wins),
		cmocka_unit_test(no_rules_change_nothing),
		cmocka_unit_test(a_replacement_must_make_sense),
		cmocka_unit_test(output_is_replaced_and_kept_where_nothing_matches),
		cmocka_unit_test(a_match_without_end_gives_up_and_is_noted_once),
		cmocka_unit_test(long_labels_do_not_exhaust_the_small_stack_of_the_jit),
		cmocka_unit_test(threads_share_rules),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
