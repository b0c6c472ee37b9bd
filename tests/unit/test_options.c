#include "base/nearest.h"
#include "cli/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* As the programs have it: no assertion of the options may fail here. */
void base_broken(const char *file, int line, const char *condition)
{
	fail_msg("%s:%d: %s", file, line, condition);
	abort();
}

static const struct opt table[] = {
	{ .help = "Heading" },
	{ 1, 'n', true, NULL, "NUM", "rows" },
	{ 2, 'w', false, NULL, NULL, "wide" },
	{ 3, 'v', false, "verbose", NULL, "more" },
	{ 4, 0, false, "domain", "vm|file", "columns" },
	{ 5, 'C', false, "demangle", "HOW", "names" },
	{ 0 },
};

/* What the cursor says of the words, as text: "n=5 w FILE -- BASE !problem". */
static const char *walk(char *out, size_t size, int argc, const char *const *argv)
{
	struct opt_cursor c;
	char *words[16];
	size_t n = 0;
	for (int i = 0; i < argc; i++)
		words[i] = (char *)(uintptr_t)argv[i];
	out[0] = '\0';
	options_init(&c, table, argc, words);
	for (enum opt_step step; (step = options_next(&c)) != OPT_END;) {
		const char *gap = n > 0 ? " " : "";
		const char *value = c.value != NULL ? c.value : "";
		if (step == OPT_OPTION)
			n += (size_t)snprintf(out + n, size - n, "%s%d%s%s", gap, c.opt->id,
					      c.value != NULL ? "=" : "", value);
		else if (step == OPT_OPERAND)
			n += (size_t)snprintf(out + n, size - n, "%s%s", gap, value);
		else if (step == OPT_SEPARATOR)
			n += (size_t)snprintf(out + n, size - n, "%s--", gap);
		else
			n += (size_t)snprintf(out + n, size - n, "%s!%s", gap, c.problem);
		if (step == OPT_BAD)
			break;
	}
	return out;
}

#define WALK(...)                                                                                  \
	walk((char[300]){ 0 }, 300, (int)(sizeof(const char *[]){ __VA_ARGS__ } / sizeof(char *)), \
	     (const char *const[]){ __VA_ARGS__ })

static void a_short_option_takes_the_rest_or_the_next_word(void **state)
{
	(void)state;
	assert_string_equal(WALK("-n5", "-n", "6"), "1=5 1=6");
	assert_string_equal(WALK("-n", "-v"), "1=-v");
}

static void flags_share_a_word(void **state)
{
	(void)state;
	assert_string_equal(WALK("-vv", "-wvn7"), "3 3 2 3 1=7");
}

static void a_long_option_takes_a_value_both_ways(void **state)
{
	(void)state;
	assert_string_equal(WALK("--domain=vm", "--domain", "file", "--domain="), "4=vm 4=file 4=");
}

static void long_options_are_not_abbreviated(void **state)
{
	(void)state;
	assert_string_equal(WALK("--doma=vm"),
			    "!unknown option: --doma=vm (did you mean '--domain'?)");
}

static void options_and_operands_mix_on_both_sides_of_the_separator(void **state)
{
	(void)state;
	assert_string_equal(WALK("a", "-w", "b", "--", "c", "-v", "d"), "a 2 b -- c 3 d");
	assert_string_equal(WALK("a", "--", "b", "--"), "a -- b !'--' may be given only once");
}

static void a_lone_dash_is_an_operand(void **state)
{
	(void)state;
	assert_string_equal(WALK("-"), "-");
}

static void a_missing_value_is_said(void **state)
{
	(void)state;
	assert_string_equal(WALK("-n"), "!option -n needs a value: NUM");
	assert_string_equal(WALK("--domain"), "!option --domain needs a value: vm|file");
	assert_string_equal(WALK("--verbose=1"), "!option --verbose takes no value");
}

static void an_unknown_option_ends_the_walk(void **state)
{
	(void)state;
	assert_string_equal(WALK("-Z"), "!unknown option: -Z");
	assert_string_equal(WALK("--quite-another"), "!unknown option: --quite-another");
	assert_string_equal(WALK("-wZ"), "2 !unknown option: -wZ");
}

static void an_overlong_word_is_no_trouble(void **state)
{
	(void)state;
	char word[3000];
	memset(word, 'x', sizeof word);
	memcpy(word, "--", 2);
	word[sizeof word - 1] = '\0';
	assert_non_null(strstr(WALK(word), "!unknown option: --xxx"));
}

static void slips_of_the_keyboard_find_the_nearest_name(void **state)
{
	static const char *const names[] = { "sections", "segments", "symbols", "rawsymbols" };
	(void)state;
	assert_string_equal(nearest_of("symbls", names, 4), "symbols");
	assert_string_equal(nearest_of("esctions", names, 4), "sections");
	assert_string_equal(nearest_of("seg", names, 4), "segments");
	assert_null(nearest_of("compileunits", names, 4));
	assert_null(nearest_of("x", names, 4));
	assert_null(nearest_of("", names, 4));
}

static void a_short_help_has_the_common_options_only(void **state)
{
	(void)state;
	char text[2000] = { 0 };
	FILE *f = tmpfile();
	assert_non_null(f);
	options_print(table, true, f);
	rewind(f);
	assert_true(fread(text, 1, sizeof text - 1, f) > 0);
	fclose(f);
	assert_string_equal(text, "  -n NUM                      rows\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_short_option_takes_the_rest_or_the_next_word),
		cmocka_unit_test(flags_share_a_word),
		cmocka_unit_test(a_long_option_takes_a_value_both_ways),
		cmocka_unit_test(long_options_are_not_abbreviated),
		cmocka_unit_test(options_and_operands_mix_on_both_sides_of_the_separator),
		cmocka_unit_test(a_lone_dash_is_an_operand),
		cmocka_unit_test(a_missing_value_is_said),
		cmocka_unit_test(an_unknown_option_ends_the_walk),
		cmocka_unit_test(an_overlong_word_is_no_trouble),
		cmocka_unit_test(slips_of_the_keyboard_find_the_nearest_name),
		cmocka_unit_test(a_short_help_has_the_common_options_only),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
