/* What a C library may lack (base/os/missing.h), held against what the C library here has. */
#define _GNU_SOURCE
#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The ones of heft, under names of their own. */
#define HEFT_LACKS_FNMATCH
#define HEFT_LACKS_GETLINE
#define HEFT_LACKS_MEMMEM
#define HEFT_LACKS_MEMRCHR
#define HEFT_LACKS_STRNDUP
#define fnmatch missing_fnmatch
#define getline missing_getline
#define memmem  missing_memmem
#define memrchr missing_memrchr
#undef strndup
#define strndup missing_strndup
#include "../../src/base/os/missing.c"
#undef fnmatch
#undef getline
#undef memmem
#undef memrchr
#undef strndup

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static void random_text(uint32_t *state, const char *alphabet, char *ret, size_t most)
{
	const size_t size = next_random(state) % (most + 1);
	for (size_t i = 0; i < size; i++)
		ret[i] = alphabet[next_random(state) % strlen(alphabet)];
	ret[size] = '\0';
}

static void patterns_match_as_those_of_the_c_library(void **unused)
{
	static const char *const patterns[] = { "*",    "a*b",   "[!a]b", "[a-c]*",
						"\\*a", "[]a]",  "[^]]",  "?[[:digit:]]",
						"a[b",  "*/x/*", "[a-]",  "\\[a]" };
	uint32_t state = 7;
	unsigned matches = 0;
	(void)unused;
	for (unsigned i = 0; i < 200000; i++) {
		char pattern[16], text[12];
		random_text(&state, "aab*?[]!-c1/", pattern, 8);
		random_text(&state, "aabbc1]-/*", text, 8);
		const char *p = i % 4 == 0 ? patterns[i / 4 % (sizeof patterns / sizeof *patterns)]
					   : pattern;
		const bool want = fnmatch(p, text, 0) == 0;
		if (want != (missing_fnmatch(p, text, 0) == 0))
			fail_msg("'%s' and '%s': it is %d", p, text, want);
		matches += want;
	}
	assert_true(matches > 1000);
}

static void bytes_are_found_as_by_the_c_library(void **unused)
{
	uint32_t state = 3;
	(void)unused;
	for (unsigned i = 0; i < 100000; i++) {
		char in[20], what[5];
		random_text(&state, "ab", in, 16);
		random_text(&state, "ab", what, 4);
		const size_t size = strlen(in);
		assert_ptr_equal(missing_memmem(in, size, what, strlen(what)),
				 memmem(in, size, what, strlen(what)));
		assert_ptr_equal(missing_memrchr(in, 'b', size), memrchr(in, 'b', size));
	}
}

static void texts_and_lines_are_copied(void **unused)
{
	char *line = NULL, *copy = missing_strndup("abc", 2);
	size_t room = 0;
	(void)unused;
	assert_string_equal(copy, "ab");
	free(copy);
	FILE *f = tmpfile();
	for (unsigned i = 0; i < 500; i++)
		putc('x', f);
	fputs("\n\nend", f);
	rewind(f);
	assert_int_equal(missing_getline(&line, &room, f), 501);
	assert_int_equal(missing_getline(&line, &room, f), 1);
	assert_int_equal(missing_getline(&line, &room, f), 3);
	assert_string_equal(line, "end");
	assert_int_equal(missing_getline(&line, &room, f), -1);
	free(line);
	fclose(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_match_as_those_of_the_c_library),
		cmocka_unit_test(bytes_are_found_as_by_the_c_library),
		cmocka_unit_test(texts_and_lines_are_copied),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
